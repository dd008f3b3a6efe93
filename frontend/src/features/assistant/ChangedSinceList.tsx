import { useTranslation } from "react-i18next";

import type { ChangedSince } from "@/api/types";
import { RecordLink } from "@/components/ui/RecordLink";
import { useFieldValue } from "@/components/ui/useFieldValue";
import { useFormat } from "@/lib/format";

/** Who has changed what, and when; of several records, of which. */
export function ChangedSinceList({ changes }: { changes: readonly ChangedSince[] }) {
  const { t } = useTranslation();
  const format = useFormat();
  const value = useFieldValue();
  return (
    <ul className="space-y-1">
      {changes.map(({ record, field, before, after, by, at }) => (
        <li key={`${record?.id ?? ""} ${field} ${at}`} className="rounded-lg bg-raised px-3 py-2">
          {record && <RecordLink record={record} />}
          <p className="break-words">
            <span className="font-medium">{t(`historyField.${field}`, { defaultValue: field })}</span>
            {(before ?? after ?? null) !== null && `: ${value(before)} → ${value(after)}`}
          </p>
          <p className="text-xs text-muted">{t("proposal.changedBy", { name: by, when: format.dateTime(at) })}</p>
        </li>
      ))}
    </ul>
  );
}
