import { useTranslation } from "react-i18next";

import type { RecordRef } from "@/api/types";
import { Button } from "@/components/ui/Button";
import { Icon } from "@/components/ui/Icon";
import { RecordLink } from "@/components/ui/RecordLink";
import { dismissRecord, useCurrentRecord } from "@/lib/currentRecord";

/** The record on screen, which goes with the next message unless the person takes it out. */
export function ContextChip() {
  const { t } = useTranslation();
  const record = useCurrentRecord();
  if (!record) return null;
  const label = labelOf(t(`recordType.${record.type}`), record);
  return (
    <div
      role="group"
      aria-label={t("assistant.context")}
      title={t("assistant.contextHint")}
      className="flex w-fit max-w-full items-center rounded-lg border border-line bg-surface pl-2.5 text-xs"
    >
      <span className="truncate">{label}</span>
      <Button look="quiet" size="small" aria-label={t("assistant.contextRemove", { label })} onClick={dismissRecord}>
        <Icon name="cross" className="size-3.5" />
      </Button>
    </div>
  );
}

/** The record that went with a message. */
export function SentContext({ record }: { record: RecordRef }) {
  const { t } = useTranslation();
  return (
    <p className="max-w-[90%] truncate text-xs text-muted">
      <span className="sr-only">{t("assistant.context")} </span>
      <RecordLink record={record} className="inline-block min-h-6 max-w-full truncate hover:underline">
        {labelOf(t(`recordType.${record.type}`), record)}
      </RecordLink>
    </p>
  );
}

const labelOf = (kind: string, { name }: Pick<RecordRef, "name">) => `${kind} · ${name}`;
