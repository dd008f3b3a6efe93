import { cleanup, render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it } from "vitest";

import type { Frame } from "@/api/chat";
import { NOTHING_USED } from "@/test/events";
import { proposalOf } from "@/test/proposal";
import { json, playServer, problem, sse, type Call } from "@/test/server";

import { App } from "./App";

const me = {
  user: { id: "u1", name: "Sally", email: "sales@demo.test", role: "sales", roleName: "Sales" },
  permissions: ["deal:read", "company:read", "task:read"].map((permission) => ({ permission, scope: "own" })),
  demo: true,
};
const empty = { items: [], total: 0 };
const frames: Frame[] = [
  { seq: 1, event: { type: "start", turnId: "t1", conversationId: "c1", messageId: "m2" } },
  { seq: 2, event: { type: "token", delta: "<b>Found</b> it." } },
  { seq: 3, event: { type: "records", refs: [{ type: "deal", id: "d1", name: "Acme renewal" }] } },
  { seq: 4, event: { type: "done", reason: "stop", messageId: "m2", usage: NOTHING_USED } },
];
let signedIn: boolean;
let needsSetup: boolean;
let calls: Call[];

const guarded = (value: unknown) => () => (signedIn ? json(value) : problem(401, "UNAUTHENTICATED"));

function open(path: string, routes: Parameters<typeof playServer>[0] = {}) {
  window.history.pushState({}, "", path);
  calls = playServer({
    "GET /api/status": () => json({ demo: true, needsSetup, version: "dev" }),
    "GET /api/me": guarded(me),
    "POST /api/auth/login": ({ body }) => {
      if ((body as { password: string }).password !== "demo-password") return problem(401, "INVALID_CREDENTIALS");
      signedIn = true;
      return json(me);
    },
    "GET /api/deals": guarded(empty),
    "GET /api/companies": guarded(empty),
    "GET /api/pipelines": guarded(empty),
    "GET /api/tools": guarded({ items: [] }),
    "POST /api/chat": () => (signedIn ? sse(frames) : problem(401, "UNAUTHENTICATED")),
    ...routes,
  });
  render(<App />);
}

beforeEach(() => {
  signedIn = true;
  needsSetup = false;
});

describe("signing in", () => {
  it("is asked for, fills in a demo account, and leads back to the page", async () => {
    signedIn = false;
    open("/companies?q=acme");
    await screen.findByRole("heading", { name: "Sign in" });
    expect(window.location.pathname + window.location.search).toBe("/login?next=%2Fcompanies%3Fq%3Dacme");
    await userEvent.click(screen.getByRole("button", { name: /sales@demo.test/ }));
    await userEvent.click(screen.getByRole("button", { name: "Sign in" }));
    await screen.findByRole("heading", { name: "Companies" });
    expect(window.location.search).toBe("?q=acme");
  });

  it("says when e-mail or password is wrong", async () => {
    signedIn = false;
    open("/login");
    await userEvent.type(await screen.findByLabelText("E-mail"), "a@b.test");
    await userEvent.type(screen.getByLabelText("Password"), "wrong{Enter}");
    expect((await screen.findByRole("alert")).textContent).toContain("The e-mail or the password is wrong.");
  });

  it("gives way to the set-up of the first admin", async () => {
    signedIn = false;
    needsSetup = true;
    open("/deals", {
      "POST /api/setup": () => {
        needsSetup = false;
        signedIn = true;
        return json(me, 201);
      },
    });
    await screen.findByRole("heading", { name: "Create the first admin" });
    await userEvent.click(screen.getByRole("button", { name: /Create admin/ }));
    expect(await screen.findByText("Use at least 12 characters.")).toBeTruthy();
    await userEvent.type(screen.getByLabelText("One-time token"), "tok");
    await userEvent.type(screen.getByLabelText("Name"), "Ada");
    await userEvent.type(screen.getByLabelText("E-mail"), "ada@example.com");
    await userEvent.type(screen.getByLabelText("Password"), "demo-password");
    await userEvent.click(screen.getByRole("button", { name: /Create admin/ }));
    await screen.findByRole("heading", { name: "Deals" });
    const body = { token: "tok", name: "Ada", email: "ada@example.com", password: "demo-password" };
    expect(calls.find(({ path }) => path === "/api/setup")?.body).toEqual(body);
  });
});

describe("the shell", () => {
  it("shows the demo banner, hides what the person may not see, and knows unknown pages", async () => {
    open("/nowhere");
    await screen.findByRole("heading", { name: "There is no such page" });
    expect(screen.getByText(/^Demo: /)).toBeTruthy();
    expect(screen.queryByRole("link", { name: "AI set-up" })).toBeNull();
  });

  it("names the one admin page that a person may see, and puts several behind one link", async () => {
    const holding = (...rights: string[]) => ({ ...me, permissions: rights.map((permission) => ({ permission, scope: "own" })) });
    open("/admin/none", { "GET /api/me": () => json(holding("usage:read")) });
    await screen.findByRole("link", { name: "Usage" });
    expect(screen.queryByRole("link", { name: "Administration" })).toBeNull();
    cleanup();
    open("/admin/none", { "GET /api/me": () => json(holding("usage:read", "audit:read")) });
    const bar = await screen.findByRole("navigation", { name: "Administration" });
    expect(within(bar).getAllByRole("link").map(({ textContent }) => textContent)).toEqual(["Usage", "Turns"]);
    expect(screen.getByRole("link", { name: "Administration" }).getAttribute("href")).toBe("/admin/usage");
  });

  it("refuses the AI page to those who may not read it", async () => {
    open("/admin/ai-config");
    await screen.findByRole("heading", { name: "Not allowed" });
    expect(calls.some(({ path }) => path === "/api/ai/config")).toBe(false);
  });

  it("switches the language, remembers it, and tells page and server", async () => {
    open("/deals");
    await userEvent.click(await screen.findByRole("button", { name: "繁體中文" }));
    await screen.findByRole("heading", { name: "商機" });
    expect(document.documentElement.lang).toBe("zh-Hant-HK");
    expect(localStorage.getItem("countersign.language")).toBe("zh-HK");
    await userEvent.click(screen.getByRole("link", { name: "公司" }));
    await waitFor(() => {
      const asked = calls.find(({ path }) => path.startsWith("/api/companies"));
      expect(asked?.headers.get("Accept-Language")).toBe("zh-HK");
    });
  });
});

