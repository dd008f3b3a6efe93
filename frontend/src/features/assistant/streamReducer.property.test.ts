import fc from "fast-check";
import { expect, it } from "vitest";

import type { Frame } from "@/api/chat";
import { proposalOf } from "@/test/proposal";

import { streamReducer, type Run, type StreamAction } from "./streamReducer";

type Event = Frame["event"];

const callId = fc.constantFrom("c1", "c2", "c3");
const inner: fc.Arbitrary<Event> = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 6 }).map((delta) => ({ type: "token" as const, delta })),
  callId.map((id) => ({ type: "tool_start" as const, callId: id, name: "get_deal", label: "Look up", args: { id } })),
  fc.record({ callId, status: fc.constantFrom("ok" as const, "failed" as const) }).map(({ callId: id, status }) => ({
    type: "tool_end" as const,
    callId: id,
    name: "get_deal",
    status,
    summary: "",
    result: null,
    ms: 1,
  })),
  fc
    .record({
      id: fc.constantFrom("p1", "p2"),
      status: fc.constantFrom("pending" as const, "executed" as const, "cancelled" as const),
    })
    .map((fields) => ({ type: "proposal" as const, proposal: proposalOf({ ...fields, expiresAt: "2026-11-29" }) })),
  fc
    .constantFrom("1", "2", "3")
    .map((id) => ({ type: "records" as const, refs: [{ type: "deal", id, name: `Deal ${id}` }] })),
  fc.constant({ type: "notice" as const, code: "RETRYING", text: "Trying again." }),
  fc.constant({ type: "reset" as const }),
);
const usage = { promptTokens: 9, completionTokens: 3, cachedTokens: 0, known: true, rounds: 2 };
const last: fc.Arbitrary<Event> = fc.oneof(
  fc
    .constantFrom("stop" as const, "length" as const, "stopped" as const, "awaiting_confirmation" as const)
    .map((reason) => ({ type: "done" as const, reason, messageId: "m1", usage })),
  fc.constant({ type: "error" as const, code: "TIMEOUT", message: "Too slow.", requestId: "r1", retryable: true }),
);

/** A whole turn, as the server tells it. */
const turn: fc.Arbitrary<Frame[]> = fc
  .tuple(fc.array(inner, { maxLength: 25 }), last)
  .map(([events, end]) =>
    [{ type: "start" as const, turnId: "t1", conversationId: "v1", messageId: "m1" }, ...events, end].map(
      (event, index) => ({ seq: index + 1, event }),
    ),
  );

const RUN = "run-1";
const begin: StreamAction = { type: "begin", runId: RUN, message: "Hello" };
const dropped: StreamAction = { type: "dropped", runId: RUN };
const frame = (item: Frame | undefined): StreamAction[] =>
  item ? [{ type: "frame", runId: RUN, frame: item }] : [dropped];

function play(actions: readonly StreamAction[], from: Run | null = null): Run {
  const run = actions.reduce(streamReducer, from);
  if (!run) throw new Error("no run");
  return run;
}

/** What a turn has told, whatever the connection did meanwhile. */
function told(run: Run): object {
  return { ...run, phase: undefined, gap: undefined };
}

it("tells the same, in whatever order, how often and with whatever holes the frames arrive", () => {
  fc.assert(
    fc.property(turn, fc.array(fc.nat({ max: 60 }), { maxLength: 120 }), (frames, picks) => {
      const whole = play([begin, ...frames.flatMap(frame)]);
      // An index behind the last frame is a dropped connection.
      const noise = picks.flatMap((index) => frame(frames[index % (frames.length + 3)]));
      const disturbed = play(noise, play([begin]));
      const again = frames.slice(disturbed.lastSeq).flatMap(frame);
      expect(play([dropped, ...again], disturbed)).toEqual(whole);
    }),
    { numRuns: 500 },
  );
});

it("shows at any moment exactly what the first frames without a hole have told", () => {
  fc.assert(
    fc.property(turn, fc.array(fc.nat({ max: 60 }), { maxLength: 60 }), (frames, picks) => {
      let run = play([begin]);
      for (const action of picks.flatMap((index) => frame(frames[index % (frames.length + 3)]))) {
        const next = play([action], run);
        expect(next.lastSeq).toBeGreaterThanOrEqual(run.lastSeq);
        run = next;
      }
      expect(told(run)).toEqual(told(play([begin, ...frames.slice(0, run.lastSeq).flatMap(frame)])));
    }),
    { numRuns: 300 },
  );
});

it("lets nothing of another turn in, wherever it comes between", () => {
  fc.assert(
    fc.property(turn, turn, fc.array(fc.boolean()), (own, foreign, order) => {
      const rest = [...foreign];
      const mixed = own.flatMap((item, index): StreamAction[] => {
        const other = order[index] ? rest.shift() : undefined;
        return [...frame(item), ...(other ? [{ type: "frame" as const, runId: "run-0", frame: other }] : [])];
      });
      expect(play([begin, ...mixed])).toEqual(play([begin, ...own.flatMap(frame)]));
    }),
  );
});
