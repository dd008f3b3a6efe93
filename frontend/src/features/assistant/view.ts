import type { Message, MessageStatus, Proposal, RecordRef, ReplyNotice, ToolCall } from "@/api/types";

import { textOf, type Run, type TurnEnd } from "./streamReducer";

/** A message as the thread shows it, whether it comes from the stream or from the stored conversation. */
export type MessageView = {
  key: string;
  role: "user" | "assistant";
  text: string;
  status: MessageStatus;
  tools: ToolCall[];
  proposals: Proposal[];
  refs: RecordRef[];
  /** The record on screen that went with a message of the person. */
  context?: RecordRef;
  notices: ReplyNotice[];
  usage?: Run["usage"];
  end?: TurnEnd;
};

/** What this tab knows of its turns and the server does not keep. */
export type Kept = {
  /** Which record went with the message of a turn. */
  contexts: ReadonlyMap<string, RecordRef>;
  /** How a turn failed, in the words that were read. */
  ends: ReadonlyMap<string, TurnEnd>;
};

const NOTHING_KEPT: Kept = { contexts: new Map(), ends: new Map() };

/** The thread: the stored messages, with the live turn in the place of its own stored form. */
export function threadOf(stored: readonly Message[], run: Run | null, kept: Kept = NOTHING_KEPT): MessageView[] {
  if (!run) return stored.map((message) => storedView(message, kept));
  const replaced = ownMessages(stored, run);
  const own = new Set(replaced.map(({ id }) => id));
  const live = liveViews(withUndos(run, replaced));
  const views = stored.flatMap((message) => {
    if (!own.has(message.id)) return [storedView(message, kept)];
    return live.splice(0);
  });
  return [...views, ...live];
}

/** The run with the undos of its changes, which come after its events. */
function withUndos(run: Run, stored: readonly Message[]): Run {
  const undos = stored.flatMap(({ proposals }) => proposals).filter(({ undoesId }) => undoesId);
  return { ...run, proposals: [...run.proposals, ...undos] };
}

// The words of the person may be stored without the turn's id; they stand right before the reply.
function ownMessages(stored: readonly Message[], run: Run): Message[] {
  const reply = stored.findIndex(({ id }) => id === run.messageId);
  return stored.filter(
    (message, index) =>
      message.id === run.messageId ||
      (run.turnId !== undefined && message.turnId === run.turnId && (message.role === "user" || index === reply)) ||
      (index === reply - 1 && message.role === "user"),
  );
}

function storedView(message: Message, { contexts, ends }: Kept): MessageView {
  const context = message.role === "user" && message.turnId ? contexts.get(message.turnId) : undefined;
  const end = message.status === "failed" && message.turnId ? ends.get(message.turnId) : undefined;
  return {
    key: message.id,
    role: message.role,
    text: message.content,
    status: message.status,
    tools: message.toolCalls,
    proposals: message.proposals,
    refs: message.refs,
    notices: message.notices,
    ...(context && { context }),
    ...(end && { end }),
  };
}

function liveViews(run: Run): MessageView[] {
  const none = { tools: [], proposals: [], refs: [], notices: [] };
  const views: MessageView[] = [];
  const { message, context } = run;
  if (message) {
    const words = { key: `${run.runId}-message`, role: "user" as const, text: message, status: "complete" as const };
    views.push({ ...words, ...none, ...(context && { context }) });
  }
  const { tools, proposals, refs, usage, end } = run;
  const status = end ? statusOf(end) : "running";
  const reply = { role: "assistant" as const, text: textOf(run), status, tools, proposals, refs, notices: noticesOf(run) };
  views.push({ key: `${run.runId}-reply`, ...reply, ...(usage && { usage }), ...(end && { end }) });
  return views;
}

/** That the model is tried again is said once, and only as long as it is. */
function noticesOf({ notices, retrying, end }: Run): ReplyNotice[] {
  const isRetry = ({ code }: ReplyNotice) => code === "RETRYING";
  const others = notices.filter((notice) => !isRetry(notice));
  const retry = retrying && !end ? notices.findLast(isRetry) : undefined;
  return retry ? [...others, retry] : others;
}

function statusOf(end: TurnEnd): MessageStatus {
  if (end.kind !== "done") return "failed";
  return end.reason === "stopped" ? "stopped" : "complete";
}

/** What a finished turn leaves in the stored conversation, until the server's own words are read. */
export function messagesOf(run: Run, now: string): Message[] {
  const common = { createdAt: now, ...(run.turnId && { turnId: run.turnId }) };
  const seq = Number.MAX_SAFE_INTEGER;
  return [
    {
      ...common,
      id: `${run.runId}-message`,
      seq: seq - 1,
      role: "user",
      content: run.message,
      status: "complete",
      toolCalls: [],
      proposals: [],
      refs: [],
      notices: [],
    },
    {
      ...common,
      id: run.messageId ?? `${run.runId}-reply`,
      seq,
      role: "assistant",
      content: textOf(run),
      status: run.end ? statusOf(run.end) : "running",
      toolCalls: run.tools,
      proposals: run.proposals,
      refs: run.refs,
      notices: run.notices,
    },
  ];
}
