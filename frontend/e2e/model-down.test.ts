import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { look } from "./browser";
import { question, Speech, type Answer, type Asked } from "./endpoint";
import { composer, eventually, openDeals, say, startWorld, type Deal, type World } from "./world";

/** The longest that a person waits for the way to a search, and a model that works again for its next check. */
const FALLBACK_MS = 10_000;
const BACK_MS = 40_000;

const WORKS = (): Answer => ({ text: ["All is well."] });
const WRONG_KEY = (): Answer => ({ status: 401 });

let world: World;
let deals: Deal[];
let model: (asked: Asked) => Answer = WORKS;

beforeAll(async () => {
  world = await startWorld((asked) => model(asked));
  deals = await world.elsewhere("sales", openDeals);
});
beforeEach(async () => {
  model = WORKS;
  await world.setUpModel();
});
afterAll(() => world.stop());

const bar = (page: Page) => page.getByTestId("model-bar");
const DOWN = /does not answer at the moment/;

/** How often the model was asked something by a person. */
const asked = (text: string) => world.endpoint.log.filter((exchange) => question(exchange.asked)?.includes(text)).length;

async function within<T>(ms: number, what: () => Promise<T>): Promise<T> {
  const began = Date.now();
  const result = await what();
  expect(Date.now() - began).toBeLessThan(ms);
  return result;
}

describe("a model that goes down", () => {
  it("gives way to search within ten seconds, is tried again by the person, and comes back by itself", async () => {
    const title = deals[0]?.title ?? "";
    const { page, found, close } = await world.visit("sales");
    try {
      await page.getByRole("button", { name: "New conversation" }).click();
      model = WRONG_KEY;
      await say(page, "How are my deals?");
      await composer(page).fill("half a thought");
      await within(FALLBACK_MS, () => bar(page).getByText(DOWN).waitFor());
      expect(await composer(page).getAttribute("placeholder")).toMatch(/^Search your records/);
      expect(await composer(page).inputValue()).toBe("half a thought");
      expect(await page.getByRole("status").filter({ hasText: DOWN }).count()).toBe(1);
      await page.getByRole("button", { name: "Search my records instead" }).waitFor();
      await look(page, "model-down");

      await page.getByRole("button", { name: "Try again" }).click();
      await eventually(() => asked("How are my deals?"), (times) => times === 2);
      await page.getByRole("alert").filter({ hasText: "does not accept the key" }).first().waitFor();

      await say(page, title);
      await page.getByText("cannot be used at the moment, so your text was searched for").waitFor();
      await page.getByRole("log").getByRole("link", { name: title }).first().waitFor();
      expect(asked(title)).toBe(0);
      expect(await page.getByRole("alert").filter({ hasText: "does not accept the key" }).count()).toBeGreaterThan(0);
      await look(page, "model-down-search");

      await say(page, `/deal "${title}"`);
      await page.locator('[data-tool="get_deal"][data-status="ok"]').waitFor();

      await composer(page).fill("another thought");
      model = WORKS;
      await bar(page).getByText(DOWN).waitFor({ state: "detached", timeout: BACK_MS });
      expect(await composer(page).inputValue()).toBe("another thought");
      expect(await composer(page).getAttribute("placeholder")).toMatch(/^Ask, search/);
      await composer(page).press("Enter");
      await page.getByText("All is well.").waitFor();
      expect(asked("another thought")).toBe(1);
      expect(found).toEqual([]);
    } finally {
      await close();
    }
  });

  it("is back at once when the person's own try works", async () => {
    const { page, found, close } = await world.visit("manager");
    try {
      await page.getByRole("button", { name: "New conversation" }).click();
      model = WRONG_KEY;
      await say(page, "What is new?");
      await bar(page).getByText(DOWN).waitFor();
      model = WORKS;
      await page.getByRole("button", { name: "Try again" }).click();
      await page.getByText("All is well.").waitFor();
      await bar(page).getByText(DOWN).waitFor({ state: "detached" });
      expect(found).toEqual([]);
    } finally {
      await close();
    }
  });

  it.each([
    ["a model that says nothing", (): Answer => ({ text: new Speech() })],
    ["a model that is tried again", (): Answer => ({ status: 503 })],
  ])("%s leaves a way to search in time, one click away", async (name, answer) => {
    const { page, found, close } = await world.visit("sales2");
    try {
      await page.getByRole("button", { name: "New conversation" }).click();
      model = answer;
      await say(page, "Harbour");
      const search = bar(page).getByRole("button", { name: "Stop and search my records" });
      await within(FALLBACK_MS, () => search.waitFor());
      await look(page, `model-overdue-${name.split(" ").at(-1) ?? ""}`);
      await search.click();
      await page.locator('[data-tool="search_records"][data-status="ok"]').waitFor();
      await page.getByText('/find "Harbour"').waitFor();
      expect(await search.count()).toBe(0);
      expect(found).toEqual([]);
    } finally {
      await close();
    }
  });

  it.each([
    ["en-HK", "light", DOWN],
    ["en-HK", "dark", DOWN],
    ["zh-HK", "light", /模型目前沒有回應/],
    ["zh-HK", "dark", /模型目前沒有回應/],
  ] as const)("is told in %s on a %s page, to an administrator with the way to set it up", async (locale, colorScheme, words) => {
    model = WRONG_KEY;
    const { page, found, close } = await world.visit("admin", { locale, colorScheme });
    try {
      await page.getByRole("button", { name: /^(New conversation|新對話)$/ }).click();
      await say(page, "How are my deals?");
      await bar(page).getByText(words).waitFor();
      await bar(page).getByRole("link", { name: /^(Set up AI|設定 AI)$/ }).waitFor();
      expect(await page.getByRole("link", { name: /^(Set up AI|設定 AI)$/ }).count()).toBe(1);
      await look(page, `model-down-${locale}-${colorScheme}`);
      expect(found).toEqual([]);
    } finally {
      await close();
    }
  });
});
