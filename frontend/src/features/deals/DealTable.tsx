import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";

import type { Deal } from "@/api/types";
import { cn } from "@/lib/cn";
import { useFormat } from "@/lib/format";
import { recordPath } from "@/lib/routes";
import { marked, markedNode } from "@/lib/unseen";

import { StageBadge } from "./StageBadge";

const COLUMNS = ["title", "company", "stage", "amount", "owner", "expectedClose", "updated"] as const;

/** The deals as a table; on a narrow screen each row becomes a small card of label and value. */
export function DealTable({ deals, stale }: { deals: readonly Deal[]; stale: boolean }) {
  const { t } = useTranslation();
  return (
    <div className="overflow-hidden rounded-xl border border-line bg-surface">
      <table
        className={cn("w-full text-sm max-md:block", stale && "opacity-60")}
        aria-busy={stale}
        aria-label={t("deals.title")}
      >
        <thead className="bg-raised text-left text-xs text-muted max-md:sr-only">
          <tr>
            {COLUMNS.map((column) => (
              <th key={column} scope="col" className={cn("px-3 py-2 font-medium", column === "amount" && "text-right")}>
                {t(`field.${column}`)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="max-md:block">
          {deals.map((deal) => (
            <DealRow key={deal.id} deal={deal} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

const cell = "px-3 py-2 max-md:block max-md:p-0";

function DealRow({ deal }: { deal: Deal }) {
  const format = useFormat();
  const company = deal.companyId && recordPath("company", deal.companyId);
  return (
    <tr className="border-t border-line first:border-t-0 hover:bg-bg max-md:grid max-md:grid-cols-[1fr_auto] max-md:gap-x-3 max-md:gap-y-1 max-md:p-3 md:first:border-t">
      <td className={cn(cell, "font-medium max-md:col-span-2")}>
        <Link className="inline-block min-h-6 text-accent hover:underline" to={recordPath("deal", deal.id) ?? ""}>
          {marked(deal.title)}
        </Link>
      </td>
      <td className={cell}>
        {company && (
          <Link className="inline-block min-h-6 hover:underline" to={company}>
            {markedNode(deal.companyName)}
          </Link>
        )}
      </td>
      <td className={cn(cell, "max-md:text-right")}>
        <StageBadge deal={deal} />
      </td>
      <td className={cn(cell, "text-right whitespace-nowrap tabular-nums max-md:text-left")}>
        {format.money(deal.amount)}
      </td>
      <td className={cn(cell, "max-md:text-right")}>{deal.ownerName}</td>
      <td className={cn(cell, "whitespace-nowrap text-muted")}>{format.date(deal.expectedCloseDate)}</td>
      <td className={cn(cell, "whitespace-nowrap text-muted max-md:text-right")}>
        <time dateTime={deal.updatedAt} title={format.dateTime(deal.updatedAt)}>
          {format.relative(deal.updatedAt)}
        </time>
      </td>
    </tr>
  );
}
