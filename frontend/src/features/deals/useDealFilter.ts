import { useCallback, useMemo } from "react";
import { useSearchParams } from "react-router-dom";

import type { DealFilter } from "@/api/deals";

const PARAMS = { pipelineId: "pipeline", stageId: "stage", q: "q" } as const;

/** The filter of the deals list lives in the URL, so that a link and Back bring it again. */
export function useDealFilter() {
  const [params, setParams] = useSearchParams();
  const filter = useMemo<DealFilter>(
    () => ({
      pipelineId: params.get(PARAMS.pipelineId) ?? "",
      stageId: params.get(PARAMS.stageId) ?? "",
      q: params.get(PARAMS.q) ?? "",
    }),
    [params],
  );
  const change = useCallback(
    (next: Partial<Record<keyof typeof PARAMS, string>>) => {
      setParams(
        (now) => {
          const url = new URLSearchParams(now);
          for (const [key, value] of Object.entries(next)) {
            const name = PARAMS[key as keyof typeof PARAMS];
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
    change({ pipelineId: "", stageId: "", q: "" });
  }, [change]);
  return { filter, change, clear, isFiltered: Boolean(filter.pipelineId || filter.stageId || filter.q) };
}
