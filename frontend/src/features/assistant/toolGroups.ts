import type { ToolCall, ToolStatus } from "@/api/types";

/** Calls of one tool right after each other, shown as one line. */
export type ToolGroup = { key: string; name: string; status: ToolStatus; calls: ToolCall[] };

// What went wrong, or waits for somebody, stays in sight.
const FOLDS: readonly ToolStatus[] = ["preparing", "running", "ok"];

/** Puts consecutive calls of the same tool together, in call order. */
export function groupCalls(calls: readonly ToolCall[]): ToolGroup[] {
  const groups: ToolGroup[] = [];
  for (const call of calls) {
    const above = groups.at(-1);
    if (above && above.name === call.name && FOLDS.includes(above.status) && FOLDS.includes(call.status)) {
      above.calls.push(call);
      if (above.status === "ok") above.status = call.status;
    } else {
      groups.push({ key: call.callId, name: call.name, status: call.status, calls: [call] });
    }
  }
  return groups;
}
