import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";

import type { Me, OutcomeReport, Usage } from "@/api/types";
import { renderApp } from "@/test/render";
import { json, playServer, problem } from "@/test/server";

import { UsagePage } from "./UsagePage";

const figures = { calls: 3, errors: 1, promptTokens: 1200, completionTokens: 34, cachedTokens: 0, estimated: 1, unpriced: 0 };
const cost = [{ amount: "0.00105", currency: "USD" }];
const usage: Usage = {
  by: "role",
  from: "2026-03-01",
  to: "2026-03-31",
  scope: "all",
  costShown: true,
  lines: [
    { key: "sales", name: "sales", ...figures, costs: cost, firstTokenP50Ms: 400 },
    { key: "owl", name: "owl", ...figures, unpriced: 2 },
  ],
  total: { ...figures, calls: 6, costs: cost },
  month: { ...figures, costs: cost },
  ever: { ...figures, promptTokens: 9_000_000, costs: cost },
};
const counts = {
  made: 12, pending: 1, decided: 6, executed: 2, edited: 1, undone: 0, cancelled: 2, explained: 1, stale: 1, failed: 1, expired: 3, superseded: 2,
};
const outcomes: OutcomeReport = {
  by: "tool",
  from: "2026-03-01",
  to: "2026-03-31",
  scope: "all",
  lines: [{ key: "update_deal", name: "Prepare a change of a deal", ...counts, acceptRate: 1 / 3, editRate: 1 / 6, rejectRate: 1 / 3, staleRate: 0, decisionP50Seconds: 30, decisionP90Seconds: 3600 }],
  total: { ...counts, decided: 0 },
};
const me = (...permissions: string[]) =>
  ({
    user: { id: "u1", name: "Ada", role: "admin" },
    permissions: permissions.map((permission) => ({ permission, scope: "all" })),
  }) as unknown as Me;

function show(who: Me, routes: Parameters<typeof playServer>[0] = {}, path = "/admin/usage") {
  const calls = playServer({
    "GET /api/me": () => json(who),
    "GET /api/ai/usage": () => json(usage),
    "GET /api/ai/usage/outcomes": () => json(outcomes),
    "GET /api/ai/prices": () => json({ items: [], total: 0 }),
    "GET /api/ai/budgets": () => json({ items: [], total: 0 }),
    "GET /api/ai/config": () => json({ configured: false, apiKeySet: false, secrets: "ok" }),
    ...routes,
  });
  return { calls, ...renderApp(<UsagePage />, { path }) };
}

const cells = (row: HTMLElement) => within(row).getAllByRole("cell").map(({ textContent }) => textContent);

describe("the report", () => {
  it("tells what is unknown as unknown, and estimates as such", async () => {
    show(me("usage:read"));
    const table = await screen.findByRole("table", { name: "Usage" });
    const [, sales, other, total] = within(table).getAllByRole("row");
    if (!sales || !other || !total) throw new Error("rows are missing");
    expect(within(sales).getByRole("rowheader").textContent).toBe("Sales1 call estimated");
    expect(cells(sales)).toEqual(["3", "1", "1,200", "34", "0", "US$0.00105", "400 ms", "–"]);
    expect(cells(other)[5]).toBe("–2 calls without a price");
    expect(cells(total)[0]).toBe("6");
  });

  it("tells of tools their calls, failures, proposals and time", async () => {
    const none = { promptTokens: 0, completionTokens: 0, cachedTokens: 0, estimated: 0, unpriced: 0 };
    const tool = { ...none, calls: 4, errors: 1, proposals: 2, averageMs: 35 };
    const lines = [{ key: "update_deal", name: "Prepare a change of a deal", ...tool }];
    show(me("usage:read"), { "GET /api/ai/usage": () => json({ ...usage, by: "tool", lines, total: tool }) }, "/?by=tool");
    const table = await screen.findByRole("table", { name: "Usage" });
    const heads = within(table).getAllByRole("columnheader");
    expect(heads.map(({ textContent }) => textContent)).toEqual(["Tool", "Calls", "Errors", "Proposals", "Average time"]);
    const row = within(table).getByRole("row", { name: /^Change deal/ });
    expect(cells(row)).toEqual(["4", "1", "2", "35 ms"]);
  });

  it("has no costs for those who do not see them", async () => {
    const { costs: _none, ...plain } = usage.total;
    show(me("usage:read"), { "GET /api/ai/usage": () => json({ ...usage, costShown: false, total: plain }) });
    const table = await screen.findByRole("table", { name: "Usage" });
    expect(within(table).queryByRole("columnheader", { name: "Cost" })).toBeNull();
    expect(screen.queryByText("Prices per million tokens")).toBeNull();
  });

  it("keeps period and grouping in the address, for the table to download, too", async () => {
    const { calls, router } = show(me("usage:read"), {}, "/admin/usage?by=user&from=2026-03-02");
    await screen.findByRole("table", { name: "Usage" });
    expect(calls.some(({ path }) => path === "/api/ai/usage?by=user&from=2026-03-02")).toBe(true);
    await userEvent.selectOptions(screen.getByLabelText("Grouped by"), "model");
    const to = screen.getByLabelText("To");
    fireEvent.change(to, { target: { value: "2026-03-15" } });
    fireEvent.blur(to);
    expect(router.state.location.search).toBe("?by=model&from=2026-03-02&to=2026-03-15");
    expect(screen.getByRole("link", { name: "Download CSV" }).getAttribute("href")).toBe(
      "/api/ai/usage.csv?by=model&from=2026-03-02&to=2026-03-15",
    );
  });
});

