import { mkdirSync } from "node:fs";

import { AxeBuilder } from "@axe-core/playwright";
import { chromium, type Browser, type Page } from "playwright-core";

const SHOTS = "e2e/screenshots";
const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export function launch(): Promise<Browser> {
  mkdirSync(SHOTS, { recursive: true });
  return chromium.launch({ executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium", args: FLAGS });
}

/** Takes a picture of a page and fails on what keeps people out: serious and critical findings of axe. */
export async function look(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: `${SHOTS}/${name}.png` });
  const { violations } = await new AxeBuilder({ page }).analyze();
  const bad = violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, help, nodes }) => `${id}: ${help}\n  ${nodes.map(({ html }) => html).join("\n  ")}`);
  if (bad.length > 0) throw new Error(`axe on ${name}:\n${bad.join("\n")}`);
}

/** Collects what a page complains about: exceptions, and errors such as violations of the content policy. */
export function complaints(page: Page): string[] {
  const found: string[] = [];
  page.on("pageerror", ({ message }) => found.push(message));
  page.on("console", (message) => {
    // The first question for the session is answered 401 by design.
    if (message.type() === "error" && !message.text().includes("401")) found.push(message.text());
  });
  return found;
}
