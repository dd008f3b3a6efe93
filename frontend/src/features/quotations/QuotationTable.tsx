import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";

import type { Quotation } from "@/api/types";
import { QuotationStatus } from "@/components/ui/QuotationStatus";
import { RecordLink } from "@/components/ui/RecordLink";
import { cn } from "@/lib/cn";
import { useFormat } from "@/lib/format";
import { recordPath } from "@/lib/routes";
import { marked } from "@/lib/unseen";

const COLUMNS = ["number", "company", "status", "total", "owner", "validUntil", "updated"] as const;

/** The quotations as a table; on a narrow screen each row becomes a small card. */
export function QuotationTable({ quotations, stale }: { quotations: readonly Quotation[]; stale: boolean }) {
  const { t } = useTranslation();
  return (
    <div className="overflow-hidden rounded-xl border border-line bg-surface">
      <table
        className={cn("w-full text-sm max-md:block", stale && "opacity-60")}
        aria-busy={stale}
        aria-label={t("quotations.title")}
      >
        <thead className="bg-raised text-left text-xs text-muted max-md:sr-only">
          <tr>
            {COLUMNS.map((column) => (
              <th key={column} scope="col" className={cn("px-3 py-2 font-medium", column === "total" && "text-right")}>
                {t(`field.${column}`)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="max-md:block">
          {quotations.map((quotation) => (
            <QuotationRow key={quotation.id} quotation={quotation} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

const cell = "px-3 py-2 max-md:block max-md:p-0";

function QuotationRow({ quotation }: { quotation: Quotation }) {
  const format = useFormat();
  const { id, name, companyId, companyName, total, ownerName, validUntil, updatedAt } = quotation;
  return (
    <tr className="border-t border-line first:border-t-0 hover:bg-bg max-md:grid max-md:grid-cols-[1fr_auto] max-md:gap-x-3 max-md:gap-y-1 max-md:p-3 md:first:border-t">
      <td className={cn(cell, "font-medium whitespace-nowrap")}>
        <Link className="inline-block min-h-6 text-accent hover:underline" to={recordPath("quotation", id) ?? ""}>
          {marked(name)}
        </Link>
      </td>
      <td className={cn(cell, "max-md:text-right")}>
        {companyName && (
          <RecordLink
            record={{ type: "company", id: companyId, name: companyName }}
            className="inline-block min-h-6 hover:underline"
          />
        )}
      </td>
      <td className={cell}>
        <QuotationStatus quotation={quotation} />
      </td>
      <td className={cn(cell, "text-right whitespace-nowrap tabular-nums")}>{format.money(total)}</td>
      <td className={cell}>{ownerName}</td>
      <td className={cn(cell, "whitespace-nowrap text-muted max-md:text-right")}>{format.date(validUntil)}</td>
      <td className={cn(cell, "whitespace-nowrap text-muted max-md:sr-only")}>
        <time dateTime={updatedAt} title={format.dateTime(updatedAt)}>
          {format.relative(updatedAt)}
        </time>
      </td>
    </tr>
  );
}
