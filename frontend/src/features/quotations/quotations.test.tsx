import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { Route, Routes } from "react-router-dom";
import { describe, expect, it } from "vitest";

import { sessionKeys } from "@/api/session";
import type { Quotation, Scope } from "@/api/types";
import { meWith } from "@/test/me";
import { renderApp } from "@/test/render";
import { json, playServer, problem, type Call } from "@/test/server";

import { NewQuotationPage } from "./NewQuotationPage";
import { QuotationPage } from "./QuotationPage";
import { QuotationsPage } from "./QuotationsPage";

const hkd = (amount: string) => ({ amount, currency: "HKD" });
const draft: Quotation = {
  id: "q1",
  number: "Q-2026-0001",
  revision: 1,
  name: "Q-2026-0001",
  status: "DRAFT",
  companyId: "c1",
  companyName: "Acme",
  dealId: "d1",
  dealTitle: "Acme renewal",
  ownerId: "u1",
  ownerName: "Sally",
  validUntil: "2026-12-24",
  currency: "HKD",
  discountPercent: "10",
  items: [
    {
      productId: "p1",
      sku: "EL-1",
      name: "LED panel",
      unit: "piece",
      quantity: "2.5",
      unitPrice: "420.00",
      taxPercent: "0",
      lineTotal: hkd("1050.00"),
      tax: hkd("0.00"),
    },
  ],
  subtotal: hkd("1050.00"),
  discount: hkd("105.00"),
  net: hkd("945.00"),
  tax: hkd("0.00"),
  total: hkd("945.00"),
  version: 3,
  createdAt: "2026-11-01T00:00:00Z",
  updatedAt: "2026-11-01T00:00:00Z",
};
const sent: Quotation = { ...draft, status: "SENT", sentAt: "2026-11-29T04:05:00Z", version: 4 };
const product = { id: "p2", sku: "EL-2", name: "LED downlight", unit: "box", taxRate: "5", price: hkd("98.00"), active: true, version: 1 };
const empty = { items: [], total: 0 };

const RIGHTS = ["read", "create", "update", "delete", "restore", "send"].map((action) => `quotation:${action}`);

function page(path: string, routes: Parameters<typeof playServer>[0] = {}, scope: Scope = "own") {
  const calls = playServer({
    "GET /api/quotations": () => json({ items: [draft], total: 1 }),
    "GET /api/quotations/q1": () => json(draft),
    "GET /api/quotations/q1/history": () => json(empty),
    "GET /api/quotations/q1/timeline": () => json(empty),
    "GET /api/deliveries": () => json(empty),
    "GET /api/pipelines": () => json(empty),
    "GET /api/products": () => json({ items: [product], total: 1 }),
    "GET /api/products/p2": () => json(product),
    "GET /api/deals/d1": () =>
      json({ id: "d1", title: "Acme renewal", companyId: "c1", companyName: "Acme", amount: { amount: "5.00", currency: "USD" } }),
    ...routes,
  });
  const ui = (
    <Routes>
      <Route path="/quotations" element={<QuotationsPage />} />
      <Route path="/quotations/new" element={<NewQuotationPage />} />
      <Route path="/quotations/:id" element={<QuotationPage />} />
    </Routes>
  );
  const view = renderApp(ui, { path });
  view.client.setQueryData(sessionKeys.me, meWith(scope, ...RIGHTS));
  return { ...view, calls };
}

const wrote = (calls: Call[]) =>
  calls.filter(({ method }) => method !== "GET").map(({ method, path, headers, body }) => [method, path, headers.get("If-Match"), body]);
const button = (name: string) => screen.getByRole("button", { name });
const press = async (name: string) => userEvent.click(await screen.findByRole("button", { name }));

async function retype(label: string, text: string) {
  await userEvent.clear(screen.getByLabelText(label));
  await userEvent.type(screen.getByLabelText(label), text);
}

