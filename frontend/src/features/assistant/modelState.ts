import type { QueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef } from "react";

import { modelStatusKeys } from "@/api/modelStatus";
import type { ModelStatus } from "@/api/types";
import { useStill } from "@/lib/hooks";

import { searchFor } from "./searchFor";
import { textOf, type Run } from "./streamReducer";

/** After this long without a word of the model the person is offered a search. */
export const OVERDUE_MS = 8_000;

/** The same for a model that is being tried again. */
export const RETRYING_MS = 4_000;

/** What only searches say, which ask no model. */
const SEARCHED = ["NO_MODEL", "MODEL_DOWN"];

/** Whether there is nothing to see of a turn, because its model has not answered. */
export function waitsForModel(run: Run): boolean {
  if (run.end || run.message.startsWith("/") || run.notices.some(({ code }) => SEARCHED.includes(code))) return false;
  return run.retrying || (run.tools.length === 0 && textOf(run) === "");
}

/** Turns true when the model keeps the person waiting, ten seconds after sending at the latest. */
export function useOverdue(run: Run | null): boolean {
  const waiting = run && waitsForModel(run) ? run.runId : undefined;
  const late = useStill(waiting, OVERDUE_MS);
  const tired = useStill(run?.retrying ? waiting : undefined, RETRYING_MS);
  return run?.turnId !== undefined && (late || tired);
}

/** Whether the end of a turn tells of a change: a failure, a budget, or an answer of a model thought to be down. */
export function tellsOfModel({ end, notices, usage }: Run, known: ModelStatus | undefined): boolean {
  if (end?.kind === "error" || notices.some(({ code }) => code === "BUDGET_REACHED")) return true;
  return end?.kind === "done" && (usage?.rounds ?? 0) > 0 && known !== undefined && known.state !== "ready";
}

/** Asks for the status of the model again after a turn that tells of a change. */
export function noteEnd(client: QueryClient, run: Run): void {
  if (tellsOfModel(run, client.getQueryData(modelStatusKeys.all))) {
    void client.invalidateQueries({ queryKey: modelStatusKeys.all });
  }
}

/** Ends the turn that runs and, once it is over, searches for what was asked. An answer that comes first stands. */
export function useStopAndSearch(run: Run | null, stop: () => Promise<void>, send: (text: string) => void): () => void {
  const wanted = useRef<string>(undefined);
  useEffect(() => {
    if (!run?.end || wanted.current !== run.runId) return;
    wanted.current = undefined;
    if (run.end.kind !== "done" || run.end.reason === "stopped") send(searchFor(run.message));
  }, [run, send]);
  return useCallback(() => {
    wanted.current = run?.runId;
    stop().catch(() => undefined);
  }, [run, stop]);
}
