import { useCallback, useMemo } from "react";
import { useSearchParams } from "react-router-dom";

import { GROUPINGS, OUTCOME_GROUPINGS, type OutcomeQuery, type UsageQuery } from "@/api/usage";

const DAY = /^\d{4}-\d{2}-\d{2}$/;

type Change = Partial<Record<keyof UsageQuery | "outcomes", string>>;

/** Period and groupings live in the URL, so that a link and Back bring them again. */
export function useUsageQuery() {
  const [params, setParams] = useSearchParams();
  const { query, outcomes } = useMemo(() => {
    const day = (name: string) => {
      const text = params.get(name) ?? "";
      return DAY.test(text) ? text : "";
    };
    const period = { from: day("from"), to: day("to") };
    const query: UsageQuery = { by: GROUPINGS.find((by) => by === params.get("by")) ?? "day", ...period };
    const outcomes: OutcomeQuery = { by: OUTCOME_GROUPINGS.find((by) => by === params.get("outcomes")) ?? "tool", ...period };
    return { query, outcomes };
  }, [params]);
  const change = useCallback(
    (next: Change) => {
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
  return { query, outcomes, change };
}
