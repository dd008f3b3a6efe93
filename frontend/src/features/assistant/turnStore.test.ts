import { expect, it, vi } from "vitest";

import { ApiError } from "@/api/client";
import type { Frame } from "@/api/chat";
import type { StreamEvent } from "@/api/events";
import { NOTHING_USED } from "@/test/events";
import { json, playServer, problem, sse } from "@/test/server";

import { textOf, type Run } from "./streamReducer";
import { TurnStore } from "./turnStore";

const EVENTS: StreamEvent[] = [
  { type: "start", turnId: "turn-1", conversationId: "conv-1", messageId: "msg-1" },
  { type: "token", delta: "你好，" },
  { type: "token", delta: "Acme" },
  { type: "token", delta: " is fine." },
  { type: "done", reason: "stop", messageId: "msg-1", usage: NOTHING_USED },
];
const FRAMES: Frame[] = EVENTS.map((event, index) => ({ seq: index + 1, event }));
const TEXT = "你好，Acme is fine.";
const after = (path: string) => Number(new URL(path, "http://x").searchParams.get("after"));

function newStore() {
  const ended: Run[] = [];
  const store = new TurnStore({ onEnd: (run) => ended.push(run) }, [0, 0, 0]);
  return { store, ended };
}

it("sends the message with fallback and reads the answer to its end", async () => {
  const calls = playServer({ "POST /api/chat": () => sse(FRAMES) });
  const { store, ended } = newStore();
  const accepted = vi.fn();
  await store.send({ message: "Hi", conversationId: "conv-1" }, accepted);
  expect(calls[0]?.body).toEqual({ message: "Hi", conversationId: "conv-1", fallback: true });
  expect(calls[0]?.headers.get("Accept-Language")).toBe("en-HK");
  expect(accepted).toHaveBeenCalledOnce();
  expect(ended.map(textOf)).toEqual([TEXT]);
  expect(calls).toHaveLength(1);
});

it("takes up a dropped stream after the last event, wherever it broke", async () => {
  for (let cut = 1; cut < FRAMES.length; cut++) {
    const calls = playServer({
      "POST /api/chat": () => sse(FRAMES.slice(0, cut)),
      "GET /api/turns/turn-1/events": ({ path }) => sse(FRAMES.slice(after(path))),
    });
    const { store, ended } = newStore();
    await store.send({ message: "Hi" });
    expect(calls.map(({ path }) => path)).toEqual(["/api/chat", `/api/turns/turn-1/events?after=${String(cut)}`]);
    expect(ended.map(textOf)).toEqual([TEXT]);
  }
});

it("reads again what a gap has swallowed", async () => {
  playServer({
    "POST /api/chat": () => sse(FRAMES.filter(({ seq }) => seq !== 3)),
    "GET /api/turns/turn-1/events": ({ path }) => sse(FRAMES.slice(after(path))),
  });
  const { store, ended } = newStore();
  await store.send({ message: "Hi" });
  expect(ended.map(textOf)).toEqual([TEXT]);
});

it("tries again while the server cannot be reached, then says that the turn is lost", async () => {
  const calls = playServer({
    "POST /api/chat": () => sse(FRAMES.slice(0, 2)),
    "GET /api/turns/turn-1/events": () => Promise.reject(new TypeError("Load failed")),
  });
  const { store, ended } = newStore();
  await store.send({ message: "Hi" });
  expect(calls).toHaveLength(1 + 3);
  expect(ended).toMatchObject([{ end: { kind: "lost" }, parts: ["你好，"] }]);
});

it("does not ask again for a turn that the server has forgotten", async () => {
  const calls = playServer({ "POST /api/chat": () => sse(FRAMES.slice(0, 2)) });
  const { store, ended } = newStore();
  await store.send({ message: "Hi" });
  expect(calls).toHaveLength(2);
  expect(ended[0]?.end).toEqual({ kind: "lost" });
});

