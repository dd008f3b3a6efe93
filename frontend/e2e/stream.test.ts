import type { Page, Request } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import { question, Speech, type Asked } from "./endpoint";
import { startProxy, type Proxy } from "./proxy";
import { composer, eventually, say, startWorld, type World } from "./world";

let world: World;
let proxy: Proxy;
let speech = new Speech();

/** A model that looks up first when asked to, says what the test lets it say, and is brief about everything else. */
function answer(asked: Asked) {
  const asks = question(asked);
  if (asks?.startsWith("Look up")) return { call: "get_deal", args: { deal: "Acme renewal" } };
  if (asks?.startsWith("And")) return { text: ["Briefly."] };
  return { text: speech };
}

beforeAll(async () => {
  world = await startWorld(answer);
  proxy = await startProxy(world.url);
});

afterEach(() => {
  speech.end();
  speech = new Speech();
});

afterAll(async () => {
  await proxy.stop();
  await world.stop();
});

const answers = (page: Page) => page.locator('[data-role="assistant"]');
const saying = (page: Page, text: string) => answers(page).last().getByText(text, { exact: true });

describe("an answer that is on its way", () => {
  it("is stopped by the person: upstream at once, marked, and the next message works", async () => {
    const { page, found, close } = await world.visit("sales");
    try {
      await say(page, "Tell me a long story");
      speech.say("Once upon ", "a time");
      await saying(page, "Once upon a time").waitFor();
      await page.getByRole("button", { name: "Stop" }).click();
      const stopped = Date.now();
      await eventually(() => world.endpoint.log.at(-1)?.cut, Boolean, 2_000);
      await answers(page).last().getByText("Stopped", { exact: true }).waitFor();
      expect(Date.now() - stopped).toBeLessThan(2_000);
      speech.say(" there was more");

      await page.reload();
      await answers(page).last().getByText("Stopped", { exact: true }).waitFor();
      await saying(page, "Once upon a time").waitFor();
      await say(page, "And now?");
      await saying(page, "Briefly.").waitFor();
      expect(found).toEqual([]);
    } finally {
      await close();
    }
  });

  // Before the first event, inside of events, between them, and again and again.
  it.each([[[1]], [[300]], [[450, 0]], [[2_000, 40, 90]], [[6_000, 700, 333, 111]]])(
    "is the same after connections that broke after %j bytes",
    async (bytes) => {
      const { page, close } = await world.visit("sales2", { url: proxy.url });
      const before = proxy.broken();
      try {
        await page.getByRole("button", { name: "New conversation" }).click();
        proxy.breakAfter(...bytes);
        await say(page, "Look up the Acme renewal and tell me");
        // No figures: no tool gave any, so they would be marked.
        const words = Array.from("天地玄黃宇宙洪荒日月盈昃辰宿列張寒來暑往秋收冬藏閏餘成歲律呂調陽雲騰致雨露結為霜", (word) => `word ${word}，一個字。 `);
        for (const word of words) speech.say(word);
        speech.say("fin");
        const text = words.join("") + "fin";
        await saying(page, text).waitFor();
        await eventually(proxy.broken, (broken) => broken === before + bytes.length);
        expect(await page.locator("[data-tool]").count()).toBe(1);
        expect(await answers(page).locator("p").filter({ hasText: "word 天" }).allTextContents()).toEqual([text]);

        speech.end();
        await page.getByText("Answer complete", { exact: true }).waitFor({ state: "attached" });
        expect(await answers(page).locator("p").filter({ hasText: "word 天" }).allTextContents()).toEqual([text]);
        expect(await page.locator("[data-tool]").count()).toBe(1);
      } finally {
        await close();
      }
    },
  );

  it("goes on without its reader, and is there for whoever comes back", async () => {
    const { page, close } = await world.visit("manager");
    try {
      await say(page, "Tell me something");
      speech.say("Heard before leaving");
      await saying(page, "Heard before leaving").waitFor();
      await page.goto("about:blank");
      speech.say(", said while away");
      await page.goto(`${world.url}/deals`);
      await saying(page, "Heard before leaving, said while away").waitFor();
      speech.say(", heard again.");
      await saying(page, "Heard before leaving, said while away, heard again.").waitFor();
      expect(world.endpoint.log.at(-1)?.cut).toBe(false);
      speech.end();
      await answers(page).last().getByRole("button", { name: "Copy" }).waitFor();
    } finally {
      await close();
    }
  });

  it("stays in its own conversation", async () => {
    const { page, found, close } = await world.visit("admin");
    try {
      await say(page, "Tell me something else");
      speech.say("Words of the first");
      await saying(page, "Words of the first").waitFor();
      await page.getByRole("button", { name: "New conversation" }).click();
      speech.say(", more of them");
      await say(page, "And this is another");
      await saying(page, "Briefly.").waitFor();
      expect(await page.getByRole("log").textContent()).not.toContain("first");

      await page.getByRole("button", { name: "Conversations" }).click();
      await page.getByRole("button", { name: /^Tell me something else/ }).click();
      await saying(page, "Words of the first, more of them").waitFor();
      speech.say(", and the last.");
      await saying(page, "Words of the first, more of them, and the last.").waitFor();
      expect(await page.getByRole("log").textContent()).not.toContain("Briefly.");
      expect(await composer(page).inputValue()).toBe("");
      expect(found).toEqual([]);
    } finally {
      await close();
    }
  });
});

describe("a page on which no answer runs", () => {
  it("holds no connection, so that seven tabs of a browser load", async () => {
    const { page, found, close } = await world.visit("sales");
    const asked: string[] = [];
    const open = new Set<Request>();
    const isStream = (request: Request) => request.headers()["accept"] === "text/event-stream";
    const context = page.context();
    context.on("request", (request) => {
      if (!isStream(request)) return;
      asked.push(new URL(request.url()).pathname);
      open.add(request);
    });
    const ended = (request: Request) => open.delete(request);
    context.on("requestfinished", ended).on("requestfailed", ended);
    try {
      await page.reload({ waitUntil: "networkidle" });
      for (let tab = 2; tab <= 7; tab++) {
        await (await context.newPage()).goto(page.url(), { waitUntil: "networkidle" });
      }
      expect(asked).toEqual([]);

      await say(page, "And this runs");
      await saying(page, "Briefly.").waitFor();
      await eventually(() => open.size, (size) => size === 0);
      expect(asked).toEqual(["/api/chat"]);
      expect(found).toEqual([]);
    } finally {
      await close();
    }
  });
});
