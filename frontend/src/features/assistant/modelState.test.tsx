import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { Frame } from "@/api/chat";
import type { Me, ModelStatus } from "@/api/types";
import { renderApp } from "@/test/render";
import { json, playServer, sse, type Call } from "@/test/server";

import { AssistantPanel } from "./AssistantPanel";
import { OVERDUE_MS, RETRYING_MS, tellsOfModel, waitsForModel } from "./modelState";
import { streamReducer, type Run } from "./streamReducer";

const usage = { promptTokens: 1, completionTokens: 1, cachedTokens: 0, known: true, rounds: 1 };
const DOWN: ModelStatus = { state: "down", code: "MODEL_UNAUTHORIZED", checkAfterSeconds: 5 };
const READY: ModelStatus = { state: "ready" };
const RETRYING = { type: "notice", code: "RETRYING", text: "The model did not answer, trying again." } as const;

const frames = (...events: Frame["event"][]): Frame[] => events.map((event, at) => ({ seq: at + 1, event }));

/** A run after some events. */
function runOf(message: string, ...events: Frame["event"][]): Run {
  let run = streamReducer(null, { type: "begin", runId: "r", message });
  for (const frame of frames(...events)) run = streamReducer(run, { type: "frame", runId: "r", frame });
  if (!run) throw new Error("no run");
  return run;
}

const token = { type: "token", delta: "Well" } as const;
const start = { type: "start", turnId: "t1", conversationId: "c1", messageId: "m1" } as const;
const pill = { type: "tool_start", callId: "x", name: "get_deal", label: "Get", args: {} } as const;
const done = { type: "done", reason: "stop", messageId: "m1", usage } as const;
const failure = { type: "error", code: "MODEL_TIMEOUT", message: "Too slow.", requestId: "r1", retryable: true } as const;

it.each<[string, boolean, Run]>([
  ["that was sent", true, runOf("Hi")],
  ["that has begun", true, runOf("Hi", start)],
  ["that is tried again", true, runOf("Hi", start, RETRYING)],
  ["that is tried again after a look-up", true, runOf("Hi", start, pill, RETRYING)],
  ["that looks something up", false, runOf("Hi", start, pill)],
  ["that looks something up after it was tried again", false, runOf("Hi", start, RETRYING, pill)],
  ["that speaks", false, runOf("Hi", start, RETRYING, token)],
  ["whose text was taken back", true, runOf("Hi", start, token, { type: "reset" })],
  ["of a command", false, runOf("/find x", start)],
  ["of a search", false, runOf("Hi", start, { type: "notice", code: "MODEL_DOWN", text: "Searched." })],
  ["that is over", false, runOf("Hi", start, failure)],
])("a turn %s waits for the model: %s", (_, waits, run) => {
  expect(waitsForModel(run)).toBe(waits);
});

it.each<[string, boolean, Run, ModelStatus | undefined]>([
  ["a failure", true, runOf("Hi", start, failure), READY],
  ["a budget", true, runOf("Hi", start, { type: "notice", code: "BUDGET_REACHED", text: "No." }, done), READY],
  ["an answer of a model thought to be down", true, runOf("Hi", start, token, done), DOWN],
  ["an answer as always", false, runOf("Hi", start, token, done), READY],
  ["a search meanwhile", false, runOf("Hi", start, { ...done, usage: { ...usage, rounds: 0 } }), DOWN],
])("%s is a reason to ask for the status: %s", (_, reason, run, known) => {
  expect(tellsOfModel(run, known)).toBe(reason);
});

const me = (permissions: string[] = []): Me => ({
  user: { id: "u1", name: "Mei", email: "mei@demo.test", role: "sales", roleName: "Sales" },
  permissions: permissions.map((permission) => ({ permission, scope: "all" })) as Me["permissions"],
  demo: false,
});

let calls: Call[];
let status: ModelStatus;
let chat: () => Response | Promise<Response>;

beforeEach(() => {
  status = READY;
  chat = () => sse(frames(start, done));
  calls = playServer({
    "GET /api/ai/status": () => json(status),
    "GET /api/ai/config": () => json({ configured: true, apiKeySet: true, secrets: "ok", failing: { code: "MODEL_TIMEOUT", at: "2026-11-29T04:00:00Z" } }),
    "POST /api/chat": () => chat(),
    "POST /api/turns/t1/stop": () => json({}),
    "GET /api/conversations/c1": () => json({ id: "c1", title: "Due", messages: [] }),
    "GET /api/tools": () => json({ items: [] }),
  });
});
afterEach(() => {
  vi.useRealTimers();
});

const show = (props: { open?: boolean; me?: Me } = {}) =>
  renderApp(<AssistantPanel me={props.me ?? me()} open={props.open ?? true} sheet={false} onToggle={vi.fn()} />);
const field = () => screen.getByLabelText<HTMLTextAreaElement>("Message to the assistant");
const bodies = () => calls.filter(({ path }) => path === "/api/chat").map(({ body }) => body);
const asked = () => calls.filter(({ path }) => path === "/api/ai/status").length;
const banner = () => within(screen.getByTestId("model-bar"));

function send(text: string) {
  fireEvent.change(field(), { target: { value: text } });
  fireEvent.keyDown(field(), { key: "Enter" });
}

