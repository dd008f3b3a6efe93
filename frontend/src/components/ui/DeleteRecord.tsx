import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router-dom";

import { useErrorText } from "@/api/errors";
import { useDeleteRecord, useRestoreRecord, type KeptType } from "@/api/records";
import { can, useMe } from "@/api/session";

import { Button } from "./Button";
import { ConfirmDialog } from "./ConfirmDialog";
import { useToast } from "./Toast";

type Props = {
  type: KeptType;
  record: { id: string; version: number };
  name: string;
  /** Whom the right to delete is about. */
  ownerId: string;
  label: string;
  /** The page to go to afterwards. */
  list: string;
};

/** Deletes a record after one question, with Undo; nothing for those who may not. */
export function DeleteRecord({ type, record, name, ownerId, label, list }: Props) {
  const { t } = useTranslation();
  const me = useMe();
  const remove = useDeleteRecord(type);
  const restore = useRestoreRecord(type);
  const toast = useToast();
  const navigate = useNavigate();
  const errorText = useErrorText();
  if (!can(me.data, `${type}:delete`, ownerId)) return null;
  const mayUndo = can(me.data, `${type}:restore`, ownerId);
  // The page is gone when Undo is pressed, and with it the callbacks of mutate: a promise still answers.
  const undo = () => {
    restore.mutateAsync(record.id).then(
      () => {
        toast({ text: t("remove.restored", { name }) });
      },
      (error: unknown) => {
        toast({ text: errorText(error) });
      },
    );
  };
  const onConfirm = () => {
    remove.mutate(record, {
      onSuccess: () => {
        void navigate(list);
        const text = t("remove.deleted", { name });
        toast(mayUndo ? { text, action: { label: t("common.undo"), run: undo } } : { text });
      },
      onError: (error) => {
        toast({ text: errorText(error) });
      },
    });
  };
  return (
    <ConfirmDialog
      trigger={
        <Button look="danger" busy={remove.isPending}>
          {label}
        </Button>
      }
      title={t("remove.title", { name })}
      description={t(mayUndo ? "remove.text" : "remove.textFinal")}
      action={label}
      onConfirm={onConfirm}
    />
  );
}