describe("the assistant", () => {
  const field = () => screen.getByLabelText<HTMLTextAreaElement>("Message to the assistant");

  const chats = () => calls.filter(({ path }) => path === "/api/chat").map(({ body }) => body);

  it("answers as plain text, links records, and is quiet while it speaks", async () => {
    open("/deals");
    await userEvent.type(await screen.findByLabelText("Message to the assistant"), "Hi{Enter}");
    const log = screen.getByRole("log");
    await within(log).findByText("<b>Found</b> it.");
    expect(log.getAttribute("aria-live")).toBe("off");
    expect(within(log).getByRole("link", { name: "Acme renewal" }).getAttribute("href")).toBe("/deals/d1");
    expect(screen.getByText("Answer complete").getAttribute("role")).toBe("status");
    expect(chats()).toEqual([{ message: "Hi", fallback: true }]);
  });

  it("is told of the record on screen until the person takes it out, or leaves the page", async () => {
    const task = { id: "t9", title: "Ring Amy", assigneeId: "u1", assigneeName: "Sally", version: 1 };
    const common = { turnId: "t1", status: "complete", toolCalls: [], proposals: [], refs: [], notices: [] };
    const stored = [
      { ...common, id: "m1", seq: 1, role: "user", content: "Hi" },
      { ...common, id: "m2", seq: 2, role: "assistant", content: "Stored." },
    ];
    const second = { type: "start", turnId: "t2", conversationId: "c1", messageId: "m4" } as const;
    open("/tasks/t9", {
      "GET /api/tasks/t9": () => json(task),
      "GET /api/tasks": () => json({ items: [task], total: 1 }),
      "GET /api/conversations/c1": () => json({ id: "c1", title: "Hi", messages: stored }),
      "POST /api/chat": () => sse(chats().length === 1 ? frames : [{ seq: 1, event: second }]),
    });
    await screen.findByRole("button", { name: "Do not send “Task · Ring Amy”" });
    await userEvent.type(field(), "Hi{Enter}");
    const log = screen.getByRole("log");
    const sent = await within(log).findByRole("link", { name: "Task · Ring Amy" });
    expect(sent.getAttribute("href")).toBe("/tasks/t9");
    await within(log).findByText("<b>Found</b> it.");
    await userEvent.click(screen.getByRole("button", { name: "Do not send “Task · Ring Amy”" }));
    await userEvent.type(field(), "And now{Enter}");
    await waitFor(() => {
      expect(chats()).toHaveLength(2);
    });
    await userEvent.click(screen.getByRole("link", { name: "Tasks" }));
    await userEvent.click(await screen.findByRole("link", { name: "Ring Amy" }));
    await screen.findByRole("button", { name: "Do not send “Task · Ring Amy”" });
    await userEvent.click(screen.getByRole("link", { name: "Companies" }));
    await screen.findByRole("heading", { name: "Companies" });
    expect(screen.queryByRole("button", { name: /^Do not send/ })).toBeNull();
    expect(within(log).getAllByRole("link", { name: "Task · Ring Amy" })).toHaveLength(1);
    const context = { type: "task", id: "t9" };
    expect(chats()).toEqual([
      { message: "Hi", context, fallback: true },
      { message: "And now", conversationId: "c1", fallback: true },
    ]);
  });

  it("counts a change that waits as soon as it is proposed", async () => {
    const proposal: Frame = { seq: 2, event: { type: "proposal", proposal: proposalOf() } };
    const may = { permission: "assistant:use", scope: "own" };
    open("/deals", {
      "GET /api/me": () => json({ ...me, permissions: [...me.permissions, may] }),
      "GET /api/proposals": () => json({ items: [], total: chats().length }),
      "POST /api/chat": () => sse(frames.slice(0, 1).concat(proposal)),
    });
    await userEvent.type(await screen.findByLabelText("Message to the assistant"), "Win it{Enter}");
    expect(await screen.findByRole("link", { name: /^Waiting for me.*1 change/ })).toBeTruthy();
  });

  it("goes on with the answer while the person moves to another page", async () => {
    let answer: (response: Response) => void = () => undefined;
    open("/deals", { "POST /api/chat": () => new Promise<Response>((resolve) => (answer = resolve)) });
    await userEvent.type(await screen.findByLabelText("Message to the assistant"), "Hi{Enter}");
    await userEvent.click(screen.getByRole("link", { name: "Companies" }));
    await screen.findByRole("heading", { name: "Companies" });
    answer(sse(frames));
    expect(await screen.findByText("<b>Found</b> it.")).toBeTruthy();
  });

  it("asks to sign in again when the session has ended, and keeps the words", async () => {
    open("/deals");
    await screen.findByRole("heading", { name: "Deals" });
    signedIn = false;
    await userEvent.type(field(), "Hello{Enter}");
    const dialog = await screen.findByRole("dialog", { name: "Sign in again" });
    await userEvent.type(within(dialog).getByLabelText("Password"), "demo-password{Enter}");
    await waitFor(() => {
      expect(screen.queryByRole("dialog")).toBeNull();
    });
    expect(field().value).toBe("Hello");
  });
});
