import { describe, expect, it } from "vitest";

import type { Message } from "@/api/types";

import { proposalOf } from "@/test/proposal";

import { streamReducer, type Run } from "./streamReducer";
import { messagesOf, threadOf } from "./view";

const message = (id: string, role: Message["role"], content: string, turnId?: string): Message => ({
  id,
  seq: 1,
  role,
  content,
  status: "complete",
  toolCalls: [],
  proposals: [],
  refs: [],
  notices: [],
  createdAt: "2026-11-29T04:00:00Z",
  ...(turnId && { turnId }),
});

function runOf(text: string): Run {
  const start = { type: "start", turnId: "t2", conversationId: "c", messageId: "m4" } as const;
  return [
    { type: "begin", runId: "r", message: "second" } as const,
    { type: "frame", runId: "r", frame: { seq: 1, event: start } } as const,
    { type: "frame", runId: "r", frame: { seq: 2, event: { type: "token", delta: text } } } as const,
  ].reduce<Run | null>(streamReducer, null) as Run;
}

const older = [message("m1", "user", "first", "t1"), message("m2", "assistant", "answer", "t1")];
const texts = (stored: Message[], run: Run | null) => threadOf(stored, run).map(({ text }) => text);

it("shows the stored conversation when no turn runs", () => {
  expect(texts(older, null)).toEqual(["first", "answer"]);
});

it("puts a turn that is not stored yet at the end", () => {
  expect(texts(older, runOf("live"))).toEqual(["first", "answer", "second", "live"]);
});

it.each([
  ["with", "t2"],
  ["without", undefined],
])("shows the live turn once, its words stored %s the turn's id", (_, turnId) => {
  const stored = [...older, message("m3", "user", "second", turnId), message("m4", "assistant", "li", "t2")];
  expect(texts(stored, runOf("live"))).toEqual(["first", "answer", "second", "live"]);
});

it("keeps what was said after the turn, such as an outcome, below it", () => {
  const stored = [
    ...older,
    message("m3", "user", "second", "t2"),
    message("m4", "assistant", "live", "t2"),
    message("m5", "assistant", "Moved to Won.", "t2"),
  ];
  expect(texts(stored, runOf("live"))).toEqual(["first", "answer", "second", "live", "Moved to Won."]);
});

it("has the undo of a live turn's change, which came after its events", () => {
  const undo = proposalOf({ id: "prop-2", undoesId: "prop-1" });
  const stored = [...older, { ...message("m4", "assistant", "live", "t2"), proposals: [proposalOf(), undo] }];
  expect(threadOf(stored, runOf("live")).at(-1)?.proposals).toEqual([undo]);
});

it("turns a finished run into messages that show the same", () => {
  const run = runOf("live");
  expect(texts([...older, ...messagesOf(run, "2026-11-29T04:00:00Z")], null)).toEqual(texts(older, run));
});

it("shows the notices of a stored answer, which mark the same figures as while it came", () => {
  const notices = [{ code: "UNVERIFIED_FIGURES", text: "Unverified: 7", marks: [{ start: 0, end: 1, text: "7" }] }];
  const event = { type: "notice", ...notices[0] } as const;
  const run = streamReducer(runOf("7"), { type: "frame", runId: "r", frame: { seq: 3, event: event as never } }) as Run;
  expect(run.notices).toEqual(notices);
  expect(messagesOf(run, "2026-11-29T04:00:00Z")[1]?.notices).toEqual(notices);
  const stored = [{ ...message("m4", "assistant", "7", "t2"), notices }];
  expect(threadOf(stored, null)[0]?.notices).toEqual(notices);
});

it("keeps how a turn of this tab failed, for as long as the stored answer is a failed one", () => {
  const end = { kind: "error", code: "MODEL_UNAUTHORIZED", message: "No.", retryable: false } as const;
  const kept = { contexts: new Map(), ends: new Map([["t1", end]]) };
  const stored = older.map((each) => ({ ...each, status: "failed" as const }));
  expect(threadOf(stored, null, kept)[1]?.end).toEqual(end);
  expect(threadOf(older, null, kept)[1]?.end).toBeUndefined();
});

describe("that the model is tried again", () => {
  const retrying = { code: "RETRYING", text: "The model did not answer, trying again." };
  const unverified = { code: "UNVERIFIED", text: "Not verified." };
  const shown = (run: Partial<Run>) =>
    threadOf([], { ...runOf("Hi"), notices: [retrying, unverified, retrying], ...run }).at(-1)?.notices;

  it("is said once, while it is", () => {
    expect(shown({ retrying: true })).toEqual([unverified, retrying]);
  });

  it("is not said any more once there is an answer or a failure", () => {
    expect(shown({ retrying: false })).toEqual([unverified]);
    expect(shown({ retrying: true, end: { kind: "lost" } })).toEqual([unverified]);
  });
});
