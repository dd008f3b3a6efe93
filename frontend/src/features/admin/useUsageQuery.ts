import { useCallback, useMemo } from "react";
import { useSearchParams } from "react-router-dom";

import { GROUPINGS, type UsageQuery } from "@/api/usage";

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Period and grouping live in the URL, so that a link and Back bring them again. */
export function useUsageQuery() {
  const [params, setParams] = useSearchParams();
  const query = useMemo<UsageQuery>(() => {
    const day = (name: string) => {
      const text = params.get(name) ?? "";
      return DAY.test(text) ? text : "";
    };
    return { by: GROUPINGS.find((by) => by === params.get("by")) ?? "day", from: day("from"), to: day("to") };
  }, [params]);
  const change = useCallback(
    (next: Partial<Record<keyof UsageQuery, string>>) => {
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
  return { query, change };
}
