import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { Route, Routes } from "react-router-dom";
import { describe, expect, it } from "vitest";

import { sessionKeys } from "@/api/session";
import type { ApprovalRule, ApprovalRuleOptions } from "@/api/types";
import { i18n } from "@/i18n";
import { meWith } from "@/test/me";
import { renderApp } from "@/test/render";
import { json, playServer, problem, type Call } from "@/test/server";

import { ApprovalRulePage } from "./ApprovalRulePage";
import { ApprovalRulesPage } from "./ApprovalRulesPage";
import { NewApprovalRulePage } from "./NewApprovalRulePage";

const large: ApprovalRule = {
  id: "r1",
  version: 3,
  updatedAt: "2026-11-29T04:05:00Z",
  tool: "update_deal",
  role: "sales",
  metric: "amount",
  threshold: "500000.00",
  currency: "HKD",
  effect: "approve",
  approverRole: "manager",
  expiresAfterHours: 24,
  escalationRole: "admin",
  escalatesAfterHours: 4,
};
const always = { ...large, id: "r2", tool: "", role: "", metric: "", threshold: "", currency: "", escalationRole: "" };
const asking = { ...always, id: "r3", tool: "fly_kite", role: "owl", effect: "confirm", approverRole: "", expiresAfterHours: 0 };
const options: ApprovalRuleOptions = {
  tools: [
    { name: "update_deal", label: "Preparing a change of a deal", runsAtOnce: false },
    { name: "create_task", label: "Adding a task", runsAtOnce: true },
    { name: "fly_kite", label: "Flying a kite", runsAtOnce: true },
  ],
  roles: [
    { slug: "admin", name: "Administrator", approves: ["update_deal", "create_task", "fly_kite"] },
    { slug: "manager", name: "Manager", approves: ["update_deal", "create_task"] },
    { slug: "sales", name: "Sales", approves: ["create_task"] },
    { slug: "owl", name: "Night owl", approves: [] },
  ],
};
const READ = "approval-rule:read";
const UPDATE = "approval-rule:update";

function page(path: string, routes: Parameters<typeof playServer>[0] = {}, rights = [READ, UPDATE]) {
  const calls = playServer({
    "GET /api/approval-rules": () => json({ items: [large, always, asking], total: 3 }),
    "GET /api/approval-rules/options": () => json(options),
    ...routes,
  });
  const ui = (
    <Routes>
      <Route path="/admin/approval-rules" element={<ApprovalRulesPage />} />
      <Route path="/admin/approval-rules/new" element={<NewApprovalRulePage />} />
      <Route path="/admin/approval-rules/:id" element={<ApprovalRulePage />} />
    </Routes>
  );
  const view = renderApp(ui, { path: `/admin/approval-rules${path}` });
  view.client.setQueryData(sessionKeys.me, meWith("all", ...rights));
  return { ...view, calls };
}

const wrote = (calls: Call[]) =>
  calls
    .filter(({ method }) => method !== "GET")
    .map(({ method, path, headers, body }) => [method, path, headers.get("If-Match"), body]);
const choose = async (label: string, value: string) => {
  await userEvent.selectOptions(await screen.findByLabelText(label), value);
};
const press = async (name: string) => {
  await userEvent.click(screen.getByRole("button", { name }));
};
const retype = async (label: string, text: string) => {
  await userEvent.clear(screen.getByLabelText(label));
  await userEvent.type(screen.getByLabelText(label), text);
};

