import { setTimeout as sleep } from "node:timers/promises";

import type { APIRequestContext, Browser, BrowserContextOptions, Locator, Page } from "playwright-core";
import { expect } from "vitest";

import { complaints, launch } from "./browser";
import { startEndpoint, type Answer, type Asked, type Endpoint } from "./endpoint";
import { startServer } from "./server";

const PASSWORD = "demo-password";
const WAIT_MS = 15_000;

// A list of few deals: each row is a stop of the Tab key, and work for axe.
const FEW = "/deals?q=Acme";

export type Who = "admin" | "manager" | "sales" | "sales2" | "viewer";

/** A page of a signed-in person. `found` is what the page complained about. */
export type Visit = { page: Page; found: string[]; close: () => Promise<void> };

type VisitOptions = BrowserContextOptions & { path?: string; url?: string };

/** A server of its own with demo data, a browser, and a model where one is given. */
export type World = {
  url: string;
  browser: Browser;
  endpoint: Endpoint;
  visit: (who: Who, options?: VisitOptions) => Promise<Visit>;
  /** Saves the set-up of the model, after which nothing is known of it any more: what failed before is past. */
  setUpModel: () => Promise<void>;
  /** Runs something as a person elsewhere: over the API alone, in a session of its own. */
  elsewhere: <T>(who: Who, work: (api: API) => Promise<T>) => Promise<T>;
  stop: () => Promise<void>;
};

/** Starts a world; with an answer its model is set up. The environment is the server's, beside its own. */
export async function startWorld(answer?: (asked: Asked) => Answer, environment: NodeJS.ProcessEnv = {}): Promise<World> {
  const [server, browser, endpoint] = await Promise.all([
    startServer({ COUNTERSIGN_ALLOW_PRIVATE_ENDPOINTS: "true", ...environment }),
    launch(),
    startEndpoint(answer ?? (() => ({ status: 500 }))),
  ]);
  const signedIn = async (who: Who, options: BrowserContextOptions) => {
    const context = await browser.newContext({ locale: "en-HK", viewport: { width: 1280, height: 900 }, ...options });
    await signIn(context.request, server.url, who);
    return context;
  };
  const world: World = {
    url: server.url,
    browser,
    endpoint,
    visit: async (who, { path = FEW, url = server.url, ...options } = {}) => {
      const context = await signedIn(who, options);
      const page = await context.newPage();
      page.setDefaultTimeout(WAIT_MS);
      const found = complaints(page);
      await page.goto(url + path);
      await page.getByRole("log").or(page.getByRole("main")).first().waitFor();
      return { page, found, close: () => context.close() };
    },
    setUpModel: () => {
      const config = { provider: "openai", endpointUrl: endpoint.url, model: "e2e", apiKey: "sk-e2e" };
      return world.elsewhere("admin", (api) => api.send("PUT", "/api/ai/config", config));
    },
    elsewhere: async (who, work) => {
      const context = await signedIn(who, {});
      try {
        return await work(new API(context.request, server.url));
      } finally {
        await context.close();
      }
    },
    stop: async () => {
      await browser.close();
      await server.stop();
      await endpoint.stop();
    },
  };
  if (answer) await world.setUpModel();
  return world;
}

async function signIn(request: APIRequestContext, url: string, who: Who): Promise<void> {
  const data = { email: `${who}@demo.test`, password: PASSWORD };
  const answer = await request.post(`${url}/api/auth/login`, { data });
  expect(answer.status(), await answer.text()).toBe(200);
}

/** The HTTP API in the session of somebody. */
export class API {
  constructor(
    readonly request: APIRequestContext,
    readonly url: string,
  ) {}

  get<T>(path: string): Promise<T> {
    return this.send<T>("GET", path);
  }

  async send<T>(method: string, path: string, data?: object): Promise<T> {
    const answer = await this.request.fetch(this.url + path, { method, ...(data && { data }) });
    const text = await answer.text();
    expect(answer.status(), `${method} ${path}: ${text}`).toBeLessThan(300);
    return (text ? JSON.parse(text) : undefined) as T;
  }
}

/** The API in the session of a page. */
export const apiOf = (page: Page, world: World) => new API(page.request, world.url);

export type Deal = {
  id: string;
  title: string;
  ownerId: string;
  stageKind: string;
  stageName: string;
  version: number;
  updatedAt: string;
};

/** Open deals of the person whose titles are theirs alone and can be written in a command. */
export async function openDeals(api: API): Promise<Deal[]> {
  const [{ user }, { items }] = await Promise.all([
    api.get<{ user: { id: string } }>("/api/me"),
    api.get<{ items: Deal[] }>("/api/deals?limit=200"),
  ]);
  return items.filter(
    ({ title, ownerId, stageKind }) =>
      ownerId === user.id &&
      stageKind === "OPEN" &&
      !title.includes('"') &&
      items.filter((other) => other.title.includes(title)).length === 1,
  );
}

export const deal = (api: API, id: string) => api.get<Deal>(`/api/deals/${id}`);

export const composer = (page: Page): Locator => page.getByLabel(/^(Message to the assistant|給助理的訊息)$/);

/** Sends a message as a person does. */
export async function say(page: Page, text: string): Promise<void> {
  await composer(page).fill(text);
  await composer(page).press("Enter");
}

/** Waits until something is true, and says what was found instead when it never is. */
export async function eventually<T>(read: () => T | Promise<T>, want: (value: T) => boolean, ms = WAIT_MS): Promise<T> {
  const until = Date.now() + ms;
  for (;;) {
    const value = await read();
    if (want(value)) return value;
    if (Date.now() > until) throw new Error(`not within ${String(ms)} ms; the last value was ${JSON.stringify(value)}`);
    await sleep(25);
  }
}
