import type { CDPSession, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { look } from "./browser";
import { composer, openDeals, say, startWorld, type Deal, type World } from "./world";

let world: World;
let deals: Deal[];

beforeAll(async () => {
  world = await startWorld();
  deals = await world.elsewhere("sales", openDeals);
});

afterAll(() => world.stop());

describe("without a model", () => {
  it("a text is a search, and is told to be one", async () => {
    const title = deals[0]?.title ?? "";
    const { page, found, close } = await world.visit("sales");
    try {
      await say(page, title);
      await page.getByText(/no model/i).first().waitFor();
      await page.locator('[data-tool="search_records"][data-status="ok"]').waitFor();
      await page.getByRole("log").getByRole("link", { name: title }).first().waitFor();
      expect(await page.getByRole("link", { name: "Set up AI" }).count()).toBe(0);
      await look(page, "no-model-search");
      expect(found).toEqual([]);
    } finally {
      await close();
    }
  });

  it("an administrator is shown where to set it up", async () => {
    const { page, found, close } = await world.visit("admin");
    try {
      await look(page, "no-model-admin");
      await page.getByRole("link", { name: "Set up AI" }).click();
      await page.getByRole("heading", { name: "AI set-up", level: 1 }).waitFor();
      expect(found).toEqual([]);
    } finally {
      await close();
    }
  });

  it("a command is completed by keyboard alone: its name, its arguments, the record, the stage", async () => {
    const target = deals[1];
    if (!target) throw new Error("the demo data holds too few open deals");
    const { page, found, close } = await world.visit("sales");
    const { keyboard } = page;
    const field = composer(page);
    const option = (name: RegExp | string) => page.getByRole("listbox", { name: "Suggestions" }).getByRole("option", { name }).first();
    try {
      await field.focus();
      await keyboard.type("/update_deal_s");
      await option(/^\/update_deal_stage/).waitFor();
      await keyboard.press("Enter");
      await option(/^deal=/).waitFor();
      await keyboard.press("Tab");
      await keyboard.type(target.title.split(" ")[0] ?? "");
      await option(target.title).waitFor();
      await keyboard.press("ArrowDown");
      while ((await option(target.title).getAttribute("aria-selected")) !== "true") await keyboard.press("ArrowDown");
      await keyboard.press("Enter");
      await option(/^stage=/).waitFor();
      await keyboard.type("sta");
      // Whoever presses Tab has seen that the list is down to what they mean.
      await expect.poll(() => page.getByRole("listbox", { name: "Suggestions" }).getByRole("option").count()).toBe(1);
      await keyboard.press("Tab");
      await option(/^Won/).waitFor();
      await keyboard.type("Wo");
      await keyboard.press("Tab");
      const quoted = target.title.includes(" ") ? `"${target.title}"` : target.title;
      await expect.poll(() => field.inputValue()).toBe(`/update_deal_stage deal=${quoted} stage=Won `);
      await look(page, "no-model-command");
      await keyboard.press("Enter");
      await page.getByTestId("proposal").getByRole("button", { name: "Change stage" }).waitFor();
      expect(found).toEqual([]);
    } finally {
      await close();
    }
  });
});

describe("an input method", () => {
  it("keeps its Enter: only one after the composition sends", async () => {
    const { page, found, close } = await world.visit("manager");
    try {
      const field = composer(page);
      const keys = await page.context().newCDPSession(page);
      await field.focus();
      await compose(keys, "shang ji");
      await enterOfComposition(keys);
      await compose(keys, "商機");
      await enterOfComposition(keys);
      await keys.send("Input.insertText", { text: "商機" });
      await expect.poll(() => field.inputValue()).toBe("商機");
      // The Enter that took the candidate may come after the composition has ended.
      await page.keyboard.press("Enter");
      expect(await field.inputValue()).toMatch(/^商機\s*$/);
      expect(await said(page)).toEqual([]);

      await page.waitForTimeout(150);
      await field.fill("商機");
      await page.keyboard.press("Enter");
      await page.locator('[data-role="user"]').waitFor();
      expect(await said(page)).toEqual(["商機"]);
      expect(found).toEqual([]);
    } finally {
      await close();
    }
  });
});

const compose = (keys: CDPSession, text: string) =>
  keys.send("Input.imeSetComposition", { text, selectionStart: text.length, selectionEnd: text.length });

// As browsers report a key that the input method has taken.
async function enterOfComposition(keys: CDPSession): Promise<void> {
  const key = { key: "Enter", code: "Enter", windowsVirtualKeyCode: 229, nativeVirtualKeyCode: 229 };
  await keys.send("Input.dispatchKeyEvent", { type: "rawKeyDown", ...key });
  await keys.send("Input.dispatchKeyEvent", { type: "keyUp", ...key });
}

const said = async (page: Page) =>
  (await page.locator('[data-role="user"] p').allTextContents()).map((text) => text.replace(/^You: /, ""));
