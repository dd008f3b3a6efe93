import { useTranslation } from "react-i18next";

import type { Activity } from "@/api/types";
import { useFormat } from "@/lib/format";
import { marked } from "@/lib/unseen";

import { Badge } from "./Badge";

/** The activities of a record, newest first as the server gives them. */
export function Timeline({ items }: { items: readonly Activity[] }) {
  const { t } = useTranslation();
  const format = useFormat();
  if (items.length === 0) return <p className="text-sm text-muted">{t("timeline.empty")}</p>;
  return (
    <ol className="space-y-3">
      {items.map((item) => (
        <li key={item.id} className="border-l-2 border-line pl-3 text-sm">
          <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <Badge>{t(`activityKind.${item.kind}`, { defaultValue: item.kind })}</Badge>
            <span className="font-medium break-words">{marked(item.subject)}</span>
          </p>
          {item.body && <p className="mt-1 break-words whitespace-pre-wrap">{marked(item.body)}</p>}
          <p className="mt-1 text-xs text-muted">
            {item.ownerName} · <time dateTime={item.at}>{format.dateTime(item.at)}</time>
          </p>
        </li>
      ))}
    </ol>
  );
}
