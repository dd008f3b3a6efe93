import { useState } from "react";
import { useTranslation } from "react-i18next";

import type { Conversation } from "@/api/types";
import { Button } from "@/components/ui/Button";
import { ConfirmDialog } from "@/components/ui/ConfirmDialog";
import { LoadMore } from "@/components/ui/LoadMore";
import { SearchField } from "@/components/ui/SearchField";
import { ErrorNote, Loading } from "@/components/ui/States";

import { groupByAge } from "./conversationGroups";
import { ConversationChoice, ConversationRow } from "./ConversationRow";
import { useConversationPages } from "./useConversationPages";

type Props = {
  current: string | undefined;
  /** Deleted a moment ago. */
  hidden: ReadonlySet<string>;
  /** Opens a conversation, at what was searched for. */
  onOpen: (id: string, sought: string) => void;
  onDelete: (ids: readonly string[]) => void;
};

/** The person's conversations by age, with a search over their titles and messages. */
export function ConversationList({ current, hidden, onOpen, onDelete }: Props) {
  const { t } = useTranslation();
  const [q, setQ] = useState("");
  const [now] = useState(() => Date.now());
  const [chosen, setChosen] = useState<ReadonlySet<string>>();
  const pages = useConversationPages(q);
  if (pages.isPending) return <Loading />;
  if (pages.isError) {
    return (
      <div className="p-3">
        <ErrorNote error={pages.error} onRetry={() => void pages.refetch()} />
      </div>
    );
  }
  const all = pages.data.pages.flatMap(({ items }) => items);
  const shown = all.filter(({ id }) => !hidden.has(id));
  const row = (conversation: Conversation) =>
    chosen ? (
      <ConversationChoice
        key={conversation.id}
        conversation={conversation}
        chosen={chosen.has(conversation.id)}
        onChoose={(id, choose) => {
          setChosen(new Set([...chosen].filter((other) => other !== id).concat(choose ? id : [])));
        }}
      />
    ) : (
      <ConversationRow
        key={conversation.id}
        conversation={conversation}
        current={conversation.id === current}
        onOpen={(id) => {
          onOpen(id, q);
        }}
        onDelete={(id) => {
          onDelete([id]);
        }}
      />
    );
  return (
    <nav aria-label={t("assistant.conversations")} className="min-h-0 flex-1 space-y-3 overflow-y-auto p-3">
      <SearchField label={t("assistant.search")} value={q} onSearch={setQ} />
      {shown.length === 0 ? (
        <p className="p-6 text-center text-sm text-muted">{t(q ? "assistant.noneFound" : "assistant.noConversations")}</p>
      ) : (
        <Choosing
          chosen={shown.filter(({ id }) => chosen?.has(id)).map(({ id }) => id)}
          on={chosen !== undefined}
          onTurn={(on) => {
            setChosen(on ? new Set() : undefined);
          }}
          onDelete={onDelete}
        />
      )}
      {groupByAge(shown, now).map(({ age, items }) => (
        <section key={age}>
          <h3 className="px-2 pb-1 text-xs font-semibold text-muted">{t(`assistant.age.${age}`)}</h3>
          <ul className="space-y-0.5">{items.map(row)}</ul>
        </section>
      ))}
      {pages.hasNextPage && (
        <LoadMore
          shown={all.length}
          total={pages.data.pages[0]?.total ?? all.length}
          hasMore
          busy={pages.isFetchingNextPage}
          onMore={() => void pages.fetchNextPage()}
        />
      )}
    </nav>
  );
}

type ChoosingProps = {
  chosen: readonly string[];
  on: boolean;
  onTurn: (on: boolean) => void;
  onDelete: (ids: readonly string[]) => void;
};

/** Several conversations can be chosen and deleted together. */
function Choosing({ chosen, on, onTurn, onDelete }: ChoosingProps) {
  const { t } = useTranslation();
  return (
    <div className="flex items-center justify-end gap-2">
      {chosen.length > 0 && (
        <ConfirmDialog
          trigger={<Button size="small">{t("assistant.deleteMany", { count: chosen.length })}</Button>}
          title={t("assistant.deleteManyTitle", { count: chosen.length })}
          description={t("assistant.deleteText")}
          action={t("common.delete")}
          onConfirm={() => {
            onDelete(chosen);
            onTurn(false);
          }}
        />
      )}
      <Button
        look="quiet"
        size="small"
        onClick={() => {
          onTurn(!on);
        }}
      >
        {t(on ? "common.cancel" : "assistant.choose")}
      </Button>
    </div>
  );
}
