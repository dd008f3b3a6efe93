import { act, screen, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { WaitingPage } from "@/features/assistant/WaitingPage";
import { proposalOf } from "@/test/proposal";
import { renderApp } from "@/test/render";
import { json, playServer, problem, type Call } from "@/test/server";

import { useNews } from "./news";
import type { Proposal } from "./types";

let waiting: Proposal[];
let card: Proposal;
let connections: ReadableStreamDefaultController<Uint8Array>[];
let calls: Call[];
let visibility: DocumentVisibilityState;

beforeEach(() => {
  waiting = [];
  card = proposalOf();
  connections = [];
  visibility = "visible";
  vi.spyOn(document, "visibilityState", "get").mockImplementation(() => visibility);
  calls = playServer({
    "GET /api/proposals": () => json({ items: waiting, total: waiting.length }),
    "GET /api/proposals/prop-1": () => json(card),
    "GET /api/events": () => stream(),
  });
});

afterEach(() => {
  vi.restoreAllMocks();
});

function stream(): Response {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      connections.push(controller);
    },
  });
  return new Response(body, { headers: { "Content-Type": "text/event-stream" } });
}

let seq = 0;

function tell(type: string): void {
  seq += 1;
  const text = `id: ${String(seq)}\nevent: ${type}\ndata: {"type":"${type}"}\n\n`;
  connections.at(-1)?.enqueue(new TextEncoder().encode(text));
}

function Shelled() {
  useNews();
  return <WaitingPage />;
}

const asked = (path: string) => calls.filter((call) => call.path.split("?")[0] === path).length;
const listening = (times: number) =>
  waitFor(() => {
    expect(connections).toHaveLength(times);
  });

it("shows what waits, and what came of it, as soon as the server says that something has changed", async () => {
  renderApp(<Shelled />);
  await screen.findByText("Nothing waits for you.");
  await listening(1);
  waiting = [card];
  tell("proposals");
  await screen.findByRole("button", { name: "Change stage" });
  waiting = [];
  card = proposalOf({ status: "cancelled", decisionReason: "Too much", deciderName: "Mei Manager" });
  tell("proposals");
  expect(await screen.findByText(/Too much/)).toBeTruthy();
  // A decided card does not change any more.
  const read = asked("/api/proposals/prop-1");
  const listed = asked("/api/proposals");
  tell("proposals");
  await waitFor(() => {
    expect(asked("/api/proposals")).toBe(listed + 1);
  });
  expect(asked("/api/proposals/prop-1")).toBe(read);
});

it("listens again after the connection was lost, and reads what it has missed", async () => {
  renderApp(<Shelled />);
  await listening(1);
  connections[0]?.close();
  waiting = [card];
  await listening(2);
  tell("ready");
  await screen.findByRole("button", { name: "Change stage" });
});

it("listens only while the page is seen", async () => {
  const { unmount } = renderApp(<Shelled />);
  await listening(1);
  const show = (state: DocumentVisibilityState) => {
    act(() => {
      visibility = state;
      document.dispatchEvent(new Event("visibilitychange"));
    });
  };
  show("hidden");
  waiting = [card];
  tell("proposals");
  expect(screen.queryByRole("button", { name: "Change stage" })).toBeNull();
  show("visible");
  await listening(2);
  tell("ready");
  await screen.findByRole("button", { name: "Change stage" });
  unmount();
});

it("does without where there is no stream", async () => {
  waiting = [card];
  calls = playServer({
    "GET /api/proposals": () => json({ items: waiting, total: 1 }),
    "GET /api/proposals/prop-1": () => json(card),
    "GET /api/events": () => problem(503, "UNAVAILABLE"),
  });
  renderApp(<Shelled />);
  await screen.findByRole("button", { name: "Change stage" });
  await waitFor(() => {
    expect(asked("/api/events")).toBe(2);
  });
});
