import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { Route, Routes } from "react-router-dom";
import { describe, expect, it } from "vitest";

import { sessionKeys } from "@/api/session";
import type { Deal, Scope } from "@/api/types";
import { renderApp } from "@/test/render";
import { json, playServer, problem } from "@/test/server";

import { DealPage } from "./DealPage";
import { DealsPage } from "./DealsPage";

const deal: Deal = {
  id: "d1",
  title: "Acme renewal",
  pipelineId: "p1",
  pipelineName: "Renewals",
  stageId: "s1",
  stageName: "Proposal",
  stageKind: "OPEN",
  amount: { amount: "1234.50", currency: "HKD" },
  ownerId: "u2",
  ownerName: "Wing Lam",
  version: 3,
  createdAt: "2026-11-01T00:00:00Z",
  updatedAt: "2026-11-01T00:00:00Z",
};
const pipelines = {
  items: [
    {
      id: "p1",
      name: "Renewals",
      position: 1,
      stages: [
        { id: "s1", name: "Proposal", kind: "OPEN", probability: 50, position: 1 },
        { id: "s2", name: "Won", kind: "WON", probability: 100, position: 2 },
      ],
    },
  ],
};
const change = (actor: object) => ({
  id: "h",
  at: "2026-11-29T04:05:00Z",
  field: "stageId",
  before: "s1",
  after: "s2",
  actor,
});

function page(routes: Parameters<typeof playServer>[0], scope?: Scope, path = "/deals/d1") {
  const calls = playServer({
    "GET /api/deals/d1": () => json(deal),
    "GET /api/deals/d1/timeline": () => json({ items: [], total: 0 }),
    "GET /api/deals/d1/history": () => json({ items: [], total: 0 }),
    "GET /api/pipelines": () => json(pipelines),
    "GET /api/deals": () => json({ items: [deal], total: 1 }),
    ...routes,
  });
  const ui = (
    <Routes>
      <Route path="/deals" element={<DealsPage />} />
      <Route path="/deals/:id" element={<DealPage />} />
    </Routes>
  );
  const view = renderApp(ui, { path });
  view.client.setQueryData(sessionKeys.me, {
    user: { id: "u1" },
    permissions: scope ? ["deal:delete", "deal:restore"].map((permission) => ({ permission, scope })) : [],
    demo: false,
  });
  return { ...view, calls };
}

describe("a deal", () => {
  it.each([
    [{ name: "Sally", via: "assistant", model: "openai/model-1" }, "Assistant (openai/model-1) for Sally"],
    [{ name: "Sally", via: "command" }, "Assistant (command) for Sally"],
    [{ name: "Sally", via: "web" }, "Sally · Web"],
    [{ name: "expiry", via: "system" }, "System"],
  ])("says who changed it: %j", async (actor, who) => {
    page({ "GET /api/deals/d1/history": () => json({ items: [change(actor)], total: 1 }) });
    const row = await waitFor(() => {
      const found = screen.getByTestId("deal-history").querySelector("li");
      expect(found?.textContent).toContain("Won");
      return found;
    });
    expect(row?.textContent).toContain(who);
    expect(row?.textContent).toContain("StageProposalbecomesWon");
  });

  it("shows the values of its history as a person reads them", async () => {
    const row = (id: string, field: string, before: unknown, after: unknown, names = {}) => ({
      ...change({ name: "Sally", via: "web" }),
      ...{ id, field, before, after },
      ...names,
    });
    const items = [
      row("1", "amount", null, { amount: "5.00", currency: "USD" }),
      row("2", "expectedCloseDate", "2026-11-29", "2026-12-01"),
      row("3", "closedAt", null, "2026-11-29T04:05:06.123456Z"),
      row("4", "ownerId", "u1", "u2", { beforeName: "Sally", afterName: "Wing" }),
    ];
    page({ "GET /api/deals/d1/history": () => json({ items, total: 4 }) });
    const list = await screen.findByTestId("deal-history");
    expect([...list.querySelectorAll("li > p:first-child")].map((line) => line.textContent)).toEqual([
      "Amount(empty)becomesUS$5.00",
      "Expected close29 Nov 2026becomes1 Dec 2026",
      "Closed(empty)becomes29 Nov 2026, 12:05 pm",
      "OwnerSallybecomesWing",
    ]);
  });

  it("says in words when it cannot be seen", async () => {
    page({ "GET /api/deals/d1": () => problem(404, "NOT_FOUND") });
    expect((await screen.findByRole("alert")).textContent).toContain("no access to it");
  });

  it.each<[Scope | undefined, boolean]>([
    [undefined, false],
    ["own", false],
    ["team", true],
    ["all", true],
  ])("of somebody else, with the right %s, has a delete button: %s", async (scope, want) => {
    page({}, scope);
    await screen.findByRole("heading", { name: "Acme renewal" });
    expect(screen.queryByRole("button", { name: "Delete deal" }) !== null).toBe(want);
  });

  it("is deleted after one question with the version that was seen, and comes back by Undo", async () => {
    const { calls } = page(
      {
        "DELETE /api/deals/d1": () => new Response(null, { status: 204 }),
        "POST /api/deals/d1/restore": () => json({ ...deal, version: 5 }),
      },
      "all",
    );
    await userEvent.click(await screen.findByRole("button", { name: "Delete deal" }));
    expect(calls.every(({ method }) => method === "GET")).toBe(true);
    await userEvent.click(screen.getByRole("button", { name: "Delete deal" }));
    await userEvent.click(await screen.findByRole("button", { name: "Undo" }));
    await screen.findByText("“Acme renewal” is back.");
    const writes = calls.filter(({ method }) => method !== "GET");
    expect(writes.map(({ method, headers }) => [method, headers.get("If-Match")])).toEqual([
      ["DELETE", '"3"'],
      ["POST", null],
    ]);
  });
});

describe("the list", () => {
  const asked = (calls: { path: string }[]) => calls.filter(({ path }) => path.startsWith("/api/deals?")).at(-1)?.path;

  it("takes its filters from the URL", async () => {
    const { calls } = page({}, undefined, "/deals?pipeline=p1&stage=s1&q=acme");
    await screen.findByRole("link", { name: "Acme renewal" });
    expect(asked(calls)).toBe("/api/deals?pipelineId=p1&stageId=s1&q=acme&limit=50");
    expect(screen.getByText("HK$1,234.50")).toBeTruthy();
    expect(screen.getByText("1 of 1 shown")).toBeTruthy();
  });

  it("loads the next page by its cursor", async () => {
    const { calls } = page(
      {
        "GET /api/deals": ({ path }) =>
          json(
            path.includes("cursor=next")
              ? { items: [{ ...deal, id: "d2", title: "Second" }], total: 2 }
              : { items: [deal], nextCursor: "next", total: 2 },
          ),
      },
      undefined,
      "/deals",
    );
    await userEvent.click(await screen.findByRole("button", { name: "Load more" }));
    await screen.findByRole("link", { name: "Second" });
    expect(asked(calls)).toContain("cursor=next");
    expect(screen.queryByRole("button", { name: "Load more" })).toBeNull();
  });

  it("offers to clear filters that find nothing", async () => {
    const { calls } = page({ "GET /api/deals": () => json({ items: [], total: 0 }) }, undefined, "/deals?q=nothing");
    await userEvent.click(await screen.findByRole("button", { name: "Clear filters" }));
    expect(await screen.findByText("There are no deals yet.")).toBeTruthy();
    expect(asked(calls)).toBe("/api/deals?limit=50");
  });
});
