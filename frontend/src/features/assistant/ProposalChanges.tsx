import { useTranslation } from "react-i18next";

import type { ProposalChange } from "@/api/types";
import { Icon } from "@/components/ui/Icon";
import { useFieldValue } from "@/components/ui/useFieldValue";
import { marked } from "@/lib/unseen";

/** One row for each field that changes: label, before, after, as the server displays them. */
export function ProposalChanges({ changes }: { changes: readonly ProposalChange[] }) {
  const { t } = useTranslation();
  const value = useFieldValue();
  return (
    <dl className="divide-y divide-line rounded-lg bg-raised px-3">
      {changes.map((change) => (
        <div key={change.field} className="py-2">
          <dt className="text-xs text-muted">{t(`historyField.${change.field}`, { defaultValue: change.label })}</dt>
          <Was change={change} />
          <dd className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
            <del className="text-muted break-words whitespace-pre-wrap">{marked(change.beforeDisplay) || value(change.before)}</del>
            <Icon name="arrow" className="size-4 text-muted" />
            <span className="sr-only">{t("history.becomes")}</span>
            <ins className="min-w-0 font-semibold break-words whitespace-pre-wrap no-underline">{marked(change.afterDisplay) || value(change.after)}</ins>
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** On the card that took the place of a stale one: what the first one had shown. */
function Was({ change: { wasDisplay, beforeDisplay } }: { change: ProposalChange }) {
  const { t } = useTranslation();
  if (!wasDisplay || wasDisplay === beforeDisplay) return null;
  return <dd className="text-xs break-words text-muted">{t("proposal.was", { value: wasDisplay })}</dd>;
}
