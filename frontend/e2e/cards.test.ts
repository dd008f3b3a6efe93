import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { look } from "./browser";
import { question, type Asked } from "./endpoint";
import { apiOf, deal, eventually, openDeals, say, startWorld, type API, type Deal, type World } from "./world";

/** Two people, since each may send ten messages a minute only. */
type Seller = "sales" | "sales2";

let world: World;
let deals: Record<Seller, Deal[]>;

/** As long as notes may be nearly, with a word that fits into no line, and an end of its own. */
const longNotes = `${Array.from({ length: 60 }, (_, i) => `Line ${i + 1}: ask for the shipping marks again, 再次確認`).join("\n")}\n${"x".repeat(600)}\nThe last words.`;

/** A model that proposes to win the deal whose title it is told, or to note much of a company, and otherwise only speaks. */
function answer(asked: Asked) {
  const company = /^Note (.*)$/.exec(question(asked) ?? "")?.[1];
  if (company) return { call: "update_company", args: { company, notes: longNotes } };
  const title = /^Win (.*)$/.exec(question(asked) ?? "")?.[1];
  if (title) return { call: "update_deal_stage", args: { deal: title, stage: "Won" } };
  return { text: ["As you ", "wish."] };
}

beforeAll(async () => {
  world = await startWorld(answer);
  deals = {
    sales: await world.elsewhere("sales", openDeals),
    sales2: await world.elsewhere("sales2", openDeals),
  };
});

afterAll(() => world.stop());

/** An open deal for each test: none sees what another has changed. */
function nextDeal(who: Seller = "sales"): Deal {
  const next = deals[who].shift();
  if (!next) throw new Error("the demo data holds too few open deals of this person");
  return next;
}

const cards = (page: Page | Locator) => page.getByTestId("proposal");
/** The card about a record on a page, beside the panel. */
const cardOn = (page: Page, title: string) => cards(page.locator("main")).filter({ hasText: title });
const confirm = (card: Locator) => card.getByRole("button", { name: "Change stage" });

async function propose(page: Page, title: string): Promise<Locator> {
  await say(page, `Win ${title}`);
  const card = cards(page).last();
  await confirm(card).waitFor();
  return card;
}

async function ownCompany(api: API): Promise<string> {
  const [{ user }, { items }] = await Promise.all([
    api.get<{ user: { id: string } }>("/api/me"),
    api.get<{ items: { name: string; ownerId: string }[] }>("/api/companies?limit=200"),
  ]);
  const own = items.find(({ ownerId }) => ownerId === user.id);
  if (!own) throw new Error("this person has no company in the demo data");
  return own.name;
}

async function version(id: string): Promise<number> {
  return (await world.elsewhere("sales", (api) => deal(api, id))).version;
}

