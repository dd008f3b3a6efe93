import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import { question, Speech, type Asked } from "./endpoint";
import { composer, say, startWorld, type World } from "./world";

let world: World;
let speech = new Speech();

beforeAll(async () => {
  world = await startWorld((asked: Asked) => (question(asked)?.startsWith("Tell") ? { text: speech } : { text: ["Yes."] }));
});

afterEach(() => {
  speech.end();
  speech = new Speech();
});

afterAll(() => world.stop());

describe("what is typed", () => {
  it("survives a reload and another conversation, each its own", async () => {
    const { page, found, close } = await world.visit("sales");
    const draft = () => composer(page).inputValue();
    try {
      await say(page, "Is this the first?");
      await page.getByText("Yes.", { exact: true }).waitFor();
      await composer(page).fill("a thought 未完");
      await page.reload();
      await page.getByText("Yes.", { exact: true }).waitFor();
      expect(await draft()).toBe("a thought 未完");
      await page.getByRole("button", { name: "New conversation" }).click();
      expect(await draft()).toBe("");
      await composer(page).fill("another");
      await page.getByRole("button", { name: "Conversations" }).click();
      await page.getByRole("button", { name: /^Is this the first/ }).click();
      await expect.poll(draft).toBe("a thought 未完");
      expect(found).toEqual([]);
    } finally {
      await close();
    }
  });

  it("survives the end of the session: signing in again is all that is asked", async () => {
    const { page, close } = await world.visit("manager");
    try {
      await composer(page).fill("Are you there?");
      await page.context().clearCookies();
      await composer(page).press("Enter");
      const dialog = page.getByRole("dialog", { name: "Sign in again" });
      await dialog.locator('input[type="password"]').fill("demo-password");
      await dialog.getByRole("button", { name: "Sign in", exact: true }).click();
      await dialog.waitFor({ state: "hidden" });
      expect(await composer(page).inputValue()).toBe("Are you there?");
      await composer(page).press("Enter");
      await page.getByText("Yes.", { exact: true }).waitFor();
      await expect.poll(() => composer(page).inputValue()).toBe("");
    } finally {
      await close();
    }
  });

  it("stays in the field when it could not be sent", async () => {
    const { page, close } = await world.visit("sales2");
    try {
      await page.context().setOffline(true);
      await say(page, "Does this arrive?");
      await page.getByRole("alert").filter({ hasText: "The server cannot be reached" }).waitFor();
      expect(await composer(page).inputValue()).toBe("Does this arrive?");
      await page.context().setOffline(false);
      await composer(page).press("Enter");
      await page.getByText("Yes.", { exact: true }).waitFor();
      expect(await page.locator('[data-role="user"]').count()).toBe(1);
      expect(await composer(page).inputValue()).toBe("");
    } finally {
      await close();
    }
  });
});

describe("a long answer", () => {
  it("is followed from the bottom only, never moves what is read, and is caught up with by a button", async () => {
    const { page, found, close } = await world.visit("admin");
    const jump = page.getByRole("button", { name: /^Jump to latest/ });
    try {
      await say(page, "Tell me everything");
      await tell(page, 0);
      expect(await fromBottom(page)).toBeLessThan(2);
      expect(await jump.count()).toBe(0);

      await wheel(page, -40);
      await jump.waitFor();
      const reading = await place(page);
      await tell(page, 1);
      expect(Math.abs((await place(page)) - reading)).toBeLessThanOrEqual(1);

      await jump.click();
      await expect.poll(() => fromBottom(page)).toBeLessThan(2);
      await tell(page, 2);
      expect(await fromBottom(page)).toBeLessThan(2);

      await wheel(page, -400);
      await tell(page, 3);
      await wheel(page, (await fromBottom(page)) - 70);
      await jump.waitFor();
      await wheel(page, 8);
      await jump.waitFor({ state: "detached" });
      await tell(page, 4);
      expect(await fromBottom(page)).toBeLessThan(2);

      await wheel(page, -300);
      const before = await place(page);
      speech.end();
      await page.getByRole("log").getByRole("button", { name: "Copy" }).waitFor({ state: "attached" });
      expect(Math.abs((await place(page)) - before)).toBeLessThanOrEqual(1);
      await say(page, "And?");
      await expect.poll(() => fromBottom(page)).toBeLessThan(2);
      expect(found).toEqual([]);
    } finally {
      await close();
    }
  });
});

/** Lets the model say thirty paragraphs, and waits for the last of them. */
async function tell(page: Page, part: number): Promise<void> {
  for (let line = 0; line < 30; line++) speech.say(`Part ${String(part)}, line ${String(line)}.\n\n`);
  speech.say(`End of part ${String(part)}.\n\n`);
  await page.getByText(`End of part ${String(part)}.`).waitFor({ state: "attached" });
  // What follows happens on the next frames.
  await page.waitForTimeout(100);
}

async function wheel(page: Page, by: number): Promise<void> {
  await page.getByRole("log").hover();
  await page.mouse.wheel(0, by);
  await page.waitForTimeout(150);
}

const place = (page: Page) => page.getByRole("log").evaluate(({ scrollTop }) => scrollTop);

const fromBottom = (page: Page) =>
  page.getByRole("log").evaluate(({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight);