/** A turn that stays open; gives what sends more of it. */
function openTurn(...first: Frame["event"][]): (event: Frame["event"]) => void {
  let write: (event: Frame["event"]) => void = () => undefined;
  let seq = 0;
  chat = () =>
    new Response(
      new ReadableStream<Uint8Array>({
        start(controller) {
          write = (event) => {
            seq += 1;
            controller.enqueue(new TextEncoder().encode(`id: ${String(seq)}\ndata: ${JSON.stringify(event)}\n\n`));
          };
          first.forEach(write);
        },
      }),
    );
  return (event) => {
    write(event);
  };
}

describe("while the model is down", () => {
  it("one banner says so, and text is sent to be searched for; a draft stays when it is back", async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    status = DOWN;
    show({ me: me(["ai-config:update"]) });
    await banner().findByText(/does not answer at the moment/);
    expect(screen.getAllByRole("link", { name: "Set up AI" })).toHaveLength(1);
    expect(field().placeholder).toBe("Search your records, or type / for commands");
    send("Acme");
    await waitFor(() => {
      expect(bodies()).toEqual([{ message: "Acme", search: true, fallback: true }]);
    });
    await waitFor(() => {
      expect(field().value).toBe("");
    });
    fireEvent.change(field(), { target: { value: "half a thought" } });
    status = READY;
    await act(() => vi.advanceTimersByTimeAsync(5_500));
    await waitFor(() => {
      expect(banner().queryByText(/./)).toBeNull();
    });
    expect(field().value).toBe("half a thought");
    expect(field().placeholder).toBe("Ask, search, or type / for commands");
    const times = asked();
    await act(() => vi.advanceTimersByTimeAsync(60_000));
    expect(asked(), "a model that works is not asked about again").toBe(times);
  });

  it("a budget is called one", async () => {
    status = { state: "down", code: "BUDGET_REACHED", checkAfterSeconds: 60 };
    show();
    expect(await banner().findByText(/budget is used up/)).toBeTruthy();
    expect(screen.queryByRole("link", { name: "Set up AI" })).toBeNull();
  });

  it("a closed panel asks nothing", () => {
    show({ open: false });
    expect(asked()).toBe(0);
  });

  it("the failed message is tried again by the model, and when that works all is back at once", async () => {
    chat = () => sse(frames(start, { ...failure, code: "MODEL_UNAUTHORIZED" }));
    show();
    await waitFor(() => {
      expect(asked()).toBe(1);
    });
    status = DOWN;
    send("How is Acme?");
    await banner().findByText(/does not answer at the moment/);
    chat = () => sse(frames(start, token, done));
    status = READY;
    await userEvent.click(screen.getByRole("button", { name: "Try again" }));
    await waitFor(() => {
      expect(banner().queryByText(/./)).toBeNull();
    });
    expect(bodies()).toEqual([
      { message: "How is Acme?", fallback: true },
      { message: "How is Acme?", conversationId: "c1", fallback: true },
    ]);
  });

  it("a message that waited for its turn is kept, and not used up by a search", async () => {
    const write = openTurn(start);
    show();
    await waitFor(() => {
      expect(asked()).toBe(1);
    });
    send("first");
    await screen.findByText("Working…");
    send("second");
    await screen.findByRole("group", { name: "Waiting message" });
    status = DOWN;
    act(() => {
      write(failure);
    });
    await banner().findByText(/does not answer at the moment/);
    chat = () => sse(frames(start, done));
    send("Acme");
    await waitFor(() => {
      expect(bodies()).toHaveLength(2);
    });
    await screen.findByText("Answer complete");
    expect(screen.getByRole("group", { name: "Waiting message" }).textContent).toContain("second");
    expect(bodies()).toHaveLength(2);
  });
});

describe("a model that keeps the person waiting", () => {
  it.each([
    ["says nothing", OVERDUE_MS, [start]],
    ["is tried again", RETRYING_MS, [start, RETRYING]],
  ])("and %s is stopped and its question searched for by one click", async (_, wait, events) => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    const write = openTurn(...events);
    show();
    send("Acme");
    await screen.findByText("Working…");
    act(() => {
      vi.advanceTimersByTime(wait - 1_500);
    });
    expect(banner().queryByText(/./)).toBeNull();
    act(() => {
      vi.advanceTimersByTime(2_000);
    });
    fireEvent.click(await banner().findByRole("button", { name: "Stop and search my records" }));
    await waitFor(() => {
      expect(calls.at(-1)?.path).toBe("/api/turns/t1/stop");
    });
    act(() => {
      write({ ...done, reason: "stopped" });
    });
    await waitFor(() => {
      expect(bodies().at(-1)).toMatchObject({ message: '/find "Acme"' });
    });
  });

  it("may still answer: the banner goes, and nothing is searched for", async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    const write = openTurn(start);
    show();
    send("Acme");
    await screen.findByText("Working…");
    act(() => {
      vi.advanceTimersByTime(OVERDUE_MS + 500);
    });
    fireEvent.click(await banner().findByRole("button", { name: "Stop and search my records" }));
    act(() => {
      write(token);
      write(done);
    });
    await screen.findByText("Answer complete");
    expect(banner().queryByText(/./)).toBeNull();
    expect(bodies()).toHaveLength(1);
  });
});
