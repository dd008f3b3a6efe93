import { useCallback, useMemo } from "react";
import { useSearchParams } from "react-router-dom";

import { TURN_STATUSES, type TurnFilter } from "@/api/turns";
import { fromWallClock } from "@/lib/format";

const NAMES = ["userId", "status", "model", "from", "to"] as const;
/** What the address holds: days where the server takes moments. */
export type TurnQuery = Record<(typeof NAMES)[number], string>;

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const DAY_MS = 86_400_000;

/** The filter of the turns lives in the URL, so that a link and Back bring it again. Both days are included. */
export function useTurnFilter() {
  const [params, setParams] = useSearchParams();
  const query = useMemo<TurnQuery>(() => {
    const text = (name: string) => params.get(name) ?? "";
    const day = (name: string) => (DAY.test(text(name)) ? text(name) : "");
    const status = TURN_STATUSES.find((each) => each === text("status")) ?? "";
    return { userId: text("userId"), status, model: text("model"), from: day("from"), to: day("to") };
  }, [params]);
  const filter = useMemo<TurnFilter>(() => {
    const { from, to } = query;
    const start = (day: string, after = 0) =>
      day && new Date(Date.parse(fromWallClock(`${day}T00:00`)) + after).toISOString();
    return { ...query, from: start(from), to: start(to, DAY_MS) };
  }, [query]);
  const change = useCallback(
    (next: Partial<TurnQuery>) => {
      setParams(
        (now) => {
          const url = new URLSearchParams(now);
          for (const [name, value] of Object.entries(next)) {
            if (value) url.set(name, value);
            else url.delete(name);
          }
          return url;
        },
        { replace: true },
      );
    },
    [setParams],
  );
  const clear = useCallback(() => {
    change({ userId: "", status: "", model: "", from: "", to: "" });
  }, [change]);
  return { query, filter, change, clear, isFiltered: NAMES.some((name) => query[name] !== "") };
}
