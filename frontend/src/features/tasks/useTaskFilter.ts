import { useCallback } from "react";
import { useSearchParams } from "react-router-dom";

import type { TaskShow } from "@/api/tasks";

export const SHOWS = ["open", "overdue", "done", "all"] as const satisfies readonly TaskShow[];
const DEFAULTS = { show: "open", who: "me" };

/** The filter of the tasks list lives in the URL: open ones of the person's own unless it says otherwise. */
export function useTaskFilter() {
  const [params, setParams] = useSearchParams();
  const show = SHOWS.find((each) => each === params.get("show")) ?? "open";
  const everyone = params.get("who") === "all";
  const change = useCallback(
    (name: keyof typeof DEFAULTS, value: string) => {
      setParams(
        (now) => {
          const url = new URLSearchParams(now);
          if (value === DEFAULTS[name]) url.delete(name);
          else url.set(name, value);
          return url;
        },
        { replace: true },
      );
    },
    [setParams],
  );
  const clear = useCallback(() => {
    setParams({}, { replace: true });
  }, [setParams]);
  return { show, everyone, change, clear, isFiltered: show !== "open" || everyone };
}
