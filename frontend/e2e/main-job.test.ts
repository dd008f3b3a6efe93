import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { complaints, launch, look } from "./browser";
import { startServer, type Server } from "./server";

type Deal = { id: string; title: string; ownerId: string; stageKind: string; stageName: string; version: number };
type History = { items: { field: string; actor: { userId: string; name: string; via: string } }[] };

const LANGUAGES = [
  {
    locale: "en-HK",
    lang: "en-HK",
    words: {
      signIn: "Sign in",
      deals: "Deals",
      message: "Message to the assistant",
      confirm: "Change stage",
      undo: "Undo",
      done: /^Done/,
      by: (name: string) => `Assistant (command) for ${name}`,
    },
  },
  {
    // Any Chinese of the browser gives the Chinese of Hong Kong.
    locale: "zh-TW",
    lang: "zh-Hant-HK",
    words: {
      signIn: "登入",
      deals: "商機",
      message: "給助理的訊息",
      confirm: "更改階段",
      undo: "復原",
      done: /^已完成/,
      by: (name: string) => `助理（指令）代 ${name} 執行`,
    },
  },
];

let server: Server;
let browser: Browser;

beforeAll(async () => {
  [server, browser] = await Promise.all([startServer(), launch()]);
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

/** Reads JSON with the session of the page. */
async function get<T>(page: Page, path: string): Promise<T> {
  const answer = await page.request.get(server.url + path);
  expect(answer.status(), path).toBe(200);
  return (await answer.json()) as T;
}

/** An open deal of this person whose title is theirs alone and can be written in a command. */
async function ownOpenDeal(page: Page, userId: string): Promise<Deal> {
  const { items } = await get<{ items: Deal[] }>(page, "/api/deals?limit=200");
  const deal = items.find(
    ({ title, ownerId, stageKind }) =>
      ownerId === userId &&
      stageKind === "OPEN" &&
      !title.includes('"') &&
      items.filter((other) => other.title.includes(title)).length === 1,
  );
  if (!deal) throw new Error("the demo data holds no open deal of this person with a title of its own");
  return deal;
}

describe.each(LANGUAGES)("moving a deal to Won in $lang", ({ locale, lang, words }) => {
  it("asks, shows the exact change, does it once, and keeps the record", async () => {
    const context = await browser.newContext({ locale, viewport: { width: 1280, height: 900 } });
    const page = await context.newPage();
    const found = complaints(page);
    try {
      await signIn(page, words, lang);
      const { user } = await get<{ user: { id: string; name: string } }>(page, "/api/me");
      const deal = await ownOpenDeal(page, user.id);
      await openFromList(page, deal, lang);

      const card = await propose(page, deal, words, lang);
      expect((await get<Deal>(page, `/api/deals/${deal.id}`)).version).toBe(deal.version);
      await card.getByRole("button", { name: words.confirm }).click();
      await card.getByText(words.done).waitFor();
      await page.locator("main").getByText("Won", { exact: true }).first().waitFor();
      await expectShown(page, deal, words.by(user.name));
      await look(page, `${lang}-executed`);

      await expectStored(page, deal, user.id);
      await expectSameAfterReload(page, words);
      await look(page, `${lang}-reloaded`);
      expect(found).toEqual([]);
    } finally {
      await context.close();
    }
  });
});

type Words = (typeof LANGUAGES)[number]["words"];

async function signIn(page: Page, words: Words, lang: string): Promise<void> {
  await page.goto(`${server.url}/deals`);
  await page.getByRole("heading", { name: words.signIn }).waitFor();
  expect(await page.locator("html").getAttribute("lang")).toBe(lang);
  await look(page, `${lang}-sign-in`);
  await page.locator('input[type="email"]').fill("sales@demo.test");
  await page.locator('input[type="password"]').fill("demo-password");
  await page.getByRole("button", { name: words.signIn, exact: true }).click();
  await page.getByRole("heading", { name: words.deals, level: 1 }).waitFor();
  await page.getByRole("table").waitFor();
  await look(page, `${lang}-deals`);
}

async function openFromList(page: Page, deal: Deal, lang: string): Promise<void> {
  await page.locator('input[type="search"]').fill(deal.title);
  await page.waitForURL((url) => url.searchParams.get("q") === deal.title);
  await page.getByRole("link", { name: deal.title, exact: true }).click();
  await page.getByRole("heading", { name: deal.title, level: 1 }).waitFor();
  expect(await page.getByTestId("deal-version").textContent()).toBe(String(deal.version));
  await look(page, `${lang}-deal`);
}

async function propose(page: Page, deal: Deal, words: Words, lang: string) {
  const field = page.getByLabel(words.message);
  await field.fill(`/update_deal_stage deal="${deal.title}" stage=Won`);
  await field.press("Enter");
  await page.locator('[data-tool="update_deal_stage"][data-status="proposed"]').waitFor();
  const card = page.getByTestId("proposal");
  await card.getByRole("button", { name: words.confirm }).waitFor();
  // Nothing that Enter could press by accident has the focus.
  expect(await card.evaluate((element) => element.contains(document.activeElement))).toBe(false);
  expect(await card.locator("del").allTextContents()).toContain(deal.stageName);
  expect(await card.locator("ins").allTextContents()).toContain("Won");
  expect(await field.inputValue()).toBe("");
  await look(page, `${lang}-pending`);
  return card;
}

async function expectShown(page: Page, deal: Deal, by: string): Promise<void> {
  await page
    .getByTestId("deal-version")
    .getByText(String(deal.version + 1), { exact: true })
    .waitFor();
  await page.getByTestId("deal-history").getByText(by).first().waitFor();
}

async function expectStored(page: Page, deal: Deal, userId: string): Promise<void> {
  expect(await get<Deal>(page, `/api/deals/${deal.id}`)).toMatchObject({
    stageName: "Won",
    stageKind: "WON",
    version: deal.version + 1,
  });
  const { items } = await get<History>(page, `/api/deals/${deal.id}/history`);
  const stage = items.filter(({ field }) => field === "stageId" || field === "stage");
  expect(stage[0]?.actor).toMatchObject({ userId, via: "command" });
}

async function expectSameAfterReload(page: Page, words: Words): Promise<void> {
  await page.reload();
  const card = page.getByTestId("proposal");
  await card.getByText(words.done).waitFor();
  expect(await card.getAttribute("data-state")).toBe("executed");
  expect(await card.getByRole("button").allTextContents()).toEqual([words.undo]);
}
