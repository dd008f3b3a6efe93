import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { look } from "./browser";
import { apiOf, deal, eventually, openDeals, say, startWorld, type Deal, type Visit, type World } from "./world";

// A page asks every ten seconds what waits, and every five while something waits for an approval.
const APPROVER_HEARS_MS = 12_000;
const REQUESTER_HEARS_MS = 7_000;

let world: World;
let deals: Deal[];

beforeAll(async () => {
  world = await startWorld();
  deals = await world.elsewhere("sales", openDeals);
});

afterAll(() => world.stop());

function nextDeal(): Deal {
  const next = deals.shift();
  if (!next) throw new Error("the demo data holds too few open deals of this person");
  return next;
}

const lastCard = (page: Page) => page.getByTestId("proposal").last();
/** The card about a record on a page, beside the panel. */
const cardOn = (page: Page, title: string) =>
  page.locator("main").getByTestId("proposal").filter({ hasText: title });

/** How many changes wait, as the header says. */
async function waiting(page: Page): Promise<number> {
  const text = await page.getByRole("link", { name: /^(Waiting for me|等待我確認)/ }).textContent();
  return Number(/(\d+) (change|項)/.exec(text ?? "")?.[1] ?? 0);
}

const rises = (page: Page, from: number) => eventually(() => waiting(page), (count) => count === from + 1, APPROVER_HEARS_MS);

/** Runs with a salesperson and their manager, each in a browser of their own. */
async function together(locale: string, work: (sales: Visit, manager: Visit) => Promise<void>): Promise<void> {
  const [sales, manager] = await Promise.all([world.visit("sales", { locale }), world.visit("manager")]);
  try {
    await work(sales, manager);
    expect([sales.found, manager.found]).toEqual([[], []]);
  } finally {
    await Promise.all([sales.close(), manager.close()]);
  }
}

describe("a change that a second person approves", () => {
  it("by a rule from the page reaches the manager soon, and its requester sees soon that it is done", async () => {
    const admin = await world.visit("admin", { path: "/admin/approval-rules/new" });
    try {
      const field = (name: string) => admin.page.getByLabel(name, { exact: true });
      await field("What happens").selectOption({ label: "A deal changed" });
      await field("Asked for by").selectOption({ label: "Sales" });
      await field("Approved by").selectOption({ label: "Manager" });
      await field("When").selectOption({ label: "Above an amount" });
      await field("Amount").fill("1000000");
      await look(admin.page, "four-eyes-rule");
      await admin.page.getByRole("button", { name: "Add rule" }).click();
      await admin.page.getByText(/A deal changed by a salesperson above .*1,000,000\.00 needs the approval of a manager\./).waitFor();
      expect(admin.found).toEqual([]);
    } finally {
      await admin.close();
    }

    await together("en-HK", async (sales, manager) => {
      const target = nextDeal();
      const before = await waiting(manager.page);
      await say(sales.page, `/update_deal deal="${target.title}" amount=5000000`);
      const asked = lastCard(sales.page);
      await asked.getByText(/needs the approval of somebody with the role Manager/).waitFor();
      expect(await asked.getByRole("button").allTextContents()).toEqual(["Cancel", "Say why…"]);
      await rises(manager.page, before);
      await look(sales.page, "four-eyes-asked");

      await manager.page.getByRole("link", { name: /^Waiting for me/ }).click();
      const card = cardOn(manager.page, target.title);
      await card.getByText(/^Asked for by /).waitFor();
      await card.getByText(/needs the approval of somebody with the role Manager: the amount, .* is above/).waitFor();
      await look(manager.page, "four-eyes-waiting");
      await card.getByRole("button", { name: "Approve" }).click();
      await card.getByText(/^Done/).waitFor();

      await asked.getByText(/^Done/).waitFor({ timeout: REQUESTER_HEARS_MS });
      await asked.getByText(/^Decided by /).waitFor();
      await eventually(() => waiting(sales.page), (count) => count === 0, REQUESTER_HEARS_MS);
      expect(await deal(apiOf(sales.page, world), target.id)).toMatchObject({
        amount: { amount: "5000000.00" },
        version: target.version + 1,
      });
    });
  });

  it("is declined with a reason that its requester reads, who cannot approve it by any way", async () => {
    const rule = { tool: "update_deal_stage", role: "sales", effect: "approve", approverRole: "manager" };
    await world.elsewhere("admin", (api) => api.send("POST", "/api/approval-rules", rule));
    await together("zh-HK", async (sales, manager) => {
      const target = nextDeal();
      const before = await waiting(manager.page);
      await say(sales.page, `/update_deal_stage deal="${target.title}" stage=Won`);
      const asked = lastCard(sales.page);
      await asked.getByText(/須由「經理」角色的同事批准：規則訂明每次都要/).waitFor();
      expect(await asked.getByRole("button").allTextContents()).toEqual(["取消", "說明原因…"]);
      await rises(manager.page, before);

      const { items } = await apiOf(sales.page, world).get<{ items: { id: string; digest: string }[] }>("/api/proposals?status=pending");
      const [{ id, digest } = { id: "", digest: "" }] = items;
      const refused = await sales.page.request.post(`${world.url}/api/proposals/${id}/confirm`, { data: { digest } });
      expect([refused.status(), await refused.json()]).toMatchObject([403, { code: "NEEDS_APPROVAL", detail: expect.stringMatching(/批准/) }]);

      await manager.page.getByRole("link", { name: /^Waiting for me/ }).click();
      const card = cardOn(manager.page, target.title);
      await card.getByRole("button", { name: "Say why…" }).click();
      await manager.page.keyboard.type("Not before the contract is here");
      await manager.page.keyboard.press("Enter");
      await card.getByText("Declined. Nothing was changed.").waitFor();

      await asked.getByText("Not before the contract is here").waitFor({ timeout: REQUESTER_HEARS_MS });
      await asked.getByText("不獲批准，沒有任何變更。").waitFor();
      await sales.page.getByText(/不批准：更改階段 · .*原因：Not before the contract is here/).waitFor();
      await look(sales.page, "four-eyes-declined-zh-HK");
      expect((await deal(apiOf(sales.page, world), target.id)).version).toBe(target.version);
    });
  });
});
