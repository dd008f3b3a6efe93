import { describe, expect, it } from "vitest";

import type { StreamEvent } from "@/api/events";
import { NOTHING_USED } from "@/test/events";
import { proposalOf } from "@/test/proposal";

import { streamReducer, textOf, type Run, type StreamAction } from "./streamReducer";

const START: StreamEvent = { type: "start", turnId: "turn-1", conversationId: "conv-1", messageId: "msg-1" };
const TOOL_START: StreamEvent = {
  type: "tool_start",
  callId: "c1",
  name: "get_deal",
  label: "Look up deal",
  args: { deal: "Acme" },
};
const TOOL_END: StreamEvent = {
  type: "tool_end",
  callId: "c1",
  name: "get_deal",
  status: "ok",
  summary: "Acme renewal",
  result: { id: "deal-1" },
  ms: 12,
};
const DONE: StreamEvent = { type: "done", reason: "stop", messageId: "msg-1", usage: NOTHING_USED };

const token = (delta: string): StreamEvent => ({ type: "token", delta });
const frame = (seq: number, event: StreamEvent, runId = "run-1"): StreamAction => ({
  type: "frame",
  runId,
  frame: { seq, event },
});

function play(actions: StreamAction[], from: Run | null = null): Run | null {
  return actions.reduce(streamReducer, from);
}

function run(...events: StreamEvent[]): Run {
  const actions = events.map((event, index) => frame(index + 1, event));
  const state = play([{ type: "begin", runId: "run-1", message: "Hello" }, ...actions]);
  if (!state) throw new Error("no run");
  return state;
}

describe("a turn", () => {
  it("shows the message before any answer", () => {
    expect(run()).toMatchObject({ message: "Hello", phase: "sending", lastSeq: 0, parts: [""] });
  });

  it("takes ids from start, text from tokens, and ends with done", () => {
    const state = run(START, token("Good "), token("morning."), DONE);
    expect(state).toMatchObject({
      turnId: "turn-1",
      conversationId: "conv-1",
      messageId: "msg-1",
      phase: "finished",
      end: { kind: "done", reason: "stop" },
      lastSeq: 4,
    });
    expect(textOf(state)).toBe("Good morning.");
  });

  it("keeps code, sentence and request id of an error", () => {
    const error: StreamEvent = {
      type: "error",
      code: "UNAVAILABLE",
      message: "Try later.",
      requestId: "r",
      retryable: true,
    };
    expect(run(START, error).end).toEqual({
      kind: "error",
      code: "UNAVAILABLE",
      message: "Try later.",
      requestId: "r",
      retryable: true,
    });
  });

  it("collects records once each, notices and usage", () => {
    const refs = [{ type: "deal", id: "1", name: "Acme" }];
    const usage: StreamEvent = {
      type: "usage",
      promptTokens: 5,
      completionTokens: 2,
      cachedTokens: 0,
      known: true,
      rounds: 1,
    };
    const state = run(
      START,
      { type: "records", refs },
      { type: "records", refs: [...refs, { type: "company", id: "1", name: "Acme Ltd" }] },
      { type: "notice", code: "retrying", text: "Trying again." },
      usage,
    );
    expect(state.refs.map(({ name }) => name)).toEqual(["Acme", "Acme Ltd"]);
    expect(state.notices).toEqual([{ code: "retrying", text: "Trying again." }]);
    expect(state.usage).toEqual({ promptTokens: 5, completionTokens: 2, cachedTokens: 0, known: true, rounds: 1 });
  });

  it("counts an event of an unknown type and shows nothing for it", () => {
    const state = run(START, { type: "hologram" } as unknown as StreamEvent, token("x"));
    expect([state.lastSeq, textOf(state)]).toEqual([3, "x"]);
  });
});

