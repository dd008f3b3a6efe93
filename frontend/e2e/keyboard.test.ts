import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { look } from "./browser";
import { apiOf, composer, deal, openDeals, startWorld, type Deal, type World } from "./world";

let world: World;
let deals: Deal[];

beforeAll(async () => {
  world = await startWorld(() => ({ text: ["Hello.\n\n", "| a | b |\n| - | - |\n| 1 | 2 |\n"] }));
  deals = await world.elsewhere("sales", openDeals);
});

afterAll(() => world.stop());

const focused = (page: Page) =>
  page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent ?? "");

/** Presses Tab until something has the focus that is called like this. */
async function tabTo(page: Page, name: RegExp, key = "Tab"): Promise<void> {
  const seen = [];
  for (let presses = 0; presses < 80; presses++) {
    await page.keyboard.press(key);
    const name_ = await focused(page);
    if (name.test(name_)) return;
    seen.push(name_);
  }
  throw new Error(`no ${String(name)} by ${key}, only ${seen.join(" · ")}`);
}

describe("the keyboard alone", () => {
  it("does the main job: open, ask, look into the pill, confirm, follow the record", async () => {
    const target = deals[0];
    if (!target) throw new Error("the demo data holds no open deal");
    const { page, found, close } = await world.visit("sales");
    const { keyboard } = page;
    try {
      await tabTo(page, /^Close the assistant$/);
      await keyboard.press("Enter");
      await composer(page).waitFor({ state: "hidden" });
      await tabTo(page, /^Assistant$/, "Shift+Tab");
      await keyboard.press("Enter");
      await composer(page).waitFor();
      expect(await focused(page)).toBe("Message to the assistant");

      await keyboard.type(`/update_deal_stage deal="${target.title}" stage=Won`);
      await keyboard.press("Enter");
      const card = page.getByTestId("proposal");
      await card.getByRole("button", { name: "Change stage" }).waitFor();
      expect(await focused(page)).toBe("Message to the assistant");
      await keyboard.press("Enter");
      expect(await card.getAttribute("data-state")).toBe("pending");

      await tabTo(page, /^Change deal stage/, "Shift+Tab");
      await keyboard.press("Enter");
      await page.getByRole("group", { name: "Arguments" }).waitFor();
      await tabTo(page, /^Change stage$/);
      await keyboard.press("Space");
      await card.getByText(/^Done/).waitFor();
      expect(await card.evaluate((element) => element.contains(document.activeElement))).toBe(true);
      expect(await deal(apiOf(page, world), target.id)).toMatchObject({ stageName: "Won", version: target.version + 1 });

      await tabTo(page, new RegExp(`^${target.title}$`), "Shift+Tab");
      await keyboard.press("Enter");
      await page.getByRole("heading", { name: target.title, level: 1 }).waitFor();
      expect(found).toEqual([]);
    } finally {
      await close();
    }
  });

  it("goes to the newest card that waits, from anywhere, by one shortcut, and finds it in the list", async () => {
    const [first, second] = deals.slice(1);
    if (!first || !second) throw new Error("the demo data holds too few open deals");
    const { page, found, close } = await world.visit("sales");
    const { keyboard } = page;
    const cards = page.getByTestId("proposal");
    try {
      for (const { title } of [first, second]) {
        await composer(page).fill(`/update_deal_stage deal="${title}" stage=Won`);
        await composer(page).press("Enter");
        await cards.filter({ hasText: title }).getByRole("button", { name: "Change stage" }).waitFor();
      }
      await page.getByRole("heading", { name: "Deals", level: 1 }).click();
      await keyboard.press("Control+/");
      await page.getByRole("dialog", { name: "Keyboard shortcuts" }).getByText("Go to the newest waiting change").waitFor();
      await look(page, "shortcuts");
      await keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "hidden" });
      await keyboard.press("Control+.");
      await expect.poll(() => cards.last().evaluate((element) => element === document.activeElement)).toBe(true);
      expect(await cards.last().textContent()).toContain(second.title);
      await keyboard.press("Control+j");
      await composer(page).waitFor({ state: "hidden" });
      await keyboard.press("Control+.");
      await expect.poll(() => cards.last().evaluate((element) => element === document.activeElement)).toBe(true);
      await keyboard.press("Tab");
      await keyboard.press("Tab");
      await keyboard.press("Enter");
      await cards.last().getByText(/^Done/).waitFor();
      await cards.first().getByRole("button", { name: "Cancel" }).click();
      expect(found).toEqual([]);
    } finally {
      await close();
    }
  });
});

describe.each(["en-HK", "zh-HK"] as const)("in %s", (locale) => {
  it.each(["light", "dark"] as const)("nothing keeps people out of the panel and the pages in a %s theme", async (colorScheme) => {
    const { page, found, close } = await world.visit("admin", { locale, colorScheme });
    const name = (what: string) => `axe-${locale}-${colorScheme}-${what}`;
    try {
      const [title] = deals.slice(3).map((each) => each.title);
      await page.getByRole("button", { name: /^(New conversation|新對話)$/ }).click();
      await composer(page).fill("Show me a table");
      await composer(page).press("Enter");
      await page.getByRole("log").getByRole("table").waitFor();
      await composer(page).fill(`/update_deal_stage deal="${title ?? ""}" stage=Won`);
      await composer(page).press("Enter");
      const pill = page.locator('[data-tool="update_deal_stage"]');
      await pill.getByRole("button", { expanded: false }).click();
      await page.getByTestId("proposal").getByRole("button").first().waitFor();
      await look(page, name("panel"));
      await page.getByTestId("proposal").getByRole("button").last().click();
      await page.getByRole("button", { name: /^(Conversations|對話記錄)$/ }).click();
      await page.getByRole("navigation", { name: /^(Conversations|對話記錄)$/ }).waitFor();
      await look(page, name("conversations"));
      await page.getByRole("link", { name: /^(Administration|管理)$/ }).click();
      await page.getByRole("link", { name: /^(AI set-up|AI 設定)$/ }).click();
      await page.getByRole("heading", { level: 1 }).waitFor();
      await look(page, name("admin"));
      expect(found).toEqual([]);
    } finally {
      await close();
    }
  });
});