describe("what came of proposals", () => {
  it("is told with rates and times, unknown ones as unknown", async () => {
    show(me("usage:read"));
    const table = await screen.findByRole("table", { name: "Proposals" });
    expect(cells(within(table).getByRole("row", { name: /^Change deal/ }))).toEqual(
      ["12", "1", "233 %", "117 %", "0", "233 %1 with a reason", "10 %", "1", "3", "2", "30 s", "3,600 s"],
    );
    expect(cells(within(table).getByRole("row", { name: /Total/ }))).toEqual(
      ["12", "1", "2–", "1–", "0", "2–1 with a reason", "1–", "1", "3", "2", "–", "–"],
    );
  });

  it("is grouped in the address, for the same period, also as a file", async () => {
    const { calls, router } = show(me("usage:read"), {}, "/admin/usage?from=2026-03-02");
    await userEvent.selectOptions(await screen.findByLabelText("Proposals grouped by"), "month");
    expect(router.state.location.search).toBe("?from=2026-03-02&outcomes=month");
    await waitFor(() => {
      expect(calls.some(({ path }) => path === "/api/ai/usage/outcomes?by=month&from=2026-03-02")).toBe(true);
    });
    expect(screen.getByRole("link", { name: "Download proposals as CSV" }).getAttribute("href")).toBe(
      "/api/ai/usage/outcomes.csv?by=month&from=2026-03-02",
    );
  });

  it("is said to be nothing where nothing was proposed", async () => {
    show(me("usage:read"), { "GET /api/ai/usage/outcomes": () => json({ ...outcomes, lines: [] }) });
    expect(await screen.findByText("Nothing was proposed in this period.")).toBeTruthy();
  });
});

describe("an administrator", () => {
  const admin = me("usage:read", "ai-config:read", "ai-config:update");
  const type = async (form: HTMLElement, label: string, text: string) => {
    await userEvent.type(within(form).getByLabelText(label), text);
  };

  it("adds a price, from a day in Hong Kong on", async () => {
    const { calls } = show(admin, { "POST /api/ai/prices": () => json({}, 201) });
    const form = await screen.findByRole("form", { name: "Add price" });
    await type(form, "Model name", "gpt-x");
    await type(form, "Tokens in", "2.5");
    await type(form, "Tokens out", "10");
    fireEvent.change(within(form).getByLabelText("From (empty: now)"), { target: { value: "2026-04-01" } });
    await userEvent.click(within(form).getByRole("button", { name: "Add price" }));
    await waitFor(() => {
      expect(calls.find(({ method }) => method === "POST")?.body).toEqual({
        provider: "openai",
        model: "gpt-x",
        input: "2.5",
        output: "10",
        currency: "USD",
        startsAt: "2026-04-01T00:00:00+08:00",
      });
    });
  });

  it("sets a budget for one person, known by name", async () => {
    const { calls } = show(admin, {
      "GET /api/resolve/person": ({ path }) =>
        path.endsWith("q=Sam") ? json({ how: "exact", match: { id: "u7", name: "Sam" }, candidates: [] }) : problem(404, "NOT_FOUND"),
      "PUT /api/ai/budgets": () => json({ items: [], total: 0 }),
    });
    const form = await screen.findByRole("form", { name: "Set budget" });
    await userEvent.selectOptions(within(form).getByLabelText("For"), "oneUser");
    await type(form, "Name", "Nobody");
    await type(form, "Limit a month", "5000");
    await userEvent.click(within(form).getByRole("button", { name: "Set budget" }));
    expect(await within(form).findByText(/more than one person/)).toBeTruthy();
    await userEvent.clear(within(form).getByLabelText("Name"));
    await type(form, "Name", "Sam");
    await userEvent.click(within(form).getByRole("button", { name: "Set budget" }));
    await waitFor(() => {
      expect(calls.find(({ method }) => method === "PUT")?.body).toEqual({
        scope: "user",
        subject: "u7",
        unit: "tokens",
        amount: "5000",
      });
    });
  });

  it("sees how far a budget is used", async () => {
    const budget = { id: "b1", scope: "role", subject: "sales", name: "sales", unit: "cost", amount: "25.00", currency: "USD", used: "1.50" };
    show(admin, { "GET /api/ai/budgets": () => json({ items: [budget], total: 1 }) });
    expect(await screen.findByText("US$1.50 of US$25.00")).toBeTruthy();
  });

  it("changes how long a conversation may become, and nothing else of the configuration", async () => {
    const stored = { provider: "openai", endpointUrl: "https://api.example.test/v1", model: "m", maxRounds: 5, systemPrompt: "Be brief." };
    const config = { configured: true, apiKeySet: true, secrets: "ok", conversationTokens: 50_000, updatedAt: "2026-03-01T00:00:00Z", ...stored };
    const { calls } = show(admin, {
      "GET /api/ai/config": () => json(config),
      "PUT /api/ai/config": () => json(config),
    });
    const tokens = await screen.findByLabelText<HTMLInputElement>("Tokens per conversation");
    expect(tokens.value).toBe("50000");
    fireEvent.change(tokens, { target: { value: "80000" } });
    await userEvent.click(screen.getByLabelText("Show costs to everybody"));
    await userEvent.click(screen.getByRole("button", { name: "Save" }));
    await waitFor(() => {
      expect(calls.find(({ method }) => method === "PUT")?.body).toEqual({
        ...stored,
        conversationTokens: 80_000,
        showCost: true,
      });
    });
  });
});