it.each([
  ["a refusal", () => problem(429, "RATE_LIMITED", {}, { "Retry-After": "17" }), "RATE_LIMITED", 17],
  ["no connection", () => Promise.reject(new TypeError("Failed to fetch")), "NETWORK", undefined],
  ["a stream without any event", () => sse([]), "NETWORK", undefined],
])("throws for %s and shows no turn", async (_, answer, code, retryAfter) => {
  playServer({ "POST /api/chat": answer });
  const { store, ended } = newStore();
  const accepted = vi.fn();
  const error: unknown = await store.send({ message: "Hi" }, accepted).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({ code, retryAfter });
  expect(accepted).not.toHaveBeenCalled();
  expect([store.current(), ended]).toEqual([null, []]);
});

it("lets no event through after it has let go", async () => {
  let release: (response: Response) => void = () => undefined;
  const calls = playServer({
    "POST /api/chat": () => new Promise<Response>((resolve) => (release = resolve)),
  });
  const { store, ended } = newStore();
  const sent = store.send({ message: "Hi" });
  store.detach();
  release(sse(FRAMES));
  await sent;
  expect([store.current(), ended, calls.length]).toEqual([null, [], 1]);
});

it("tells of text at most once for each drawn frame, and of everything else at once", async () => {
  const tokens = Array.from({ length: 200 }, () => ({ type: "token", delta: "字" }) as const);
  const events: StreamEvent[] = [EVENTS[0] as StreamEvent, ...tokens, EVENTS.at(-1) as StreamEvent];
  playServer({ "POST /api/chat": () => sse(events.map((event, index) => ({ seq: index + 1, event }))) });
  const draws: FrameRequestCallback[] = [];
  vi.stubGlobal("requestAnimationFrame", (draw: FrameRequestCallback) => draws.push(draw));
  const { store, ended } = newStore();
  const told = vi.fn();
  store.subscribe(told);
  await store.send({ message: "Hi" });
  expect(ended.map(textOf)).toEqual(["字".repeat(200)]);
  // Begun, started, done; the frame that was asked for has nothing left to tell.
  expect([told.mock.calls.length, draws.length]).toEqual([3, 1]);
  for (const draw of draws) draw(0);
  expect(told).toHaveBeenCalledTimes(3);
});

it("takes up a running turn from its first event", async () => {
  playServer({ "GET /api/turns/turn-1/events": ({ path }) => sse(FRAMES.slice(after(path))) });
  const { store, ended } = newStore();
  await store.attach({ turnId: "turn-1", conversationId: "conv-1", messageId: "msg-1", message: "Hi" });
  expect(ended.map(textOf)).toEqual([TEXT]);
});

it("stops only a turn that runs", async () => {
  let finish: () => void = () => undefined;
  const calls = playServer({
    "POST /api/chat": () => sse(FRAMES.slice(0, 2)),
    "GET /api/turns/turn-1/events": () =>
      new Promise<Response>((resolve) => {
        finish = () => {
          resolve(sse(FRAMES.slice(2)));
        };
      }),
    "POST /api/turns/turn-1/stop": () => json({}),
  });
  const { store } = newStore();
  const sent = store.send({ message: "Hi" });
  await vi.waitFor(() => {
    expect(calls).toHaveLength(2);
  });
  await store.stop();
  expect(calls.at(-1)?.path).toBe("/api/turns/turn-1/stop");
  finish();
  await sent;
  await store.stop();
  expect(calls).toHaveLength(3);
});

it("finds its turn again when the connection broke before the first event", async () => {
  const opened = sse([]);
  opened.headers.set("Content-Location", "/api/turns/turn-1/events");
  const calls = playServer({
    "POST /api/chat": () => opened,
    "GET /api/turns/turn-1/events": ({ path }) => sse(FRAMES.slice(after(path))),
  });
  const { store, ended } = newStore();
  const accepted = vi.fn();
  await store.send({ message: "Hi" }, accepted);
  expect(calls.map(({ path }) => path)).toEqual(["/api/chat", "/api/turns/turn-1/events?after=0"]);
  expect(accepted).toHaveBeenCalledOnce();
  expect(ended.map(textOf)).toEqual([TEXT]);
});
