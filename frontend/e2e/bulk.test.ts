import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { look } from "./browser";
import { apiOf, deal, openDeals, say, startWorld, type Deal, type World } from "./world";

const CLOSES = "2027-03-31";

let world: World;
let deals: Deal[];

beforeAll(async () => {
  world = await startWorld();
  deals = await world.elsewhere("manager", openDeals);
});

afterAll(() => world.stop());

const card = (page: Page) => page.getByTestId("proposal").last();
const row = (of: Locator, { title }: Deal) => of.getByRole("listitem").filter({ hasText: title });

function take(count: number): Deal[] {
  const taken = deals.splice(0, count);
  if (taken.length < count) throw new Error("the demo data holds too few open deals of this person");
  return taken;
}

const propose = (page: Page, targets: readonly Deal[], change: string) =>
  say(page, `/bulk_update_deals deals=${targets.map(({ id }) => id).join(",")} ${change}`);

describe("a change of several deals", () => {
  it("does those that are kept and have not changed, and tells of each what came of it", async () => {
    const [done, changed, left, other] = take(4) as [Deal, Deal, Deal, Deal];
    const targets = [done, changed, left, other];
    const { page, found, close } = await world.visit("manager");
    try {
      await propose(page, targets, `new_expected_close_date=${CLOSES}`);
      await card(page).getByRole("button", { name: "Apply 4 of 4" }).waitFor();
      await look(page, "bulk-pending");
      await card(page).getByRole("checkbox", { name: left.title }).uncheck();
      await world.elsewhere("admin", (api) =>
        api.send("PATCH", `/api/deals/${changed.id}`, { title: `${changed.title} 2`, version: changed.version }),
      );
      await card(page).getByRole("button", { name: "Apply 3 of 4" }).click();

      await row(card(page), done).getByText("Done", { exact: true }).waitFor();
      await row(card(page), other).getByText("Done", { exact: true }).waitFor();
      await row(card(page), left).getByText("Left out", { exact: true }).waitFor();
      await row(card(page), changed).getByText("Had changed", { exact: true }).waitFor();
      await card(page).getByText(/Changed 2 of 4 records/).first().waitFor();
      expect(await card(page).getByRole("checkbox").count()).toBe(0);
      await look(page, "bulk-done");
      const after = await Promise.all(targets.map(({ id }) => deal(apiOf(page, world), id)));
      expect(after.map(({ version }, at) => version - (targets[at]?.version ?? 0))).toEqual([1, 1, 0, 1]);

      // What was left out is not there to be done later.
      await page.reload();
      await row(card(page), left).getByText("Left out", { exact: true }).waitFor();
      expect(await card(page).getByRole("button").count()).toBe(0);
      expect(found).toEqual([]);
    } finally {
      await close();
    }
  });

  it("that have all changed names each of them", async () => {
    const targets = take(2);
    const { page, close } = await world.visit("manager");
    try {
      await propose(page, targets, `new_expected_close_date=${CLOSES}`);
      await card(page).getByRole("button", { name: "Apply 2 of 2" }).waitFor();
      for (const { id, title, version } of targets) {
        await world.elsewhere("admin", (api) => api.send("PATCH", `/api/deals/${id}`, { title: `${title} 2`, version }));
      }
      const stale = page.getByTestId("proposal").first();
      await stale.getByRole("button", { name: "Apply 2 of 2" }).click();
      await stale.getByText(/The record has changed since/).waitFor();
      for (const target of targets) {
        await row(stale, target).getByText(/changed it/).waitFor();
      }
      await look(page, "bulk-stale");
    } finally {
      await close();
    }
  });

  it("that are lost takes the reason that it asks for, in Chinese and by keyboard", async () => {
    const targets = take(2);
    const { page, found, close } = await world.visit("manager", { locale: "zh-HK", colorScheme: "dark" });
    try {
      await propose(page, targets, "new_stage=Lost");
      await card(page).getByText("未有提供輸單原因。").waitFor();
      await card(page).getByRole("button", { name: "修改" }).press("Enter");
      await page.keyboard.type("價錢太高");
      await look(page, "bulk-lost-zh-HK");
      await page.keyboard.press("Enter");
      await card(page).getByText("已完成").first().waitFor();
      await look(page, "bulk-lost-done-zh-HK");
      for (const { id } of targets) {
        expect(await deal(apiOf(page, world), id)).toMatchObject({ stageKind: "LOST", lostReason: "價錢太高" });
      }
      expect(found).toEqual([]);
    } finally {
      await close();
    }
  });
});
