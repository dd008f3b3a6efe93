import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { look } from "./browser";
import { question, type Asked } from "./endpoint";
import { apiOf, deal, openDeals, say, startWorld, type World } from "./world";

let world: World;
let refuse = false;

/** A model that looks up when asked a question, proposes when asked for a change, allowed or not, and then says
 * what it saw. */
function answer(asked: Asked) {
  const asks = question(asked);
  if (refuse) return { status: 401 };
  if (asks?.includes("won"))
    return { call: "update_deal_stage", args: { deal: "Acme renewal", stage: "Won", reason: "You said so." } };
  if (asks) return { call: "get_deal", args: { deal: "Acme renewal" } };
  return { text: ["The Acme ", "renewal is **open**", ", and **「重點」**很清楚。"] };
}

beforeAll(async () => {
  world = await startWorld(answer);
});

afterAll(() => world.stop());

describe("the assistant with a model", () => {
  it("looks up, proposes, and does it once after the click", async () => {
    const { page, close, found } = await world.visit("sales");
    try {
      await say(page, "How is the Acme renewal?");
      await page.locator('[data-tool="get_deal"][data-status="ok"]').waitFor();
      await page.locator("strong", { hasText: "open" }).waitFor();
      await page.locator("strong", { hasText: "「重點」" }).waitFor();
      await look(page, "assistant-answer");

      await say(page, "Mark it as won");
      const card = page.getByTestId("proposal");
      await card.getByRole("button", { name: "Change stage" }).click();
      await card.getByText(/^Done/).waitFor();
      await look(page, "assistant-executed");
      expect(found).toEqual([]);
    } finally {
      await close();
    }
  });

  it("says plainly that the key is wrong, in either language, and keeps the message", async () => {
    refuse = true;
    try {
      for (const [locale, sentence] of [
        ["en-HK", /does not accept the key/],
        ["zh-HK", /不接受目前的金鑰/],
      ] as const) {
        await world.setUpModel();
        const { page, close } = await world.visit("sales2", { locale });
        await page.getByRole("button", { name: /^(New conversation|新對話)$/ }).click();
        await say(page, "How are my deals?");
        await page.getByRole("alert").filter({ hasText: sentence }).first().waitFor();
        await page.getByText("How are my deals?").first().waitFor();
        await look(page, `assistant-wrong-key-${locale}`);
        await close();
      }
    } finally {
      refuse = false;
      await world.setUpModel();
    }
  });

  it("offers a viewer no change: neither by the model's will nor by command", async () => {
    const [target] = await world.elsewhere("sales2", openDeals);
    if (!target) throw new Error("the demo data holds no open deal");
    const { page, close, found } = await world.visit("viewer");
    try {
      await say(page, "Mark it as won");
      await page.locator('[data-tool="update_deal_stage"][data-status="failed"]').waitFor();
      await page.locator("strong", { hasText: "open" }).waitFor();
      expect(world.endpoint.log.at(-1)?.asked.tools?.map(({ function: { name } }) => name)).not.toContain(
        "update_deal_stage",
      );

      await say(page, `/update_deal_stage deal="${target.title}" stage=Won`);
      const denied = page.locator('[data-tool="update_deal_stage"][data-status="denied"]');
      await denied.getByText(/You need the right .*Ask an administrator/).waitFor();
      expect(await page.getByTestId("proposal").count()).toBe(0);
      expect((await deal(apiOf(page, world), target.id)).version).toBe(target.version);
      await look(page, "assistant-viewer");
      expect(found).toEqual([]);
    } finally {
      await close();
    }
  });
});