describe("the order of events", () => {
  it.each([
    ["a duplicate", [1, 2, 2, 3]],
    ["a replay from the beginning", [1, 2, 1, 2, 3]],
    ["an older event after a newer one", [1, 2, 3, 2]],
  ])("ignores %s", (_, seqs) => {
    const events = [START, token("a"), token("b")];
    const state = play([
      { type: "begin", runId: "run-1", message: "" },
      ...seqs.map((seq) => frame(seq, events[seq - 1] as StreamEvent)),
    ]);
    expect(state && textOf(state)).toBe("ab");
    expect(state?.gap).toBe(false);
  });

  it("notices a gap, applies nothing until it is read again, and then goes on", () => {
    const gap = play([frame(4, token("d"))], run(START, token("a")));
    expect(gap).toMatchObject({ gap: true, lastSeq: 2, parts: ["a"] });
    expect(play([frame(3, token("c"))], gap)).toBe(gap);
    const state = play([{ type: "dropped", runId: "run-1" }, frame(3, token("c")), frame(4, token("d"))], gap);
    expect(state && textOf(state)).toBe("acd");
    expect(state?.gap).toBe(false);
  });

  it("gives the same state for a stream that dropped and was read again with overlap", () => {
    const events = [START, token("a"), TOOL_START, TOOL_END, token("b"), DONE];
    const whole = run(...events);
    for (let cut = 1; cut < events.length; cut++) {
      const first = events.slice(0, cut).map((event, index) => frame(index + 1, event));
      const again = events.map((event, index) => frame(index + 1, event)).slice(Math.max(0, cut - 2));
      const begin: StreamAction = { type: "begin", runId: "run-1", message: "Hello" };
      expect(play([begin, ...first, { type: "dropped", runId: "run-1" }, ...again])).toEqual(whole);
    }
  });

  it("takes exactly one terminal event; nothing after it counts", () => {
    const ended = run(START, DONE);
    const late = [
      frame(3, token("late")),
      frame(3, { type: "error", code: "X", message: "x", requestId: "r", retryable: false }),
      { type: "dropped", runId: "run-1" } as const,
      { type: "lost", runId: "run-1" } as const,
    ];
    for (const action of late) expect(streamReducer(ended, action)).toBe(ended);
  });
});

describe("other turns", () => {
  it("drops the events of another run", () => {
    const state = run(START);
    expect(streamReducer(state, frame(2, token("foreign"), "run-0"))).toBe(state);
    expect(streamReducer(state, { type: "lost", runId: "run-0" })).toBe(state);
    expect(streamReducer(null, frame(1, START))).toBeNull();
  });

  it("drops a start that names another turn", () => {
    const begin: StreamAction = {
      type: "begin",
      runId: "run-1",
      message: "",
      turnId: "turn-9",
      messageId: "m",
      conversationId: "c",
    };
    const state = play([begin]);
    expect(state?.phase).toBe("reconnecting");
    expect(streamReducer(state, frame(1, START))).toBe(state);
  });

  it("forgets a refused run and a cleared one", () => {
    expect(streamReducer(run(), { type: "refused", runId: "run-1" })).toBeNull();
    expect(streamReducer(run(START), { type: "clear" })).toBeNull();
  });
});

describe("tools", () => {
  it("go from preparing to running to their end, in call order", () => {
    const { args: _args, ...bare } = TOOL_START as Extract<StreamEvent, { type: "tool_start" }>;
    const preparing = run(START, bare);
    expect(preparing.tools).toMatchObject([{ callId: "c1", status: "preparing" }]);
    const running = play([frame(3, TOOL_START), frame(4, { ...TOOL_START, callId: "c2" })], preparing);
    expect(running?.tools.map(({ callId, status }) => [callId, status])).toEqual([
      ["c1", "running"],
      ["c2", "running"],
    ]);
    const ended = play([frame(5, { ...TOOL_END, callId: "c2", status: "denied" }), frame(6, TOOL_END)], running);
    expect(ended?.tools).toMatchObject([
      { callId: "c1", status: "ok", label: "Look up deal", args: { deal: "Acme" }, summary: "Acme renewal", ms: 12 },
      { callId: "c2", status: "denied" },
    ]);
    expect(ended?.tools[0]).not.toHaveProperty("type");
  });

  it("that never ended are stopped when the turn is over", () => {
    expect(run(START, TOOL_START, { ...DONE, reason: "stopped" } as StreamEvent).tools[0]?.status).toBe("stopped");
    expect(play([{ type: "lost", runId: "run-1" }], run(START, TOOL_START))).toMatchObject({
      end: { kind: "lost" },
      tools: [{ status: "stopped" }],
    });
  });

  it("part the text, and reset drops only what came since the last tool event", () => {
    const state = run(
      START,
      token("Let me look."),
      TOOL_START,
      TOOL_END,
      token("Perhaps"),
      { type: "reset" },
      token("Found it."),
    );
    expect(textOf(state)).toBe("Let me look.\n\nFound it.");
    expect(textOf(run(START, token("Wrong"), { type: "reset" }, token("Right")))).toBe("Right");
  });
});

describe("proposals", () => {
  const proposal = proposalOf();

  it("are one card each, however often the event comes", () => {
    const state = run(START, { type: "proposal", proposal }, { type: "proposal", proposal });
    expect(state.proposals).toEqual([proposal]);
  });

  it("are replaced by a later state of theirs, in their place", () => {
    const executed = proposalOf({ status: "executed" });
    const other = proposalOf({ id: "prop-2" });
    const state = run(START, ...[proposal, other, executed].map((p) => ({ type: "proposal" as const, proposal: p })));
    expect(state.proposals).toEqual([executed, other]);
  });

  it("never become pending again, whatever is replayed", () => {
    const state = run(
      START,
      { type: "proposal", proposal: proposalOf({ status: "cancelled" }) },
      { type: "proposal", proposal },
    );
    expect(state.proposals[0]?.status).toBe("cancelled");
  });
});
