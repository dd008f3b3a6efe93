import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";

import { useErrorText } from "@/api/errors";
import type { Conversation } from "@/api/types";
import { IconButton } from "@/components/ui/Button";
import { ConfirmDialog } from "@/components/ui/ConfirmDialog";
import { controlClass } from "@/components/ui/Field";
import { Icon } from "@/components/ui/Icon";
import { useToast } from "@/components/ui/Toast";
import { cn } from "@/lib/cn";
import { useFormat } from "@/lib/format";
import { isComposing, isEnter } from "@/lib/ime";

import { useRenameConversation } from "./useConversationPages";

/** The longest title that the server takes, in characters. */
const TITLE_LIMIT = 80;

type Props = {
  conversation: Conversation;
  current: boolean;
  onOpen: (id: string) => void;
  onDelete: (id: string) => void;
};

export function ConversationRow({ conversation: { id, title, updatedAt }, current, onOpen, onDelete }: Props) {
  const { t } = useTranslation();
  const format = useFormat();
  const toast = useToast();
  const errorText = useErrorText();
  const rename = useRenameConversation();
  const [editing, setEditing] = useState(false);
  const name = (rename.isPending ? rename.variables.title : title) || t("assistant.untitled");
  const onRename = (next: string | undefined) => {
    setEditing(false);
    if (!next || next === title) return;
    rename.mutate(
      { id, title: next },
      {
        onError: (error) => {
          toast({ text: errorText(error) });
        },
      },
    );
  };
  return (
    <li className={cn("flex items-center rounded-lg", current ? "bg-accent-soft" : "hover:bg-raised")}>
      {editing ? (
        <TitleField title={title} onDone={onRename} />
      ) : (
        <>
          <button
            type="button"
            aria-current={current || undefined}
            className="min-w-0 flex-1 rounded-lg px-2 py-1.5 text-left text-sm"
            onClick={() => {
              onOpen(id);
            }}
          >
            <span className="line-clamp-2 break-words">{name}</span>
            <time dateTime={updatedAt} className="text-xs text-muted">
              {format.relative(updatedAt)}
            </time>
          </button>
          <IconButton
            label={t("assistant.rename", { title: name })}
            onClick={() => {
              setEditing(true);
            }}
          >
            <Icon name="pencil" />
          </IconButton>
          <ConfirmDialog
            trigger={
              <IconButton label={t("assistant.delete", { title: name })}>
                <Icon name="bin" />
              </IconButton>
            }
            title={t("assistant.deleteTitle", { title: name })}
            description={t("assistant.deleteText")}
            action={t("common.delete")}
            onConfirm={() => {
              onDelete(id);
            }}
          />
        </>
      )}
    </li>
  );
}

type ChoiceProps = { conversation: Conversation; chosen: boolean; onChoose: (id: string, chosen: boolean) => void };

/** A conversation while several are chosen. */
export function ConversationChoice({ conversation: { id, title, updatedAt }, chosen, onChoose }: ChoiceProps) {
  const { t } = useTranslation();
  const format = useFormat();
  return (
    <li className={cn("rounded-lg", chosen ? "bg-accent-soft" : "hover:bg-raised")}>
      <label className="grid grid-cols-[auto_1fr] items-center gap-x-3 px-2 py-1.5 text-sm">
        <input
          type="checkbox"
          className="row-span-2 size-4 accent-accent"
          checked={chosen}
          onChange={(event) => {
            onChoose(id, event.target.checked);
          }}
        />
        <span className="line-clamp-2 break-words">{title || t("assistant.untitled")}</span>
        <time dateTime={updatedAt} className="text-xs text-muted">
          {format.relative(updatedAt)}
        </time>
      </label>
    </li>
  );
}

/** A title while it is changed: Enter or leaving keeps it, Escape gives the old one back. */
function TitleField({ title, onDone }: { title: string; onDone: (title: string | undefined) => void }) {
  const { t } = useTranslation();
  const done = useRef(false);
  const finish = (next: string | undefined) => {
    // The field also loses the focus by going away.
    if (done.current) return;
    done.current = true;
    onDone(next);
  };
  return (
    <input
      // The person has just asked to type here.
      // eslint-disable-next-line jsx-a11y/no-autofocus
      autoFocus
      defaultValue={title}
      maxLength={TITLE_LIMIT}
      aria-label={t("assistant.titleField")}
      className={cn(controlClass, "m-1")}
      onBlur={(event) => {
        finish(event.currentTarget.value.trim());
      }}
      onKeyDown={(event) => {
        if (isEnter(event)) finish(event.currentTarget.value.trim());
        if (event.key !== "Escape" || isComposing(event)) return;
        event.stopPropagation();
        finish(undefined);
      }}
    />
  );
}
