import { act, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { WaitingPage } from "@/features/assistant/WaitingPage";
import { proposalOf } from "@/test/proposal";
import { renderApp } from "@/test/render";
import { json, playServer, type Call } from "@/test/server";

import type { Proposal } from "./types";

const approval = { role: "manager", reason: "This needs the approval of a manager." };

let waiting: Proposal[];
let card: Proposal;
let calls: Call[];
let visibility: DocumentVisibilityState;

beforeEach(() => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  waiting = [];
  card = proposalOf();
  visibility = "visible";
  vi.spyOn(document, "visibilityState", "get").mockImplementation(() => visibility);
  calls = playServer({
    "GET /api/proposals": () => json({ items: waiting, total: waiting.length }),
    "GET /api/proposals/prop-1": () => json(card),
  });
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
const asked = (path: string) => calls.filter((call) => call.path.split("?")[0] === path).length;
const confirm = () => screen.queryByRole("button", { name: "Change stage" });

it("learns within ten seconds of what waits, and of what came of it", async () => {
  renderApp(<WaitingPage />);
  await screen.findByText("Nothing waits for you.");
  waiting = [card];
  await pass(10_100);
  expect(confirm()).toBeTruthy();
  const read = asked("/api/proposals/prop-1");
  waiting = [];
  card = proposalOf({ status: "cancelled", decisionReason: "Too much", deciderName: "Mei Manager" });
  await pass(10_100);
  expect(screen.getByText(/Too much/)).toBeTruthy();
  // A decided card does not change any more.
  await pass(10_100);
  expect(asked("/api/proposals/prop-1")).toBe(read + 1);
});

it("asks every five seconds while something waits for an approval", async () => {
  card = proposalOf({ approval });
  waiting = [card];
  renderApp(<WaitingPage />);
  await screen.findByText(approval.reason);
  waiting = [];
  card = proposalOf({ approval, status: "cancelled", decisionReason: "Too much" });
  await pass(5_100);
  expect(screen.getByText(/Too much/)).toBeTruthy();
});

it("reads a card again until it is known what came of it", async () => {
  waiting = [card];
  renderApp(<WaitingPage />);
  await screen.findByRole("button", { name: "Change stage" });
  waiting = [];
  await pass(10_100);
  expect(confirm()).toBeTruthy();
  card = proposalOf({ status: "cancelled", decisionReason: "Too much" });
  await pass(10_100);
  expect(screen.getByText(/Too much/)).toBeTruthy();
});

it("asks nothing behind another tab, and at once when it is seen again", async () => {
  renderApp(<WaitingPage />);
  await screen.findByText("Nothing waits for you.");
  const show = (state: DocumentVisibilityState) => {
    act(() => {
      visibility = state;
      document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
    });
  };
  show("hidden");
  waiting = [card];
  await pass(60_000);
  expect(asked("/api/proposals")).toBe(1);
  show("visible");
  expect(await screen.findByRole("button", { name: "Change stage" })).toBeTruthy();
});
