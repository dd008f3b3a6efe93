import { useTranslation } from "react-i18next";

import { Button } from "@/components/ui/Button";
import { ErrorNote } from "@/components/ui/States";

type Props = {
  text: string;
  error: unknown;
  running: boolean;
  onEdit: () => void;
  onDelete: () => void;
  onSend: () => void;
};

/** The message that waits behind the running reply. */
export function QueuedMessage({ text, error, running, onEdit, onDelete, onSend }: Props) {
  const { t } = useTranslation();
  return (
    <div role="group" aria-label={t("assistant.queued")} className="rounded-lg border border-dashed border-control p-2">
      <p className="text-xs text-muted">{t(running ? "assistant.queuedNext" : "assistant.queuedHeld")}</p>
      <p className="line-clamp-3 text-sm break-words whitespace-pre-wrap">{text}</p>
      {error !== undefined && <ErrorNote error={error} />}
      <div className="flex flex-wrap gap-1 pt-1">
        {!running && (
          <Button size="small" onClick={onSend}>
            {t("assistant.sendNow")}
          </Button>
        )}
        <Button look="quiet" size="small" onClick={onEdit}>
          {t("common.edit")}
        </Button>
        <Button look="quiet" size="small" onClick={onDelete}>
          {t("common.delete")}
        </Button>
      </div>
    </div>
  );
}