describe("the list", () => {
  it("takes its filters from the URL, and changes them there", async () => {
    const { calls } = page("/quotations?q=0001&status=SENT&who=me", {}, "team");
    const row = within((await screen.findAllByRole("row"))[1] as HTMLElement);
    expect(row.getByRole("link", { name: draft.name }).getAttribute("href")).toBe("/quotations/q1");
    expect(row.getByRole("link", { name: "Acme" })).toBeTruthy();
    expect(row.getByText("HK$945.00")).toBeTruthy();
    const asks = (query: string) =>
      waitFor(() => {
        expect(calls.at(-1)?.path).toBe(`/api/quotations?q=0001&${query}&limit=50`);
      });
    await asks("status=SENT&ownerId=u1");
    await userEvent.selectOptions(screen.getByLabelText("Status"), "Accepted");
    await asks("status=ACCEPTED&ownerId=u1");
    await userEvent.selectOptions(screen.getByLabelText("Owner"), "Everyone’s");
    await asks("status=ACCEPTED");
  });

  it("offers to clear filters that find nothing, and then to draft the first", async () => {
    page("/quotations?status=EXPIRED", { "GET /api/quotations": () => json(empty) });
    await press("Clear filters");
    await screen.findByText("There are no quotations yet.");
    expect(screen.getAllByRole("link", { name: "New quotation" })).toHaveLength(2);
  });

  it("says what went wrong, and tries again", async () => {
    let fails = true;
    page("/quotations", {
      "GET /api/quotations": () => (fails ? problem(503, "UNAVAILABLE") : json({ items: [draft], total: 1 })),
    });
    await screen.findByRole("alert");
    fails = false;
    await press("Try again");
    await screen.findByRole("link", { name: draft.name });
  });
});