describe("a card", () => {
  it("writes nothing over somebody else's change, says whose it is, and offers the change anew", async () => {
    const target = nextDeal();
    const { page, found, close } = await world.visit("sales");
    try {
      const card = await propose(page, target.title);
      const { stage, by } = await world.elsewhere("manager", async (api) => {
        const { user } = await api.get<{ user: { name: string } }>("/api/me");
        const { items } = await api.get<{ items: { stages: Stage[] }[] }>("/api/pipelines");
        const stages = items.map(({ stages }) => stages).find((all) => all.some(({ name }) => name === target.stageName));
        const other = stages?.find(({ kind, name }) => kind === "OPEN" && name !== target.stageName);
        if (!other) throw new Error("there is no other open stage");
        await api.send("PATCH", `/api/deals/${target.id}`, { stageId: other.id, version: target.version });
        return { stage: other, by: user.name };
      });

      await confirm(card).click();
      await card.getByText(/The record has changed since/).waitFor();
      await card.getByText(`Stage: ${target.stageName} → ${stage.name}`).waitFor();
      await card.getByText(`${by} changed it`).waitFor();
      expect(await deal(apiOf(page, world), target.id)).toMatchObject({
        stageName: stage.name,
        version: target.version + 1,
      });

      await card.getByRole("button", { name: "Show the updated change" }).click();
      const fresh = cards(page).nth(1);
      await eventually(() => fresh.evaluate((element) => element === document.activeElement), Boolean);
      expect(await fresh.locator("del").allTextContents()).toContain(stage.name);
      await fresh.getByText(`Was ${target.stageName} on the first card; now:`).waitFor();
      await confirm(fresh).click();
      await fresh.getByText(/^Done/).waitFor();
      expect(await deal(apiOf(page, world), target.id)).toMatchObject({ stageName: "Won", version: target.version + 2 });
      // The browser itself reports the refused request.
      expect(found.filter((text) => !text.includes("409"))).toEqual([]);
    } finally {
      await close();
    }
  });

  it("that was cancelled stays so, and the model hears of it", async () => {
    const target = nextDeal();
    const { page, found, close } = await world.visit("sales");
    try {
      const card = await propose(page, target.title);
      await card.getByRole("button", { name: "Cancel" }).click();
      await card.getByText("Cancelled. Nothing was changed.").waitFor();
      await page.reload();
      await cards(page).getByText("Cancelled. Nothing was changed.").waitFor();
      expect(await cards(page).getByRole("button").count()).toBe(0);

      await say(page, "Fine, thank you for that.");
      await page.getByText("As you wish.").waitFor();
      const told = world.endpoint.log.at(-1)?.asked.messages.map(({ content }) => content) ?? [];
      expect(told.filter((content) => /cancelled/i.test(content) && content.includes(target.title))).not.toEqual([]);
      expect(await version(target.id)).toBe(target.version);
      expect(found).toEqual([]);
    } finally {
      await close();
    }
  });

  it("is counted at once where it is made and in other tabs, and its reason is told to the model", async () => {
    const target = nextDeal();
    const { page, found, close } = await world.visit("sales");
    try {
      const other = await page.context().newPage();
      await other.goto(page.url());
      await other.getByRole("log").waitFor();
      const before = Number((await apiOf(page, world).get<Waiting>("/api/proposals?status=pending")).total);

      const card = await propose(page, target.title);
      // Sooner than the next time that it would be asked anyway.
      for (const tab of [page, other]) await eventually(() => waiting(tab), (count) => count === before + 1, 5_000);
      await card.getByRole("button", { name: "Say why…" }).click();
      await page.keyboard.type("The client wavers");
      await page.keyboard.press("Enter");
      await card.getByText("Your reason: The client wavers").waitFor();
      for (const tab of [page, other]) await eventually(() => waiting(tab), (count) => count === before, 5_000);

      await say(page, "Fine, thank you for that.");
      await page.getByText("As you wish.").waitFor();
      expect(JSON.stringify(world.endpoint.log.at(-1)?.asked.messages)).toContain("The client wavers");
      expect(await version(target.id)).toBe(target.version);
      expect(found).toEqual([]);
    } finally {
      await close();
    }
  });

  it("in two tabs writes once", async () => {
    const target = nextDeal();
    const { page, found, close } = await world.visit("sales");
    try {
      const first = await propose(page, target.title);
      const other = await page.context().newPage();
      await other.goto(page.url());
      const second = cards(other);
      await confirm(second).waitFor();

      // Each tab hears of the other's click, so they must come at once.
      await Promise.all([first, second].map((card) => confirm(card).evaluate((button: HTMLElement) => button.click())));
      for (const card of [first, second]) await card.getByText(/^Done/).waitFor();
      expect(await second.getByRole("button").allTextContents()).toEqual(["Undo"]);
      expect(await version(target.id)).toBe(target.version + 1);
      expect(found).toEqual([]);
    } finally {
      await close();
    }
  });

  it("on two devices writes once", async () => {
    const target = nextDeal();
    const { page, close } = await world.visit("sales");
    const elsewhere = await world.visit("sales", { path: "/waiting" });
    try {
      const first = await propose(page, target.title);
      await elsewhere.page.reload();
      const second = cardOn(elsewhere.page, target.title);
      await confirm(second).waitFor();
      // It hears of nothing, as a device over a slow line, and so shows what it did.
      await elsewhere.page.route("**/api/proposals?*", () => undefined);
      await confirm(first).click();
      await first.getByText(/^Done/).waitFor();
      await confirm(second).click();
      await second.getByText(/^Done/).waitFor();
      expect(await version(target.id)).toBe(target.version + 1);
      expect(elsewhere.found).toEqual([]);
    } finally {
      await Promise.all([close(), elsewhere.close()]);
    }
  });

  it("that was carried out is undone by another, from either tab, also after a reload", async () => {
    const target = nextDeal("sales2");
    const { page, found, close } = await world.visit("sales2");
    try {
      const card = await propose(page, target.title);
      await confirm(card).click();
      await card.getByText(/^Done/).waitFor();
      const other = await page.context().newPage();
      await other.goto(page.url());
      await cards(other).getByRole("button", { name: "Undo", exact: true }).waitFor();
      await page.reload();
      await cards(page).getByRole("button", { name: "Undo", exact: true }).press("Enter");

      const undo = cards(page).nth(1);
      await undo.getByRole("button", { name: "Undo it" }).waitFor();
      await eventually(() => undo.evaluate((element) => element === document.activeElement), Boolean);
      expect(await undo.locator("ins").allTextContents()).toContain(target.stageName);
      expect((await deal(apiOf(page, world), target.id)).stageName).toBe("Won");
      await look(page, "undo-pending");

      // It comes up in the other tab as well, and waits with all others.
      await cards(other).nth(1).getByRole("button", { name: "Undo it" }).waitFor();
      await other.getByRole("link", { name: /^Waiting for me/ }).click();
      const waitingCard = cardOn(other, target.title);
      await waitingCard.getByRole("button", { name: "Undo it" }).click();
      await waitingCard.getByText(/^Done/).waitFor();

      await cards(page).nth(0).getByText("Undone afterwards.").waitFor();
      await cards(page).nth(1).getByText(/^Done/).waitFor();
      const after = await deal(apiOf(page, world), target.id);
      expect(after).toEqual({ ...target, version: target.version + 2, updatedAt: after.updatedAt });
      await page.reload();
      await cards(page).nth(0).getByText("Undone afterwards.").waitFor();
      expect(await cards(page).nth(0).getByRole("button").count()).toBe(0);
      await look(page, "undo-done");
      expect(found).toEqual([]);
    } finally {
      await close();
    }
  });

  it("is edited before it is confirmed, and shows what was proposed and what was done", async () => {
    const target = nextDeal("sales2");
    const { page, found, close } = await world.visit("sales2");
    try {
      await say(page, `/update_deal deal="${target.title}" amount=1000`);
      const card = cards(page).last();
      await card.getByRole("button", { name: "Edit" }).click();
      await card.getByLabel("Amount").fill("much");
      await page.keyboard.press("Enter");
      await card.locator("[aria-invalid]").waitFor();
      await look(page, "edit-refused");
      await card.getByLabel("Amount").fill("900");
      await page.keyboard.press("Enter");
      await card.getByText("As you changed it:").waitFor();
      expect(await deal(apiOf(page, world), target.id)).toMatchObject({
        amount: { amount: "900.00" },
        version: target.version + 1,
      });
      await page.reload();
      await cards(page).getByText("HK$1,000.00").waitFor();
      await cards(page).getByText("HK$900.00").waitFor();
      await look(page, "edit-done");
      // The browser itself reports the refused request.
      expect(found.filter((text) => !text.includes("422"))).toEqual([]);
    } finally {
      await close();
    }
  });

  it("is not undone over somebody else's change", async () => {
    const target = nextDeal("sales2");
    const { page, found, close } = await world.visit("sales2");
    try {
      const card = await propose(page, target.title);
      await confirm(card).click();
      await card.getByText(/^Done/).waitFor();
      await world.elsewhere("admin", (api) =>
        api.send("PATCH", `/api/deals/${target.id}`, { title: `${target.title} 2`, version: target.version + 1 }),
      );
      await card.getByRole("button", { name: "Undo", exact: true }).click();
      await card.getByRole("alert").getByText(/has changed since/).waitFor();
      await card.getByText(/changed it/).waitFor();
      expect(await cards(page).count()).toBe(1);
      expect((await deal(apiOf(page, world), target.id)).version).toBe(target.version + 2);
      // The browser itself reports the refused request.
      expect(found.filter((text) => !text.includes("409"))).toEqual([]);
    } finally {
      await close();
    }
  });

  it("shows all of what will be written, however long it is", async () => {
    const company = await world.elsewhere("sales2", ownCompany);
    const { page, found, close } = await world.visit("sales2");
    try {
      await say(page, `Note ${company}`);
      const card = cards(page).last();
      const after = card.locator("ins").first();
      await after.waitFor();
      expect(await after.textContent()).toBe(longNotes);
      const clipped = await after.evaluate((element) => {
        const card = element.closest("[data-testid=proposal]");
        const names: string[] = [];
        for (let at: Element | null = element; at; at = at === card ? null : at.parentElement) {
          const style = getComputedStyle(at);
          const isCut = at.scrollWidth > at.clientWidth + 1 || at.scrollHeight > at.clientHeight + 1;
          if (style.display !== "inline" && isCut && style.overflow !== "visible") names.push(at.tagName);
          if (style.textOverflow === "ellipsis" || style.webkitLineClamp !== "none") names.push(at.tagName);
        }
        const [inner, outer] = [element.getBoundingClientRect(), card?.getBoundingClientRect()];
        if (outer && inner.right > outer.right + 1) names.push("beside the card");
        return names;
      });
      expect(clipped).toEqual([]);
      expect(found).toEqual([]);
    } finally {
      await close();
    }
  });

  it("that waits is there after a reload and works; a decided one is never decided again", async () => {
    const [done, waiting] = [nextDeal(), nextDeal()];
    const { page, found, close } = await world.visit("sales");
    try {
      const first = await propose(page, done.title);
      await confirm(first).click();
      await first.getByText(/^Done/).waitFor();
      await propose(page, waiting.title);
      await page.reload();
      await confirm(cards(page).nth(1)).waitFor();
      await cards(page).nth(0).getByText(/^Done/).waitFor();
      expect(await cards(page).nth(0).getByRole("button").allTextContents()).toEqual(["Undo"]);

      await confirm(cards(page).nth(1)).click();
      await cards(page).nth(1).getByText(/^Done/).waitFor();
      await page.reload();
      await cards(page).nth(1).getByText(/^Done/).waitFor();
      expect(await cards(page).getByRole("button").allTextContents()).toEqual(["Undo", "Undo"]);
      expect([await version(done.id), await version(waiting.id)]).toEqual([done.version + 1, waiting.version + 1]);
      expect(found).toEqual([]);
    } finally {
      await close();
    }
  });
});

/** How many changes wait, as the header of a tab says. */
async function waiting(tab: Page): Promise<number> {
  const text = await tab.getByRole("link", { name: /^Waiting for me/ }).textContent();
  return Number(/(\d+) change/.exec(text ?? "")?.[1] ?? 0);
}

type Waiting = { total: number };
type Stage = { id: string; name: string; kind: string };
