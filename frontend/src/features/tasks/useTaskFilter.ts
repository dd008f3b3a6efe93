import type { TaskShow } from "@/api/tasks";
import { useUrlFilter } from "@/components/ui/useUrlFilter";

export const SHOWS = ["open", "overdue", "done", "all"] as const satisfies readonly TaskShow[];
const DEFAULTS = { show: "open", who: "me" };

/** The filter of the tasks list: open ones of the person's own unless it says otherwise. */
export function useTaskFilter() {
  const { values, change, clear } = useUrlFilter(DEFAULTS);
  const show = SHOWS.find((each) => each === values.show) ?? "open";
  const everyone = values.who === "all";
  return { show, everyone, change, clear, isFiltered: show !== "open" || everyone };
}
