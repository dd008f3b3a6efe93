import { stopTurn, streamChat, streamTurn, type Frame, type OnFrame } from "@/api/chat";
import { ApiError } from "@/api/client";
import type { ChatInput, RecordRef } from "@/api/types";

import { streamReducer, type Run, type StreamAction } from "./streamReducer";

/** What the panel wants to know as soon as it happens, whether or not it is on screen. */
export type TurnListener = {
  /** The server has acknowledged the message. */
  onStart?: (run: Run) => void;
  onFrame?: (frame: Frame) => void;
  /** The turn is over, or its events cannot be had any more. */
  onEnd?: (run: Run) => void;
};

/** A message, and the record on screen with it. */
export type Outgoing = Omit<ChatInput, "context"> & { context?: RecordRef };

const BACK_OFF_MS = [250, 500, 1_000, 2_000, 4_000, 8_000, 8_000];

/**
 * Runs one turn at a time outside of React, so that no navigation ends it. Letting go (`detach`) leaves
 * the server at work; only `stop` ends the turn itself.
 */
export class TurnStore {
  #run: Run | null = null;
  #abort: AbortController | undefined;
  #drawing = false;
  #onAccepted: (() => void) | undefined;
  readonly #subscribers = new Set<() => void>();
  readonly #listener: TurnListener;
  readonly #backOff: readonly number[];

  constructor(listener: TurnListener, backOff: readonly number[] = BACK_OFF_MS) {
    this.#listener = listener;
    this.#backOff = backOff;
  }

  readonly subscribe = (changed: () => void): (() => void) => {
    this.#subscribers.add(changed);
    return () => this.#subscribers.delete(changed);
  };

  readonly current = (): Run | null => this.#run;

  /**
   * Sends a message and follows the turn to its end. Calls back once the server has acknowledged the
   * message; throws ApiError when it was not taken.
   */
  async send({ context, ...input }: Outgoing, onAccepted?: () => void): Promise<void> {
    const { runId, signal } = this.#begin({ message: input.message, ...(context && { context }) });
    const body = { ...input, ...(context && { context: { type: context.type, id: context.id } }) };
    this.#onAccepted = onAccepted;
    const onTurn = (turnId: string) => {
      this.#dispatch({ type: "taken", runId, turnId });
    };
    try {
      await this.#read(runId, signal, (onFrame, connection) => streamChat(body, onTurn, onFrame, connection));
      if (!signal.aborted && !this.#run?.turnId) throw new ApiError({ status: 0, code: "NETWORK", detail: "" });
    } catch (error) {
      if (signal.aborted) return;
      this.#dispatch({ type: "refused", runId });
      throw error;
    }
    await this.#follow(runId, signal);
  }

  /** Takes up a turn that runs on the server, from its first event. */
  async attach(turn: { turnId: string; conversationId: string; messageId: string; message: string }): Promise<void> {
    const { runId, signal } = this.#begin(turn);
    await this.#follow(runId, signal);
  }

  /** Asks the server to end the turn; its last events still arrive. */
  async stop(): Promise<void> {
    if (this.#run?.turnId && !this.#run.end) await stopTurn(this.#run.turnId);
  }

  /** Lets go of the turn: nothing it says any more reaches the screen. */
  detach(): void {
    this.#abort?.abort();
    this.#dispatch({ type: "clear" });
  }

  #begin(fields: Omit<Extract<StreamAction, { type: "begin" }>, "type" | "runId">) {
    this.#abort?.abort();
    this.#abort = new AbortController();
    this.#onAccepted = undefined;
    const runId = newRunId();
    this.#dispatch({ type: "begin", runId, ...fields });
    return { runId, signal: this.#abort.signal };
  }

  async #follow(runId: string, signal: AbortSignal): Promise<void> {
    let failures = 0;
    while (!signal.aborted && this.#run?.turnId && !this.#run.end) {
      const { turnId, lastSeq } = this.#run;
      this.#dispatch({ type: "dropped", runId });
      await delay(this.#backOff[failures] ?? 0, signal);
      const answered = await this.#resume(runId, turnId, lastSeq, signal);
      failures = this.#run.lastSeq > lastSeq ? 0 : failures + 1;
      if (!answered || failures >= this.#backOff.length) break;
    }
    if (signal.aborted || !this.#run || this.#run.end) return;
    this.#dispatch({ type: "lost", runId });
    this.#listener.onEnd?.(this.#run);
  }

  /** False when the server has said that there is nothing to take up. */
  async #resume(runId: string, turnId: string, after: number, signal: AbortSignal): Promise<boolean> {
    try {
      await this.#read(runId, signal, (onFrame, connection) => streamTurn(turnId, after, onFrame, connection));
      return true;
    } catch (error) {
      const status = error instanceof ApiError ? error.problem.status : 0;
      return status === 0 || status === 429 || status >= 500;
    }
  }

  // A gap ends the connection: what is missing is read again by the next one.
  async #read(runId: string, signal: AbortSignal, open: (onFrame: OnFrame, signal: AbortSignal) => Promise<void>) {
    const connection = new AbortController();
    const onFrame: OnFrame = (frame) => {
      if (signal.aborted) return;
      this.#onFrame(runId, frame);
      if (this.#run?.gap || this.#run?.end) connection.abort();
    };
    await open(onFrame, AbortSignal.any([signal, connection.signal]));
  }

  #onFrame(runId: string, frame: Frame): void {
    const before = this.#run;
    this.#dispatch({ type: "frame", runId, frame });
    const after = this.#run;
    if (!after || after === before || after.gap) return;
    this.#listener.onFrame?.(frame);
    if (frame.event.type === "start") {
      this.#listener.onStart?.(after);
      this.#onAccepted?.();
    }
    if (after.end) this.#listener.onEnd?.(after);
  }

  #dispatch(action: StreamAction): void {
    const next = streamReducer(this.#run, action);
    if (next === this.#run) return;
    this.#run = next;
    if (action.type === "frame" && action.frame.event.type === "token") this.#tellNextFrame();
    else this.#tell();
  }

  // Text may come faster than it can be drawn.
  #tellNextFrame(): void {
    if (this.#drawing) return;
    this.#drawing = true;
    requestAnimationFrame(() => {
      if (this.#drawing) this.#tell();
    });
  }

  #tell(): void {
    this.#drawing = false;
    for (const changed of this.#subscribers) changed();
  }
}

let runs = 0;

function newRunId(): string {
  runs += 1;
  return `run-${String(runs)}`;
}

function delay(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      "abort",
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}
