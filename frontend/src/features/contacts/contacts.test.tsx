import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { Route, Routes } from "react-router-dom";
import { describe, expect, it } from "vitest";

import { sessionKeys } from "@/api/session";
import type { Contact, Scope } from "@/api/types";
import { meWith } from "@/test/me";
import { renderApp } from "@/test/render";
import { json, playServer, problem, type Call } from "@/test/server";

import { ContactPage } from "./ContactPage";
import { ContactsPage } from "./ContactsPage";
import { NewContactPage } from "./NewContactPage";

const amy: Contact = {
  id: "k1",
  name: "Chan Amy 陳美",
  jobTitle: "Buyer",
  companyId: "c1",
  companyName: "Acme",
  email: "amy@acme.example",
  phone: "+85265550001",
  language: "zh-HK",
  ownerId: "u1",
  ownerName: "Sally",
  version: 3,
  createdAt: "2026-11-01T00:00:00Z",
  updatedAt: "2026-11-01T00:00:00Z",
};
const empty = { items: [], total: 0 };

function page(path: string, routes: Parameters<typeof playServer>[0] = {}, scope: Scope = "own") {
  const calls = playServer({
    "GET /api/contacts": () => json({ items: [amy], total: 1 }),
    "GET /api/contacts/k1": () => json(amy),
    "GET /api/contacts/k1/history": () => json(empty),
    "GET /api/companies/c1": () => json({ id: "c1", name: "Acme" }),
    "GET /api/tasks": () => json(empty),
    "GET /api/pipelines": () => json(empty),
    "GET /api/companies": () => json({ items: [{ id: "c2", name: "Ballet Co" }], total: 1 }),
    ...routes,
  });
  const ui = (
    <Routes>
      <Route path="/contacts" element={<ContactsPage />} />
      <Route path="/contacts/new" element={<NewContactPage />} />
      <Route path="/contacts/:id" element={<ContactPage />} />
    </Routes>
  );
  const view = renderApp(ui, { path });
  const rights = ["read", "create", "update", "delete"].map((action) => `contact:${action}`);
  view.client.setQueryData(sessionKeys.me, meWith(scope, ...rights, "task:read"));
  return { ...view, calls };
}

const writes = (calls: Call[]) => calls.filter(({ method }) => method !== "GET");
const wrote = (calls: Call[]) =>
  writes(calls).map(({ method, headers, body }) => [method, headers.get("If-Match"), body]);
const button = (name: string) => screen.getByRole("button", { name });

async function edit() {
  await userEvent.click(await screen.findByRole("button", { name: "Edit" }));
}

async function retype(label: string, text: string) {
  await userEvent.clear(screen.getByLabelText(label));
  await userEvent.type(screen.getByLabelText(label), text);
}

describe("the list", () => {
  it("shows company and owner, takes its search from the URL, and loads the next page by its cursor", async () => {
    const next = { items: [{ ...amy, id: "k2", name: "Second" }], total: 2 };
    const { calls } = page("/contacts?q=amy", {
      "GET /api/contacts": ({ path }) =>
        json(path.includes("cursor=next") ? next : { items: [amy], nextCursor: "next", total: 2 }),
    });
    const row = within(await screen.findByRole("listitem"));
    expect(row.getByRole("link", { name: amy.name }).getAttribute("href")).toBe("/contacts/k1");
    expect(row.getByRole("link", { name: "Acme" }).getAttribute("href")).toBe("/companies/c1");
    expect(row.getByText(/Sally/)).toBeTruthy();
    await userEvent.click(button("Load more"));
    await screen.findByRole("link", { name: "Second" });
    const asked = calls.map(({ path }) => path).filter((path) => path.startsWith("/api/contacts"));
    expect(asked).toEqual([
      "/api/contacts?q=amy&limit=50",
      "/api/contacts?q=amy&limit=50&cursor=next",
    ]);
  });

  it("offers to clear a search that finds nothing, and then to add the first", async () => {
    page("/contacts?q=nobody", { "GET /api/contacts": () => json(empty) });
    await userEvent.click(await screen.findByRole("button", { name: "Clear filters" }));
    await screen.findByText("There are no contacts yet.");
    const links = screen.getAllByRole("link", { name: "New contact" });
    expect(links.map((link) => link.getAttribute("href"))).toEqual(["/contacts/new", "/contacts/new"]);
  });

  it("says what went wrong, and tries again", async () => {
    let fails = true;
    page("/contacts", {
      "GET /api/contacts": () => (fails ? problem(503, "UNAVAILABLE") : json({ items: [amy], total: 1 })),
    });
    expect((await screen.findByRole("alert")).textContent).toContain("not available");
    fails = false;
    await userEvent.click(button("Try again"));
    await screen.findByRole("link", { name: amy.name });
  });
});

