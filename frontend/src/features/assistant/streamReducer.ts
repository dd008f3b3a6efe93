import type { Frame } from "@/api/chat";
import type { DoneReason, StreamEvent, Usage } from "@/api/events";
import { newerProposal } from "@/api/proposals";
import type { Proposal, RecordRef, ReplyNotice, ToolCall } from "@/api/types";

export type TurnEnd =
  | { kind: "done"; reason: DoneReason }
  | { kind: "error"; code: string; message: string; requestId?: string; retryable: boolean }
  /** The connection could not be taken up again; the stored conversation tells how the turn ended. */
  | { kind: "lost" };

export type Phase = "sending" | "streaming" | "reconnecting" | "finished";

/** A turn as its events tell it. `runId` is the client's own name for it, known before the server answers. */
export type Run = {
  runId: string;
  message: string;
  /** The record that was on screen with the message, and went with it. */
  context?: RecordRef;
  phase: Phase;
  turnId?: string;
  conversationId?: string;
  messageId?: string;
  lastSeq: number;
  /** An event is missing: the events after lastSeq have to be read again. */
  gap: boolean;
  /** The text, one part for each stretch between tool events. */
  parts: string[];
  tools: ToolCall[];
  proposals: Proposal[];
  refs: RecordRef[];
  notices: ReplyNotice[];
  /** The model did not answer and is tried again. */
  retrying: boolean;
  usage?: Usage;
  end?: TurnEnd;
};

export type StreamAction =
  | ({ type: "begin" } & Pick<Run, "runId" | "message" | "context" | "turnId" | "conversationId" | "messageId">)
  /** The message was taken, and this is its turn. */
  | { type: "taken"; runId: string; turnId: string }
  | { type: "frame"; runId: string; frame: Frame }
  | { type: "dropped"; runId: string }
  | { type: "lost"; runId: string }
  | { type: "refused"; runId: string }
  | { type: "clear" };

/** The one place where the events of a chat turn become what is shown. Pure; null means that no turn is shown. */
export function streamReducer(run: Run | null, action: StreamAction): Run | null {
  if (action.type === "begin") return begin(action);
  if (!run || action.type === "clear") return null;
  if (action.runId !== run.runId) return run;
  switch (action.type) {
    case "taken":
      return { ...run, turnId: action.turnId };
    case "frame":
      return onFrame(run, action.frame);
    case "dropped":
      return run.end ? run : { ...run, phase: "reconnecting", gap: false };
    case "lost":
      return run.end ? run : finish(run, { kind: "lost" });
    case "refused":
      return null;
  }
}

/** The text of a run, with a blank line where tools ran in between. */
export function textOf(run: Run): string {
  return run.parts.filter(Boolean).join("\n\n");
}

function begin(action: Extract<StreamAction, { type: "begin" }>): Run {
  const { runId, message, context, turnId, conversationId, messageId } = action;
  return {
    runId,
    message,
    ...(context && { context }),
    phase: turnId ? "reconnecting" : "sending",
    ...(turnId && { turnId }),
    ...(conversationId && { conversationId }),
    ...(messageId && { messageId }),
    lastSeq: 0,
    gap: false,
    parts: [""],
    tools: [],
    proposals: [],
    refs: [],
    notices: [],
    retrying: false,
  };
}

function onFrame(run: Run, { seq, event }: Frame): Run {
  if (run.end || run.gap || seq <= run.lastSeq) return run;
  if (seq > run.lastSeq + 1) return { ...run, gap: true };
  if (event.type === "start" && run.turnId !== undefined && run.turnId !== event.turnId) return run;
  return apply({ ...run, lastSeq: seq, phase: "streaming" }, event);
}

function apply(run: Run, event: StreamEvent): Run {
  switch (event.type) {
    case "start":
      return { ...run, turnId: event.turnId, conversationId: event.conversationId, messageId: event.messageId };
    case "token":
      return { ...run, retrying: false, parts: [...run.parts.slice(0, -1), (run.parts.at(-1) ?? "") + event.delta] };
    case "reset":
      return { ...run, parts: [...run.parts.slice(0, -1), ""] };
    case "tool_start":
      return withTool(run, { ...pick(event), status: event.args === undefined ? "preparing" : "running" });
    case "tool_end":
      return withTool(run, pick(event));
    case "proposal":
      return withProposal(run, event.proposal);
    case "records":
      return { ...run, refs: mergeRefs(run.refs, event.refs) };
    case "usage":
      return { ...run, retrying: false, usage: usageOf(event) };
    case "notice":
      return { ...run, retrying: event.code === "RETRYING", notices: [...run.notices, noticeOf(event)] };
    case "done":
      return finish(
        { ...run, messageId: event.messageId || run.messageId || "", ...(event.usage && { usage: event.usage }) },
        { kind: "done", reason: event.reason },
      );
    case "error": {
      const { code, message, requestId, retryable } = event;
      return finish(run, { kind: "error", code, message, retryable, ...(requestId && { requestId }) });
    }
    default:
      // An event of a newer server: its number counts, its content does not.
      return run;
  }
}

// A call that never ended is not running any more once the turn is over.
function finish(run: Run, end: TurnEnd): Run {
  const tools = run.tools.map((tool) => (isOpen(tool) ? { ...tool, status: "stopped" as const } : tool));
  return { ...run, phase: "finished", gap: false, retrying: false, tools, end };
}

function isOpen(tool: ToolCall): boolean {
  return tool.status === "running" || tool.status === "preparing";
}

type ToolEvent = Extract<StreamEvent, { type: "tool_start" | "tool_end" }>;

// The word "type" is the event's, not the call's.
function pick<E extends ToolEvent>(event: E): Omit<E, "type"> {
  const { type: _type, ...fields } = event;
  return fields;
}

function withTool(run: Run, call: Partial<ToolCall> & Pick<ToolCall, "callId" | "name" | "status">): Run {
  const known = run.tools.some(({ callId }) => callId === call.callId);
  const tools = known
    ? run.tools.map((tool) => (tool.callId === call.callId ? { ...tool, ...call } : tool))
    : [...run.tools, { label: call.name, ...call }];
  return { ...run, retrying: false, tools, parts: run.parts.at(-1) ? [...run.parts, ""] : run.parts };
}

function withProposal(run: Run, proposal: Proposal): Run {
  const known = run.proposals.find(({ id }) => id === proposal.id);
  if (!known) return { ...run, proposals: [...run.proposals, proposal] };
  const next = newerProposal(known, proposal);
  return { ...run, proposals: run.proposals.map((item) => (item.id === next.id ? next : item)) };
}

function mergeRefs(known: RecordRef[], more: RecordRef[]): RecordRef[] {
  return [...new Map([...known, ...more].map((ref) => [`${ref.type}/${ref.id}`, ref])).values()];
}

function noticeOf(event: Extract<StreamEvent, { type: "notice" }>): ReplyNotice {
  const { type: _type, ...notice } = event;
  return notice;
}

function usageOf(event: Extract<StreamEvent, { type: "usage" }>): Usage {
  const { type: _type, ...usage } = event;
  return usage;
}
