import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { look } from "./browser";
import { question, type Asked } from "./endpoint";
import { apiOf, say, startWorld, type World } from "./world";

let world: World;

/** A model that answers at length, so that the place of a word matters. */
function answer(asked: Asked) {
  const lines = Array.from({ length: 60 }, (_, index) => `Line ${"x".repeat(index % 9)}.\n\n`);
  return { text: [`About ${question(asked) ?? ""}\n\n`, ...lines, "The end."] };
}

beforeAll(async () => {
  world = await startWorld(answer);
});

afterAll(() => world.stop());

const list = (page: Page) => page.getByRole("navigation", { name: "Conversations" });

async function ask(page: Page, text: string): Promise<void> {
  await page.getByRole("button", { name: "New conversation" }).click();
  await say(page, text);
  await page.getByText("The end.").waitFor();
  await page.getByRole("log").getByRole("button", { name: "Copy" }).waitFor();
}

const stored = async (page: Page) =>
  (await apiOf(page, world).get<{ items: { title: string }[] }>("/api/conversations")).items.map(({ title }) => title);

describe("the list of conversations", () => {
  it("finds two Chinese characters in a message, opens there, and leaves other people's alone", async () => {
    const other = await world.visit("sales2");
    await ask(other.page, "海港的續約");
    await other.close();
    const { page, found, close } = await world.visit("sales");
    try {
      await ask(page, "First\n\n海港燒烤的續約怎樣？");
      await ask(page, "Second");
      await page.getByRole("button", { name: "Conversations" }).click();
      await list(page).getByLabel("Search titles and messages").fill("續約");
      await list(page).getByText("Second").waitFor({ state: "detached" });
      expect(await list(page).getByRole("listitem").count()).toBe(1);
      await look(page, "conversations-search");
      await list(page).getByRole("button", { name: /^First/ }).click();
      await page.getByRole("log").getByText("海港燒烤的續約怎樣？").first().waitFor();
      expect(await page.getByRole("log").evaluate(({ scrollTop }) => scrollTop)).toBeLessThan(20);
      await page.getByRole("button", { name: "Jump to latest" }).waitFor();
      expect(found).toEqual([]);
    } finally {
      await close();
    }
  });

  it("deletes several at once, after a moment to undo it", async () => {
    const { page, found, close } = await world.visit("manager");
    const choose = async (...names: string[]) => {
      await list(page).getByRole("button", { name: "Choose several" }).click();
      for (const name of names) await list(page).getByRole("checkbox", { name: new RegExp(`^${name}`) }).check();
      await list(page)
        .getByRole("button", { name: `Delete ${String(names.length)}` })
        .click();
      await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
    };
    try {
      for (const text of ["One", "Two", "Three"]) await ask(page, text);
      await page.getByRole("button", { name: "Conversations" }).click();
      await choose("One", "Two", "Three");
      await list(page).getByText("No conversations yet.").waitFor();
      await page.getByRole("button", { name: "Undo" }).click();
      await list(page).getByText("Two").waitFor();
      await choose("One", "Three");
      await expect.poll(() => list(page).getByRole("listitem").count()).toBe(1);
      expect(await stored(page)).toEqual(["Three", "Two", "One"]);
      // Leaving the page is the end of the time to undo it.
      await page.goto("about:blank");
      await expect.poll(() => stored(page)).toEqual(["Two"]);
      expect(found).toEqual([]);
    } finally {
      await close();
    }
  });
});
