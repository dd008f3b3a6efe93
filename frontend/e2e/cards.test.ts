import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { question, type Asked } from "./endpoint";
import { apiOf, deal, openDeals, say, startWorld, type Deal, type World } from "./world";

let world: World;
let deals: Deal[];

/** A model that proposes to win the deal whose title it is told, and otherwise only speaks. */
function answer(asked: Asked) {
  const title = /^Win (.*)$/.exec(question(asked) ?? "")?.[1];
  if (title) return { call: "update_deal_stage", args: { deal: title, stage: "Won" } };
  return { text: ["As you ", "wish."] };
}

beforeAll(async () => {
  world = await startWorld(answer);
  deals = await world.elsewhere("sales", openDeals);
});

afterAll(() => world.stop());

/** An open deal for each test: none sees what another has changed. */
function nextDeal(): Deal {
  const next = deals.shift();
  if (!next) throw new Error("the demo data holds too few open deals of this person");
  return next;
}

const cards = (page: Page) => page.getByTestId("proposal");
const confirm = (card: Locator) => card.getByRole("button", { name: "Change stage" });

async function propose(page: Page, title: string): Promise<Locator> {
  await say(page, `Win ${title}`);
  const card = cards(page).last();
  await confirm(card).waitFor();
  return card;
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
      expect(await fresh.locator("del").allTextContents()).toContain(stage.name);
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

  it("in two tabs writes once", async () => {
    const target = nextDeal();
    const { page, found, close } = await world.visit("sales");
    try {
      const first = await propose(page, target.title);
      const other = await page.context().newPage();
      await other.goto(page.url());
      const second = cards(other);
      await confirm(second).waitFor();

      await confirm(first).click();
      await first.getByText(/^Done/).waitFor();
      await confirm(second).click();
      await second.getByText(/^Done/).waitFor();
      expect(await second.getByRole("button").count()).toBe(0);
      expect(await version(target.id)).toBe(target.version + 1);
      expect(found).toEqual([]);
    } finally {
      await close();
    }
  });

  it("that waits is there after a reload and works; a decided one has no button ever again", async () => {
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
      expect(await cards(page).nth(0).getByRole("button").count()).toBe(0);

      await confirm(cards(page).nth(1)).click();
      await cards(page).nth(1).getByText(/^Done/).waitFor();
      await page.reload();
      await cards(page).nth(1).getByText(/^Done/).waitFor();
      expect(await cards(page).getByRole("button").count()).toBe(0);
      expect([await version(done.id), await version(waiting.id)]).toEqual([done.version + 1, waiting.version + 1]);
      expect(found).toEqual([]);
    } finally {
      await close();
    }
  });
});

type Stage = { id: string; name: string; kind: string };
