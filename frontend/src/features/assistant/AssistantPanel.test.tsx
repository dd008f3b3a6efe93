import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { Frame } from "@/api/chat";
import type { Me, Message } from "@/api/types";
import { proposalOf } from "@/test/proposal";
import { renderApp } from "@/test/render";
import { json, playServer, problem, sse, type Call } from "@/test/server";

import { AssistantPanel } from "./AssistantPanel";
import { SLOW_MS } from "./PanelStatus";

const me: Me = {
  user: { id: "u1", name: "Mei", email: "mei@demo.test", role: "sales", roleName: "Sales" },
  permissions: [],
  demo: false,
};
const START: Frame = { seq: 1, event: { type: "start", turnId: "t1", conversationId: "c1", messageId: "m1" } };
const usage = { promptTokens: 0, completionTokens: 0, cachedTokens: 0, known: true, rounds: 0 };
const done = (reason: "stop" | "stopped"): Frame => ({
  seq: 2,
  event: { type: "done", reason, messageId: "m1", usage },
});
const reply = (fields: Partial<Message>): Message => ({
  id: "m1",
  seq: 2,
  role: "assistant",
  content: "",
  status: "complete",
  toolCalls: [],
  proposals: [],
  refs: [],
  notices: [],
  createdAt: "2026-11-29T04:00:00Z",
  ...fields,
});

let calls: Call[];
let messages: Message[];
/** Ends the turn that runs, with these frames. */
let release: (frames: Frame[]) => void;
let chat: () => Response | Promise<Response>;

beforeEach(() => {
  messages = [];
  chat = () => sse([START]);
  calls = playServer({
    "POST /api/chat": () => chat(),
    "GET /api/turns/t1/events": () =>
      new Promise<Response>((resolve) => {
        release = (frames) => {
          resolve(sse(frames));
        };
      }),
    "POST /api/turns/t1/stop": () => json({}),
    "GET /api/conversations/c1": () => json({ id: "c1", title: "Due", messages }),
    "GET /api/tools": () => json({ items: [] }),
  });
});
afterEach(() => {
  vi.useRealTimers();
});

const show = () => renderApp(<AssistantPanel me={me} open sheet={false} onToggle={vi.fn()} />);
const field = () => screen.getByLabelText<HTMLTextAreaElement>("Message to the assistant");
const sent = () =>
  calls.filter(({ path }) => path === "/api/chat").map(({ body }) => (body as { message: string }).message);
const waiting = () => screen.queryByRole("group", { name: "Waiting message" });

async function ask(text: string) {
  await userEvent.type(field(), `${text}{Enter}`);
}

/** Asks, waits until the turn runs, and puts a second message behind it. */
async function askTwice() {
  await ask("first");
  await waitFor(() => {
    expect(calls.some(({ path }) => path.startsWith("/api/turns/t1/events"))).toBe(true);
  });
  await ask("second");
  expect(waiting()?.textContent).toContain("second");
}

describe("a message behind a running reply", () => {
  it("is sent when the reply is done, once", async () => {
    show();
    await askTwice();
    expect(sent()).toEqual(["first"]);
    act(() => {
      release([done("stop")]);
    });
    await waitFor(() => {
      expect(sent()).toEqual(["first", "second"]);
    });
    await waitFor(() => {
      expect(waiting()).toBeNull();
    });
  });

  it("waits for the person after Stop, and survives a reload", async () => {
    const view = show();
    await askTwice();
    act(() => {
      release([done("stopped")]);
    });
    expect(await screen.findByRole("button", { name: "Send now" })).toBeTruthy();
    view.unmount();
    show();
    await screen.findByRole("group", { name: "Waiting message" });
    expect(sent()).toEqual(["first"]);
  });

  it("stays, with the reason, when it is refused", async () => {
    show();
    await askTwice();
    chat = () => problem(429, "RATE_LIMITED", {}, { "Retry-After": "9" });
    act(() => {
      release([done("stop")]);
    });
    const group = await screen.findByRole("group", { name: "Waiting message" });
    expect((await within(group).findByRole("alert")).textContent).toContain("Try again in 9 seconds");
    expect(group.textContent).toContain("second");
  });
});

