import { useTranslation } from "react-i18next";

import type { OutcomeFigures, OutcomeReport } from "@/api/types";
import { OUTCOME_GROUPINGS, outcomeTableUrl, useOutcomes, type OutcomeQuery } from "@/api/usage";
import { SelectField } from "@/components/ui/Field";
import { Panel } from "@/components/ui/Page";
import { Empty, ErrorNote, Loading } from "@/components/ui/States";
import { useFormat } from "@/lib/format";

import { NUMBER, ReportTable } from "./ReportTable";
import { UNKNOWN } from "./usageText";

const COUNTS = ["made", "pending", "executed", "edited", "undone", "cancelled", "stale", "failed", "expired", "superseded"] as const;
/** Those of the counts that are told as shares of the decided ones as well. */
const RATES = { executed: "acceptRate", edited: "editRate", cancelled: "rejectRate", stale: "staleRate" } as const;
const TIMES = ["decisionP50Seconds", "decisionP90Seconds"] as const;

/** What came of the proposals that were made in a period. */
export function UsageOutcomes({ query, onGroup }: { query: OutcomeQuery; onGroup: (by: string) => void }) {
  const { t } = useTranslation();
  const { data, error, isPending, isPlaceholderData, refetch } = useOutcomes(query);
  return (
    <Panel title={t("outcomes.title")}>
      <p className="text-sm text-muted">{t("outcomes.hint")}</p>
      <div className="flex flex-wrap items-end gap-3">
        <SelectField
          label={t("outcomes.by")}
          value={query.by}
          onChange={(event) => {
            onGroup(event.target.value);
          }}
        >
          {OUTCOME_GROUPINGS.map((by) => (
            <option key={by} value={by}>
              {t(`usage.group.${by}`)}
            </option>
          ))}
        </SelectField>
        <a className="py-2 text-sm text-accent hover:underline" href={outcomeTableUrl(query)} download>
          {t("outcomes.download")}
        </a>
      </div>
      {isPending && <Loading />}
      {error && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {data?.lines.length === 0 && <Empty title={t("outcomes.none")} />}
      {data && data.lines.length > 0 && <OutcomeTable report={data} stale={isPlaceholderData} />}
    </Panel>
  );
}

function OutcomeTable({ report, stale }: { report: OutcomeReport; stale: boolean }) {
  const { t } = useTranslation();
  return (
    <ReportTable
      label={t("outcomes.title")}
      stale={stale}
      group={t(`usage.group.${report.by}`)}
      columns={[...COUNTS, ...TIMES].map((column) => t(`outcomes.column.${column}`))}
      total={<Line name={t("usage.total")} line={report.total} />}
    >
      {report.lines.map((line) => (
        <Line
          key={line.key}
          name={report.by === "tool" ? t(`tool.${line.key}`, { defaultValue: line.name }) : line.name}
          line={line}
        />
      ))}
    </ReportTable>
  );
}

function Line({ name, line }: { name: string; line: OutcomeFigures }) {
  const { t } = useTranslation();
  const { number } = useFormat();
  const share = (rate: number | undefined) =>
    rate === undefined ? UNKNOWN : t("outcomes.percent", { percent: number(Math.round(rate * 100)) });
  return (
    <tr className="border-t border-line">
      <th scope="row" className="px-3 py-2 text-left font-medium break-keep break-words">
        {name}
      </th>
      {COUNTS.map((column) => (
        <td key={column} className={NUMBER}>
          {number(line[column])}
          {column in RATES && <span className="block text-xs text-muted">{share(line[RATES[column as keyof typeof RATES]])}</span>}
          {column === "cancelled" && line.explained > 0 && (
            <span className="block text-xs text-muted">{t("outcomes.explained", { count: line.explained })}</span>
          )}
        </td>
      ))}
      {TIMES.map((column) => {
        const seconds = line[column];
        return (
          <td key={column} className={NUMBER}>
            {seconds === undefined ? UNKNOWN : t("outcomes.seconds", { seconds: number(seconds) })}
          </td>
        );
      })}
    </tr>
  );
}
