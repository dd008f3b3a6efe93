import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";

import type { TurnLine } from "@/api/types";
import { cn } from "@/lib/cn";
import { useFormat } from "@/lib/format";

import { TurnStatus } from "./TurnStatus";
import { UNKNOWN, useCostText, useDuration } from "./usageText";

const NUMBERS = ["rounds", "retries", "tokens", "cost", "duration"] as const;
const COLUMNS = ["started", "user", "status", "model", ...NUMBERS] as const;
const isNumber = (column: string) => NUMBERS.some((each) => each === column);
const cell = "px-3 py-2";
const number = cn(cell, "text-right whitespace-nowrap tabular-nums");

type Props = { turns: readonly TurnLine[]; stale: boolean; onUser: (userId: string) => void };

/** Turns as a table; a click on a name leaves those of that person. */
export function TurnTable({ turns, stale, onUser }: Props) {
  const { t } = useTranslation();
  return (
    <div className="overflow-x-auto rounded-xl border border-line bg-surface">
      <table className={cn("w-full text-sm", stale && "opacity-60")} aria-busy={stale} aria-label={t("turns.title")}>
        <thead className="bg-raised text-left text-xs text-muted">
          <tr>
            {COLUMNS.map((column) => (
              <th key={column} scope="col" className={cn("px-3 py-2 font-medium break-keep", isNumber(column) && "text-right")}>
                {t(`turns.${column}`)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {turns.map((turn) => (
            <Row key={turn.id} turn={turn} onUser={onUser} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ turn, onUser }: { turn: TurnLine; onUser: Props["onUser"] }) {
  const { t } = useTranslation();
  const format = useFormat();
  const costText = useCostText();
  const duration = useDuration();
  return (
    <tr className="border-t border-line hover:bg-bg">
      <th scope="row" className={cn(cell, "text-left font-medium whitespace-nowrap")}>
        <Link className="text-accent hover:underline" to={`/admin/turns/${encodeURIComponent(turn.id)}`}>
          <time dateTime={turn.startedAt}>{format.dateTime(turn.startedAt)}</time>
        </Link>
      </th>
      <td className={cn(cell, "min-w-32 break-keep")}>
        <button
          type="button"
          className="text-left hover:underline"
          title={t("turns.onlyUser", { name: turn.userName })}
          onClick={() => {
            onUser(turn.userId);
          }}
        >
          {turn.userName}
        </button>
      </td>
      <td className={cell}>
        <TurnStatus status={turn.status} />
        {turn.code && <span className="block font-mono text-xs text-muted">{turn.code}</span>}
      </td>
      <td className={cn(cell, "break-words")}>{turn.model ?? UNKNOWN}</td>
      <td className={number}>{format.number(turn.rounds)}</td>
      <td className={number}>{format.number(turn.retries)}</td>
      <td className={number}>
        {format.number(turn.promptTokens + turn.completionTokens)}
        {turn.estimated > 0 && <span className="block text-xs text-muted">{t("turns.estimated")}</span>}
      </td>
      <td className={number}>{costText(turn)}</td>
      <td className={number}>
        {duration(turn.durationMs)}
      </td>
    </tr>
  );
}
