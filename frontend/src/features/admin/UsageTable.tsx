import { useTranslation } from "react-i18next";

import type { Usage, UsageFigures } from "@/api/types";
import { useFormat } from "@/lib/format";

import { NUMBER, ReportTable } from "./ReportTable";
import { useCostText, useDuration } from "./usageText";

/** Calls of models have other figures than those of tools. */
const OF_MODELS = {
  counts: ["calls", "errors", "promptTokens", "completionTokens", "cachedTokens"],
  times: ["firstTokenP50Ms", "firstTokenP95Ms"],
} as const;
const OF_TOOLS = { counts: ["calls", "errors", "proposals"], times: ["averageMs"] } as const;

/** The lines of a report and their sum. */
export function UsageTable({ usage, stale }: { usage: Usage; stale: boolean }) {
  const { t } = useTranslation();
  const costShown = usage.costShown && usage.by !== "tool";
  const figures = figuresOf(usage);
  const columns = [...figures.counts, ...(costShown ? ["cost" as const] : []), ...figures.times];
  return (
    <ReportTable
      label={t("usage.title")}
      stale={stale}
      group={t(`usage.group.${usage.by}`)}
      columns={columns.map((column) => t(`usage.column.${column}`))}
      total={<Line name={t("usage.total")} line={usage.total} {...{ figures, costShown }} />}
    >
      {usage.lines.map((line) => (
        <Line key={line.key} name={<Name usage={usage} line={line} />} line={line} {...{ figures, costShown }} />
      ))}
    </ReportTable>
  );
}

const figuresOf = ({ by }: Usage) => (by === "tool" ? OF_TOOLS : OF_MODELS);

function Name({ usage, line }: { usage: Usage; line: Usage["lines"][number] }) {
  const { t } = useTranslation();
  const format = useFormat();
  if (usage.by === "day") return format.date(line.key);
  if (usage.by === "tool") return t(`tool.${line.key}`, { defaultValue: line.name });
  if (usage.by === "role") return t(`role.${line.key}`, { defaultValue: line.key });
  return line.name;
}

type LineProps = {
  name: React.ReactNode;
  line: UsageFigures;
  figures: ReturnType<typeof figuresOf>;
  costShown: boolean;
};

function Line({ name, line, figures: { counts, times }, costShown }: LineProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const costText = useCostText();
  const duration = useDuration();
  const { estimated, unpriced } = line;
  return (
    <tr className="border-t border-line">
      <th scope="row" className="px-3 py-2 text-left font-medium break-keep break-words">
        {name}
        {estimated > 0 && (
          <span className="block text-xs font-normal text-muted">{t("usage.estimatedCalls", { count: estimated })}</span>
        )}
      </th>
      {counts.map((column) => (
        <td key={column} className={NUMBER}>
          {format.number(line[column] ?? 0)}
        </td>
      ))}
      {costShown && (
        <td className={NUMBER}>
          {costText(line)}
          {unpriced > 0 && <span className="block text-xs text-muted">{t("usage.unpriced", { count: unpriced })}</span>}
        </td>
      )}
      {times.map((column) => {
        const ms = line[column];
        return (
          <td key={column} className={NUMBER}>
            {duration(ms)}
          </td>
        );
      })}
    </tr>
  );
}