describe("a draft", () => {
  it("shows the lines and totals as the server gives them", async () => {
    page("/quotations/q1");
    const lines = within(await screen.findByRole("table", { name: "Lines" }));
    expect(lines.getAllByRole("cell").map(({ textContent }) => textContent)).toEqual([
      "LED panelEL-1",
      "2.5 piece",
      "HK$420.00",
      "",
      "0%",
      "HK$1,050.00",
    ]);
    const total = (label: string) => screen.getAllByText(label).at(-1)?.nextElementSibling?.textContent;
    expect(["Subtotal", "Discount (10%)", "Before tax", "Tax", "Total"].map(total)).toEqual([
      "HK$1,050.00",
      "HK$105.00",
      "HK$945.00",
      "HK$0.00",
      "HK$945.00",
    ]);
  });

  it("shows no e-mails where there are none", async () => {
    const { calls } = page("/quotations/q1");
    await screen.findByRole("heading", { name: "Timeline" });
    expect(calls.map(({ path }) => path)).toContain("/api/deliveries?quotationId=q1&limit=20");
    expect(screen.queryByRole("heading", { name: "E-mails" })).toBeNull();
  });

  it("tells its lines and statuses in words in its history", async () => {
    const row = (field: string, before: unknown, after: unknown) => ({
      ...{ id: field, at: "2026-11-29T04:05:00Z", field, before, after },
      actor: { name: "Sally", via: "web" },
    });
    const items = [row("status", "DRAFT", "SENT"), row("items", ["LED × 1"], ["LED × 2", "Delivery × 1"])];
    page("/quotations/q1", { "GET /api/quotations/q1/history": () => json({ items, total: 2 }) });
    const list = await screen.findByTestId("quotation-history");
    expect([...list.querySelectorAll("li > p:first-child")].map((line) => line.textContent)).toEqual([
      "StatusDraftbecomesSent",
      "LinesLED × 1becomesLED × 2 · Delivery × 1",
    ]);
  });

  it("gets a line of a product by keyboard and one in words, with all lines sent in their order", async () => {
    const { calls } = page("/quotations/q1", {
      "GET /api/resolve/product": () => json({ candidates: [{ type: "product", id: "p2", name: product.name }] }),
      "PATCH /api/quotations/q1": () => json({ ...draft, version: 4 }),
    });
    await press("Edit");
    expect(screen.queryByRole("button", { name: "Mark as sent" })).toBeNull();
    await press("Add line");
    const second = within(screen.getByRole("group", { name: "Line 2" }));
    expect(document.activeElement).toBe(second.getByLabelText("Description"));
    await userEvent.type(second.getByLabelText("Product"), "down");
    await screen.findByRole("option", { name: product.name });
    await userEvent.keyboard("{Enter}");
    await waitFor(() => {
      expect(second.getByLabelText<HTMLInputElement>("Unit price").value).toBe("98.00");
    });
    await press("Add line");
    const third = within(screen.getByRole("group", { name: "Line 3" }));
    await userEvent.type(third.getByLabelText("Description"), "Delivery");
    await userEvent.type(third.getByLabelText("Unit price"), "1,200");
    await userEvent.type(third.getByLabelText("Discount"), "50.00");
    await userEvent.clear(screen.getByLabelText("Discount on all lines"));
    await press("Save");
    await waitFor(() => {
      expect(document.activeElement).toBe(button("Edit"));
    });
    const items = [
      { productId: "p1", name: "LED panel", unit: "piece", quantity: "2.5", unitPrice: "420.00", taxPercent: "0" },
      { productId: "p2", name: "LED downlight", unit: "box", quantity: "1", unitPrice: "98.00", taxPercent: "5" },
      { name: "Delivery", quantity: "1", unitPrice: "1,200", discountAmount: "50.00" },
    ];
    expect(wrote(calls)).toEqual([["PATCH", "/api/quotations/q1", '"3"', { discountPercent: null, items }]]);
  });

  it("says what is wrong with a line at that line, here and from the server", async () => {
    const errors = [{ path: "items[1].taxPercent", message: "The tax must be between 0 and 100 percent." }];
    const { calls } = page("/quotations/q1", { "PATCH /api/quotations/q1": () => problem(422, "INVALID", { errors }) });
    await press("Edit");
    await press("Add line");
    const second = within(screen.getByRole("group", { name: "Line 2" }));
    await retype("Discount on all lines", "a lot");
    await press("Save");
    await second.findByText("Choose a product or describe the line.");
    expect(second.getByText("Fill this in.")).toBeTruthy();
    expect(screen.getByText("Write 10% or an amount such as 50.00.")).toBeTruthy();
    expect(wrote(calls)).toEqual([]);
    await retype("Discount on all lines", "10%");
    await userEvent.type(second.getByLabelText("Description"), "Delivery");
    await userEvent.type(second.getByLabelText("Unit price"), "1");
    await userEvent.type(second.getByLabelText("Tax %"), "500");
    await press("Save");
    await second.findByText("The tax must be between 0 and 100 percent.");
  });

  it("that somebody else has changed keeps the lines that were typed, and is saved over the new version", async () => {
    const theirs = { ...draft, notes: "Theirs", items: [], version: 4 };
    const { calls } = page("/quotations/q1", {
      "PATCH /api/quotations/q1": ({ headers }) =>
        headers.get("If-Match") === '"4"' ? json({ ...draft, version: 5 }) : problem(409, "STALE", { current: theirs }),
    });
    await press("Edit");
    await retype("Quantity", "3");
    await press("Save");
    expect((await screen.findByRole("alert")).textContent).toContain("nothing was saved");
    expect(screen.getByLabelText<HTMLInputElement>("Quantity").value).toBe("3");
    expect(screen.getByText("Now stored: (empty)")).toBeTruthy();
    expect(screen.getByLabelText<HTMLInputElement>("Notes").value).toBe("Theirs");
    await press("Save");
    await waitFor(() => {
      expect(wrote(calls).map(([, , version]) => version)).toEqual(['"3"', '"4"']);
    });
  });

  it("is sent after one question, with the version that was seen", async () => {
    const { calls } = page("/quotations/q1", { "PATCH /api/quotations/q1": () => json(sent) });
    await press("Mark as sent");
    expect(wrote(calls)).toEqual([]);
    await press("Mark as sent");
    await screen.findByText("Q-2026-0001: Sent.");
    expect(wrote(calls)).toEqual([["PATCH", "/api/quotations/q1", '"3"', { status: "SENT" }]]);
  });

  it("without lines cannot be sent", async () => {
    page("/quotations/q1", { "GET /api/quotations/q1": () => json({ ...draft, items: [] }) });
    await screen.findByText(/^There are no lines yet/);
    expect(screen.queryByRole("button", { name: "Mark as sent" })).toBeNull();
    expect(button("Edit")).toBeTruthy();
  });
});