describe("the list", () => {
  const sentences = async () =>
    (await screen.findAllByRole("listitem")).map((row) =>
      within(row)
        .getAllByText(/./, { selector: "p" })
        .map(({ textContent }) => textContent),
    );

  it("tells the rules in sentences, and those of unknown tools and roles by the names of the server", async () => {
    page("");
    expect(await sentences()).toEqual([
      [
        "A deal changed by a salesperson above HK$500,000.00 needs the approval of a manager.",
        "Waits for 24 hours. After 4 hours an admin may approve as well.",
      ],
      ["Anything changed by anybody needs the approval of a manager.", "Waits for 24 hours."],
      ["Flying a kite by somebody with the role Night owl has to be confirmed first."],
    ]);
  });

  it("speaks Chinese", async () => {
    await i18n.changeLanguage("zh-HK");
    page("");
    const [[sentence] = []] = await sentences();
    expect(sentence).toBe("銷售人員更改商機資料，金額超過 HK$500,000.00，須由經理批准。");
  });

  it("says what rules are for while there are none", async () => {
    page("", { "GET /api/approval-rules": () => json({ items: [], total: 0 }) });
    await screen.findByText("There are no approval rules yet.");
    expect(screen.getByText(/^A rule asks for more care than usual/)).toBeTruthy();
    expect(screen.getByRole("link", { name: "New rule" }).getAttribute("href")).toBe("/admin/approval-rules/new");
  });

  it("is for reading only without the right to change", async () => {
    page("", {}, [READ]);
    await screen.findAllByRole("listitem");
    expect(screen.queryByRole("link")).toBeNull();
    expect(screen.queryByRole("button")).toBeNull();
  });

  it("deletes a rule at the version on screen, after one question", async () => {
    let items = [large, always];
    const { calls } = page("", {
      "GET /api/approval-rules": () => json({ items, total: items.length }),
      "DELETE /api/approval-rules/r1": () => {
        items = [always];
        return new Response(null, { status: 204 });
      },
    });
    await userEvent.click(await screen.findByRole("button", { name: /^Delete: A deal changed/ }));
    const question = await screen.findByRole("alertdialog", { name: "Delete this rule?" });
    expect(wrote(calls)).toEqual([]);
    await userEvent.click(within(question).getByRole("button", { name: "Delete rule" }));
    await screen.findByText("The rule was deleted.");
    await waitFor(() => {
      expect(screen.queryByText(/^A deal changed/)).toBeNull();
    });
    expect(wrote(calls)).toEqual([["DELETE", "/api/approval-rules/r1", '"3"', undefined]]);
  });

  it("says when somebody else changed the rule that was to be deleted", async () => {
    const { calls } = page("", { "DELETE /api/approval-rules/r1": () => problem(409, "STALE", { current: large }) });
    await userEvent.click(await screen.findByRole("button", { name: /^Delete: A deal changed/ }));
    await press("Delete rule");
    await screen.findByText(/^Somebody else has changed this meanwhile/);
    await waitFor(() => {
      expect(calls.filter(({ path }) => path === "/api/approval-rules")).toHaveLength(2);
    });
  });
});

