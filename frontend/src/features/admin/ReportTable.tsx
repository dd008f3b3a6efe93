import { cn } from "@/lib/cn";

export const NUMBER = "px-3 py-2 text-right whitespace-nowrap tabular-nums";

type ReportTableProps = {
  label: string;
  stale: boolean;
  group: string;
  columns: string[];
  total: React.ReactNode;
  children: React.ReactNode;
};

/** A table of figures: the first column tells the group, and the last row the total. */
export function ReportTable({ label, stale, group, columns, total, children }: ReportTableProps) {
  return (
    <div className="overflow-x-auto rounded-xl border border-line bg-surface">
      <table className={cn("w-full text-sm", stale && "opacity-60")} aria-busy={stale} aria-label={label}>
        <thead className="bg-raised text-left text-xs text-muted">
          <tr>
            <th scope="col" className="px-3 py-2 font-medium break-keep">
              {group}
            </th>
            {columns.map((column) => (
              <th key={column} scope="col" className="px-3 py-2 text-right font-medium break-keep">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
        <tfoot className="font-medium">{total}</tfoot>
      </table>
    </div>
  );
}
