import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { complaints, launch, look } from "./browser";
import { startEndpoint, type Asked, type Endpoint } from "./endpoint";
import { startServer, type Server } from "./server";

let server: Server;
let browser: Browser;
let endpoint: Endpoint;
let refuse = false;

/** A model that looks up when asked a question, proposes when asked for a change, and then says what it saw. */
function answer({ messages }: Asked) {
  const last = messages[messages.length - 1];
  if (refuse) return { status: 401 };
  if (last?.role === "user" && last.content.includes("won"))
    return { call: "update_deal_stage", args: { deal: "Acme renewal", stage: "Won", reason: "You said so." } };
  if (last?.role === "user") return { call: "get_deal", args: { deal: "Acme renewal" } };
  return { text: ["The Acme ", "renewal is **open**", ", and **「重點」**很清楚。"] };
}

beforeAll(async () => {
  [server, browser, endpoint] = await Promise.all([
    startServer({ COUNTERSIGN_ALLOW_PRIVATE_ENDPOINTS: "true" }),
    launch(),
    startEndpoint(answer),
  ]);
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
  await endpoint?.stop();
});

async function signedIn(who: string): Promise<{ page: Page; close: () => Promise<void>; found: string[] }> {
  const context = await browser.newContext({ locale: "en-HK", viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  const found = complaints(page);
  await page.goto(`${server.url}/deals`);
  await page.locator('input[type="email"]').fill(`${who}@demo.test`);
  await page.locator('input[type="password"]').fill("demo-password");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("table").waitFor();
  return { page, close: () => context.close(), found };
}

async function say(page: Page, text: string): Promise<void> {
  const field = page.getByLabel("Message to the assistant");
  await field.fill(text);
  await field.press("Enter");
}

describe("the assistant with a model", () => {
  it("is set up by an administrator, looks up, proposes, and does it once after the click", async () => {
    const admin = await signedIn("admin");
    const saved = await admin.page.request.put(`${server.url}/api/ai/config`, {
      data: { provider: "openai", endpointUrl: endpoint.url, model: "e2e", apiKey: "sk-e2e" },
    });
    expect(saved.status(), await saved.text()).toBe(200);
    await admin.close();

    const { page, close, found } = await signedIn("sales");
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

  it("says plainly that the key is wrong, and keeps the message", async () => {
    refuse = true;
    const { page, close } = await signedIn("sales2");
    try {
      await say(page, "How are my deals?");
      await page.getByRole("alert").filter({ hasText: /key/i }).first().waitFor();
      await page.getByText("How are my deals?").first().waitFor();
      await look(page, "assistant-wrong-key");
    } finally {
      refuse = false;
      await close();
    }
  });
});
