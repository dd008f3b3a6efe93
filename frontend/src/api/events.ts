// The events of a turn. The OpenAPI document knows a stream as text only, so these shapes are written by hand
// after agent/event.go.

import type { Proposal, RecordRef, ReplyNotice, ToolError, ToolStatus } from "./types";

export type Usage = {
  promptTokens: number;
  completionTokens: number;
  cachedTokens: number;
  cost?: string;
  currency?: string;
  known: boolean;
  rounds: number;
};
export type DoneReason = "stop" | "finish_tool" | "awaiting_confirmation" | "max_rounds" | "length" | "stopped";
export type StreamEvent =
  | { type: "start"; turnId: string; conversationId: string; messageId: string }
  | { type: "token"; delta: string }
  | { type: "tool_start"; callId: string; name: string; label: string; args?: unknown }
  | {
      type: "tool_end";
      callId: string;
      name: string;
      status: Exclude<ToolStatus, "preparing" | "running">;
      summary: string;
      result: unknown;
      error?: ToolError;
      ms: number;
    }
  | { type: "proposal"; proposal: Proposal }
  | { type: "records"; refs: RecordRef[] }
  | ({ type: "usage" } & Usage)
  | ({ type: "notice" } & ReplyNotice)
  | { type: "reset" }
  | { type: "done"; reason: DoneReason; messageId: string; usage: Usage }
  | { type: "error"; code: string; message: string; requestId: string; retryable: boolean };