describe("a failed answer", () => {
  it("is tried again with the person's own words, which stay", async () => {
    localStorage.setItem("countersign.conversation/u1", "c1");
    messages = [reply({ id: "m0", role: "user", content: "What is due?" }), reply({ status: "failed" })];
    show();
    await userEvent.click(await screen.findByRole("button", { name: "Try again" }));
    await waitFor(() => {
      expect(sent()).toEqual(["What is due?"]);
    });
    expect(screen.getAllByText("What is due?").length).toBeGreaterThan(0);
  });
});

describe("a long silence", () => {
  it("is owned up to after ten seconds, with Stop; the next word ends it", async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    chat = () => {
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          const write = (seq: number, event: object) => {
            controller.enqueue(new TextEncoder().encode(`id: ${String(seq)}\ndata: ${JSON.stringify(event)}\n\n`));
          };
          write(1, START.event);
          release = () => {
            write(2, { type: "token", delta: "Here." });
          };
        },
      });
      return new Response(body);
    };
    show();
    fireEvent.change(field(), { target: { value: "first" } });
    fireEvent.keyDown(field(), { key: "Enter" });
    await screen.findByText("Working…");
    act(() => {
      vi.advanceTimersByTime(SLOW_MS - 2_000);
    });
    expect(screen.queryByText("Still working…")).toBeNull();
    act(() => {
      vi.advanceTimersByTime(2_500);
    });
    const status = screen.getByText("Still working…");
    expect(status.getAttribute("role")).toBe("status");
    fireEvent.click(screen.getAllByRole("button", { name: "Stop" })[0] as HTMLElement);
    await waitFor(() => {
      expect(calls.at(-1)?.path).toBe("/api/turns/t1/stop");
    });
    act(() => {
      release([]);
    });
    await screen.findByText("Here.");
    expect(screen.queryByText("Still working…")).toBeNull();
  });
});

describe("changes that wait", () => {
  beforeEach(() => {
    localStorage.setItem("countersign.conversation/u1", "c1");
  });

  it("are counted above the composer, and the newest card is one press away", async () => {
    messages = [
      reply({ proposals: [proposalOf({ id: "p1" }), proposalOf({ id: "p2" })] }),
      reply({ id: "m2", proposals: [proposalOf({ id: "p3", status: "executed" })] }),
    ];
    show();
    expect(await screen.findByText("2 changes waiting")).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "Show" }));
    expect(document.activeElement?.getAttribute("data-proposal")).toBe("p2");
  });

  it("are counted down when one is decided", async () => {
    messages = [reply({ proposals: [proposalOf({ id: "p1" })] })];
    playServer({
      "GET /api/conversations/c1": () => json({ id: "c1", title: "Due", messages }),
      "GET /api/tools": () => json({ items: [] }),
      "POST /api/proposals/p1/cancel": () => {
        messages = [reply({ proposals: [proposalOf({ id: "p1", status: "cancelled" })] })];
        return json(messages[0]?.proposals[0]);
      },
    });
    show();
    await screen.findByText("1 change waiting");
    await userEvent.click(screen.getByRole("button", { name: "Cancel" }));
    await waitFor(() => {
      expect(screen.queryByText(/waiting$/)).toBeNull();
    });
  });

  it("are not counted once their time has passed", async () => {
    messages = [reply({ proposals: [proposalOf({ id: "p1", expiresAt: new Date(Date.now() + 400).toISOString() })] })];
    show();
    await screen.findByText("1 change waiting");
    await waitFor(() => {
      expect(screen.queryByText(/waiting$/)).toBeNull();
    });
  });
});