describe("a new rule", () => {
  it("is made of what the server offers, and sends only what is on screen", async () => {
    const { calls, router } = page("/new", { "POST /api/approval-rules": () => json(large, 201) });
    await choose("What happens", "update_deal");
    await choose("Asked for by", "sales");
    await choose("Approved by", "manager");
    await choose("When", "amount");
    await userEvent.type(screen.getByLabelText("Amount"), "500,000");
    await choose("Later also approved by", "admin");
    await userEvent.type(screen.getByLabelText("After so many hours"), "4");
    await press("Add rule");
    await screen.findByText("The rule was added. It counts from now on.");
    expect(router.state.location.pathname).toBe("/admin/approval-rules");
    const { id: _id, version: _version, updatedAt: _at, ...body } = { ...large, threshold: "500000" };
    expect(wrote(calls)).toEqual([["POST", "/api/approval-rules", null, body]]);
  });

  it("offers as approvers only the roles that may make the change themselves", async () => {
    page("/new");
    const offered = async () =>
      within(await screen.findByLabelText("Approved by")).getAllByRole("option").map(({ textContent }) => textContent);
    expect(await offered()).toEqual(["Choose a role", "Admin", "Manager", "Sales"]);
    await choose("What happens", "update_deal");
    expect(await offered()).toEqual(["Choose a role", "Admin", "Manager"]);
    await choose("Approved by", "manager");
    await choose("What happens", "fly_kite");
    expect(await offered()).toEqual(["Choose a role", "Admin", "Manager"]);
    await choose("Approved by", "admin");
    expect(await offered()).toEqual(["Choose a role", "Admin"]);
  });

  it("that only asks first has no approver and no limit", async () => {
    const { calls } = page("/new", { "POST /api/approval-rules": () => json(asking, 201) });
    await choose("Approved by", "manager");
    await choose("What happens", "update_deal");
    await choose("What the rule asks for", "confirm");
    expect(screen.queryByLabelText("Approved by")).toBeNull();
    await press("Add rule");
    await screen.findByText(/^This asks first already/);
    await choose("What happens", "create_task");
    await press("Add rule");
    await screen.findByText("The rule was added. It counts from now on.");
    expect(wrote(calls)).toEqual([
      ["POST", "/api/approval-rules", null, { tool: "create_task", effect: "confirm" }],
    ]);
  });

  it("says at each field what is wrong with it", async () => {
    const { calls } = page("/new");
    await choose("When", "amount");
    await retype("Currency", "HK");
    await retype("Hours to approve", "200");
    await choose("Later also approved by", "admin");
    await press("Add rule");
    const said = async (label: string, text: string) => {
      await screen.findByText(text);
      expect(screen.getByLabelText(label).getAttribute("aria-invalid")).toBe("true");
    };
    await said("Approved by", "Choose the role that must approve.");
    await said("Amount", "Write an amount such as 500000.00.");
    await said("Currency", "Write the currency in three letters, such as HKD.");
    await said("Hours to approve", "Write whole hours, from 1 to 168.");
    await said("After so many hours", "Write whole hours, at least 1 and fewer than the hours to approve.");
    expect(wrote(calls)).toEqual([]);
  });

  it.each([
    ["discount", "Discount in %", "120", "Write a percentage from 0 to 100, such as 20 or 12.5."],
    ["count", "Number of records in 24 hours", "0", "Write a whole number from 1 to 10,000."],
  ])("has a limit on the %s that makes sense", async (metric, label, text, message) => {
    page("/new");
    await choose("When", metric);
    await userEvent.type(screen.getByLabelText(label), text);
    await press("Add rule");
    await screen.findByText(message);
  });

  it("shows what the server refuses at its field", async () => {
    const errors = [{ path: "threshold", message: "HKD has two decimal places." }];
    page("/new", { "POST /api/approval-rules": () => problem(422, "INVALID", { errors }) });
    await choose("Approved by", "manager");
    await choose("When", "amount");
    await userEvent.type(screen.getByLabelText("Amount"), "1.234");
    await press("Add rule");
    await screen.findByText("HKD has two decimal places.");
    expect(screen.queryByRole("alert")).toBeNull();
  });
});

describe("a rule that exists", () => {
  it("is changed at the version that was read, in what differs; what is not needed any more goes", async () => {
    const { calls } = page("/r1", { "PATCH /api/approval-rules/r1": () => json({ ...large, version: 4 }) });
    await choose("When", "");
    await choose("Later also approved by", "");
    await retype("Hours to approve", "48");
    await press("Save");
    await screen.findByText("The rule was saved. It counts from now on.");
    const body = {
      ...{ metric: "", threshold: "", currency: "", expiresAfterHours: 48, escalationRole: "" },
      escalatesAfterHours: 0,
    };
    expect(wrote(calls)).toEqual([["PATCH", "/api/approval-rules/r1", '"3"', body]]);
  });

  it("keeps what was typed when somebody else was faster, and says what is stored", async () => {
    const current = { ...large, version: 4, threshold: "100000.00", approverRole: "admin", escalationRole: "", escalatesAfterHours: 0 };
    const { calls } = page("/r1", {
      "PATCH /api/approval-rules/r1": ({ headers }) =>
        headers.get("If-Match") === '"3"' ? problem(409, "STALE", { current }) : json({ ...current, version: 5 }),
    });
    await screen.findByLabelText("Amount");
    await retype("Amount", "700000");
    await press("Save");
    await screen.findByText("Now stored: 100000.00");
    expect(screen.getByRole("alert").textContent).toContain("What you typed is kept");
    expect(screen.getByLabelText<HTMLSelectElement>("Approved by").value).toBe("admin");
    await press("Save");
    await screen.findByText("The rule was saved. It counts from now on.");
    expect(wrote(calls).map((call) => call.slice(2))).toEqual([
      ['"3"', { threshold: "700000" }],
      ['"4"', { threshold: "700000" }],
    ]);
  });

  it("that is gone is told in words", async () => {
    page("/r9");
    expect((await screen.findByRole("alert")).textContent).toContain("There is no such record");
  });
});
