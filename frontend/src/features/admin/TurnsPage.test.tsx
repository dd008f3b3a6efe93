import { fireEvent, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";

import type { TurnLine } from "@/api/types";
import { renderApp } from "@/test/render";
import { json, playServer, problem } from "@/test/server";

import { TurnsPage } from "./TurnsPage";

const turn: TurnLine = {
  id: "t1",
  conversationId: "c1",
  userId: "u1",
  userName: "Sam Sales",
  channel: "web",
  status: "failed",
  code: "MODEL_BUSY",
  startedAt: "2026-03-01T04:00:00Z",
  durationMs: 1234,
  model: "openai/m",
  calls: 3,
  rounds: 2,
  retries: 1,
  promptTokens: 1200,
  completionTokens: 34,
  cachedTokens: 0,
  estimated: 1,
  unpriced: 0,
  costs: [{ amount: "0.0035", currency: "USD" }],
};
const { durationMs: _ms, code: _code, costs: _costs, model: _model, ...bare } = turn;
const command: TurnLine = { ...bare, id: "t2", status: "running", rounds: 0, retries: 0, promptTokens: 0, completionTokens: 0, estimated: 0 };

function show(path = "/admin/turns", routes: Parameters<typeof playServer>[0] = {}) {
  const calls = playServer({ "GET /api/turns": () => json({ items: [turn, command], total: 2 }), ...routes });
  return { calls, ...renderApp(<TurnsPage />, { path }) };
}

const asked = (calls: ReturnType<typeof playServer>) => new URL(calls.at(-1)?.path ?? "", "http://x").searchParams;

describe("the list of turns", () => {
  it("tells what each took, and what is unknown as unknown", async () => {
    show();
    const table = await screen.findByRole("table", { name: "Turns" });
    const [, first, second] = within(table).getAllByRole("row");
    if (!first || !second) throw new Error("rows are missing");
    const cells = (row: HTMLElement) => within(row).getAllByRole("cell").map(({ textContent }) => textContent);
    expect(cells(first)).toEqual([
      "Sam Sales", "failedMODEL_BUSY", "openai/m", "2", "1", "1,234estimated", "US$0.0035", "1.2 s",
    ]);
    expect(cells(second)).toEqual(["Sam Sales", "running", "–", "0", "0", "0", "–", "–"]);
    expect(within(first).getByRole("link").getAttribute("href")).toBe("/admin/turns/t1");
  });

  it("keeps its filter in the address, days as Hong Kong has them", async () => {
    const { calls, router } = show("/admin/turns?from=2026-03-01&status=odd");
    await screen.findByRole("table");
    await userEvent.selectOptions(screen.getByLabelText("Status"), "failed");
    const to = screen.getByLabelText("To");
    fireEvent.change(to, { target: { value: "2026-03-02" } });
    fireEvent.blur(to);
    await userEvent.type(screen.getByLabelText("Model"), "openai/m");
    await userEvent.tab();
    const [name] = await screen.findAllByRole("button", { name: "Sam Sales" });
    if (name) await userEvent.click(name);
    await screen.findByRole("button", { name: "Clear filters" });
    expect(Object.fromEntries(asked(calls))).toEqual({
      from: "2026-02-28T16:00:00.000Z",
      to: "2026-03-02T16:00:00.000Z",
      status: "failed",
      model: "openai/m",
      userId: "u1",
      limit: "50",
    });
    await userEvent.click(screen.getByRole("button", { name: "Clear filters" }));
    expect(router.state.location.search).toBe("");
  });

  it("loads the next page", async () => {
    const { calls } = show("/admin/turns", {
      "GET /api/turns": ({ path }) =>
        json(path.includes("cursor=next") ? { items: [command], total: 2 } : { items: [turn], total: 2, nextCursor: "next" }),
    });
    await userEvent.click(await screen.findByRole("button", { name: "Load more" }));
    expect(await screen.findByText("2 of 2 shown")).toBeTruthy();
    expect(asked(calls).get("cursor")).toBe("next");
  });

  it("says so when nothing matches, or nothing can be read", async () => {
    const { unmount } = show("/admin/turns", { "GET /api/turns": () => json({ items: [], total: 0 }) });
    expect(await screen.findByText("No turn matches.")).toBeTruthy();
    unmount();
    show("/admin/turns", { "GET /api/turns": () => problem(500, "INTERNAL") });
    expect(await screen.findByRole("button", { name: "Try again" })).toBeTruthy();
  });
});