describe("a quotation that was sent", () => {
  it("tells of its e-mails, and one of which nobody knows is marked as sent", async () => {
    const unknown = {
      ...{ id: "m1", proposalId: "p", quotationId: "q1", quotationName: sent.name, to: "a•••@acme.test", subject: "Our offer" },
      ...{ status: "unknown", message: "It may have arrived.", updatedAt: "2026-11-29T04:05:00Z" },
    };
    let items = [unknown];
    const { calls } = page("/quotations/q1", {
      "GET /api/quotations/q1": () => json(sent),
      "GET /api/deliveries": () => json({ items, total: 1 }),
      "POST /api/deliveries/m1/sent": () => {
        items = [{ ...unknown, status: "sent", message: "" }];
        return json(items[0]);
      },
    });
    expect((await screen.findByText("Our offer")).closest("li")?.textContent).toContain("It may have arrived.");
    await press("Mark as sent");
    await screen.findByText(/The e-mail to a•••@acme.test was sent/);
    expect(wrote(calls).map(([method, path]) => [method, path])).toEqual([["POST", "/api/deliveries/m1/sent"]]);
    expect(document.activeElement?.textContent).toContain("was sent");
  });

  const step = (name: string) => screen.queryByRole("button", { name }) !== null;
  const steps = () => ["Edit", "Revise", "Mark as accepted", "Mark as rejected", "Mark as expired"].filter(step);

  it.each<[string, Partial<Quotation>, string[]]>([
    ["a draft", draft, ["Edit"]],
    ["sent", sent, ["Revise", "Mark as accepted", "Mark as rejected", "Mark as expired"]],
    ["replaced", { ...sent, supersededAt: "2026-11-29T04:05:00Z" }, ["Revise"]],
    ["accepted", { ...sent, status: "ACCEPTED" }, []],
    ["rejected", { ...sent, status: "REJECTED" }, ["Revise"]],
    ["of somebody else", { ...sent, ownerId: "u2" }, []],
  ])("has the steps that fit: %s", async (_, quotation, want) => {
    page("/quotations/q1", { "GET /api/quotations/q1": () => json({ ...draft, ...quotation }) });
    await screen.findByRole("heading", { name: draft.name });
    expect(steps()).toEqual(want);
  });

  it("says in words that it has changed meanwhile", async () => {
    page("/quotations/q1", {
      "GET /api/quotations/q1": () => json(sent),
      "PATCH /api/quotations/q1": () => problem(409, "STALE", { current: sent }),
    });
    await press("Mark as accepted");
    await press("Mark as accepted");
    await screen.findByText(/^Somebody else changed Q-2026-0001 meanwhile/);
  });

  it("is revised into a new draft, which is shown", async () => {
    const next = { ...draft, id: "q2", revision: 2, name: "Q-2026-0001-R2" };
    const { router } = page("/quotations/q1", {
      "GET /api/quotations/q1": () => json(sent),
      "GET /api/quotations/q2": () => json(next),
      "POST /api/quotations/q1/revise": () => json(next, 201),
    });
    await press("Revise");
    await screen.findByRole("heading", { name: next.name });
    expect(router.state.location.pathname).toBe("/quotations/q2");
  });
});

describe("a new quotation", () => {
  it("is on the deal of the address, for its company and in its currency", async () => {
    const { calls, router } = page("/quotations/new?deal=d1", {
      "POST /api/quotations": () => json(draft, 201),
    });
    expect((await screen.findByLabelText<HTMLInputElement>("Company")).value).toBe("Acme");
    await press("Save draft");
    await waitFor(() => {
      expect(router.state.location.pathname).toBe("/quotations/q1");
    });
    const body = { companyId: "c1", dealId: "d1", currency: "USD", items: [] };
    expect(wrote(calls)).toEqual([["POST", "/api/quotations", null, body]]);
  });

  it("asks for a company before anything is sent", async () => {
    const { calls } = page("/quotations/new");
    await press("Save draft");
    await screen.findByText("Fill this in.");
    expect(wrote(calls)).toEqual([]);
  });
});