describe("a contact", () => {
  it("marks what is hidden, says why, and never sends it back", async () => {
    const hidden = { email: "a•••@acme.example", phone: "••••••01" };
    const masked = { ...amy, ...hidden, maskedFields: Object.keys(hidden) };
    const { calls } = page("/contacts/k1", {
      "GET /api/contacts/k1": () => json(masked),
      "PATCH /api/contacts/k1": () => json({ ...masked, jobTitle: "Owner", version: 4 }),
    });
    await screen.findByText("••••••01");
    expect(screen.getAllByText("partly hidden")).toHaveLength(2);
    expect(screen.getByText(/you may not see its personal data/)).toBeTruthy();
    await edit();
    expect(screen.getByLabelText<HTMLInputElement>("Phone").disabled).toBe(true);
    await retype("Job title", "Owner");
    await userEvent.click(button("Save"));
    await waitFor(() => {
      expect(wrote(calls)).toEqual([["PATCH", '"3"', { jobTitle: "Owner" }]]);
    });
  });

  it.each<[Scope, string, boolean]>([
    ["own", "u1", true],
    ["own", "u2", false],
    ["all", "u2", true],
  ])("with the right %s, of %s, may be edited: %s", async (scope, ownerId, want) => {
    page("/contacts/k1", { "GET /api/contacts/k1": () => json({ ...amy, ownerId }) }, scope);
    await screen.findByRole("heading", { name: amy.name });
    expect(screen.queryByRole("button", { name: "Edit" }) !== null).toBe(want);
    expect(screen.queryByRole("button", { name: "Delete contact" }) !== null).toBe(want);
  });

  it("is changed by what was changed, with the company chosen by keyboard and the e-mail cleared", async () => {
    const { calls } = page("/contacts/k1", {
      "GET /api/resolve/company": () => json({ candidates: [{ type: "company", id: "c2", name: "Ballet Co" }] }),
      "PATCH /api/contacts/k1": () => json({ ...amy, version: 4 }),
    });
    await edit();
    await userEvent.clear(screen.getByLabelText("E-mail"));
    await retype("Company", "ball");
    await screen.findByRole("option", { name: "Ballet Co" });
    await userEvent.keyboard("{Enter}");
    expect(screen.getByLabelText<HTMLInputElement>("Company").value).toBe("Ballet Co");
    expect(writes(calls)).toEqual([]);
    await userEvent.click(button("Save"));
    await waitFor(() => {
      expect(document.activeElement).toBe(button("Edit"));
    });
    expect(wrote(calls)).toEqual([["PATCH", '"3"', { companyId: "c2", email: null }]]);
  });

  it("that somebody else has changed keeps what was typed, shows both, and is saved over the new version", async () => {
    let stored: Contact = amy;
    const { calls } = page("/contacts/k1", {
      "GET /api/contacts/k1": () => json(stored),
      "PATCH /api/contacts/k1": ({ headers }) => {
        if (headers.get("If-Match") === '"4"') return json({ ...stored, jobTitle: "Mine", version: 5 });
        stored = { ...amy, jobTitle: "Theirs", name: "Chan Amy", version: 4 };
        return problem(409, "STALE", { current: stored });
      },
    });
    await edit();
    await retype("Job title", "Mine");
    await userEvent.click(button("Save"));
    expect((await screen.findByRole("alert")).textContent).toContain("nothing was saved");
    expect(screen.getByText("Now stored: Theirs")).toBeTruthy();
    expect(screen.getByLabelText<HTMLInputElement>("Job title").value).toBe("Mine");
    expect(screen.getByLabelText<HTMLInputElement>("Name").value).toBe("Chan Amy");
    await userEvent.click(button("Save"));
    await waitFor(() => {
      expect(screen.queryByLabelText("Name")).toBeNull();
    });
    expect(wrote(calls)).toEqual([
      ["PATCH", '"3"', { jobTitle: "Mine" }],
      ["PATCH", '"4"', { jobTitle: "Mine" }],
    ]);
  });
});

describe("a new contact", () => {
  it("is at the company of the address, says what is wrong with each field, and leads to its page", async () => {
    const { calls, router } = page("/contacts/new?company=c1", {
      "POST /api/contacts": () => json(amy, 201),
    });
    await userEvent.click(await screen.findByRole("button", { name: "Add contact" }));
    const name = screen.getByLabelText("Name");
    await waitFor(() => {
      expect(name.getAttribute("aria-invalid")).toBe("true");
    });
    await userEvent.type(name, "Amy");
    await userEvent.type(screen.getByLabelText("Phone"), "6555 0001");
    await userEvent.type(screen.getByLabelText("E-mail"), "amy@");
    await userEvent.click(button("Add contact"));
    expect(await screen.findByText(/^Write the number with its country code/)).toBeTruthy();
    expect(screen.getByText(/^Enter an e-mail address/)).toBeTruthy();
    expect(writes(calls)).toEqual([]);
    await retype("Phone", "+852 6555-0001");
    await userEvent.type(screen.getByLabelText("E-mail"), "acme.example");
    await userEvent.click(button("Add contact"));
    await waitFor(() => {
      expect(router.state.location.pathname).toBe("/contacts/k1");
    });
    const body = { name: "Amy", companyId: "c1", phone: "+852 6555-0001", email: "amy@acme.example" };
    expect(wrote(calls)).toEqual([["POST", null, body]]);
  });

  it("shows what the server says about a field at that field, and asks before it is left", async () => {
    const refusal = { errors: [{ path: "companyId", message: "You do not see this company." }] };
    const { router } = page("/contacts/new?company=c1", {
      "POST /api/contacts": () => problem(422, "INVALID", refusal),
    });
    await userEvent.type(await screen.findByLabelText("Name"), "Amy");
    await userEvent.click(button("Add contact"));
    const company = await screen.findByLabelText("Company");
    await waitFor(() => {
      expect(company.getAttribute("aria-invalid")).toBe("true");
    });
    await userEvent.click(button("Cancel"));
    await screen.findByRole("alertdialog", { name: "Leave without saving?" });
    await userEvent.click(button("Leave"));
    expect(router.state.location.pathname).toBe("/companies/c1");
  });
});
