import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";

import type { AIConfig } from "@/api/types";
import { renderApp } from "@/test/render";
import { json, playServer, problem } from "@/test/server";

import { AIConfigForm } from "./AIConfigForm";
import { TEST_LIMIT_MS } from "./ConnectionTest";

const config: AIConfig = {
  configured: true,
  apiKeySet: true,
  provider: "openai",
  endpointUrl: "https://api.example.test/v1",
  model: "model-1",
  maxRounds: 8,
  secrets: "ok",
};
const save = () => userEvent.click(screen.getByRole("button", { name: "Save" }));

it("keeps the key field empty, write-only, and away from password managers", () => {
  playServer({});
  renderApp(<AIConfigForm config={config} readOnly={false} />);
  const key = screen.getByLabelText<HTMLInputElement>("API key");
  expect(key.value).toBe("");
  expect(key.placeholder).toBe("key already set, leave empty to keep");
  expect(key.autocomplete).toBe("new-password");
  expect(key.getAttribute("spellcheck")).toBe("false");
  expect(key.hasAttribute("data-1p-ignore")).toBe(true);
  expect(key.hasAttribute("data-lpignore")).toBe(true);
});

it("sends no key when none was typed, and the key when one was", async () => {
  const calls = playServer({ "PUT /api/ai/config": () => json(config) });
  renderApp(<AIConfigForm config={config} readOnly={false} />);
  await save();
  await waitFor(() => {
    expect(calls).toHaveLength(1);
  });
  expect(calls[0]?.body).toEqual({
    provider: "openai",
    endpointUrl: "https://api.example.test/v1",
    model: "model-1",
    systemPrompt: "",
    maxRounds: 8,
  });
  await userEvent.type(screen.getByLabelText("API key"), "sk-new");
  await save();
  await waitFor(() => {
    expect(calls[1]?.body).toMatchObject({ apiKey: "sk-new" });
  });
});

it("names what is wrong before sending", async () => {
  const calls = playServer({});
  renderApp(<AIConfigForm config={{ ...config, endpointUrl: "ftp://x", model: "", maxRounds: 99 }} readOnly={false} />);
  await save();
  expect(await screen.findByText(/begins with https/)).toBeTruthy();
  expect(screen.getByText("Fill this in.")).toBeTruthy();
  expect(screen.getByText(/whole number from 1 to 20/)).toBeTruthy();
  expect(calls).toEqual([]);
});

it("puts the server's objection at its field", async () => {
  const errors = [{ path: "endpointUrl", message: "This host is not allowed." }];
  playServer({ "PUT /api/ai/config": () => problem(422, "INVALID", { errors, detail: "This host is not allowed." }) });
  renderApp(<AIConfigForm config={config} readOnly={false} />);
  await save();
  expect((await screen.findAllByText("This host is not allowed.")).length).toBeGreaterThan(0);
  expect(screen.getByLabelText("Endpoint URL").getAttribute("aria-invalid")).toBe("true");
});

it("cannot be changed by those who may only read", () => {
  playServer({});
  renderApp(<AIConfigForm config={config} readOnly />);
  expect(screen.queryByRole("button", { name: "Save" })).toBeNull();
  expect(screen.getByLabelText("Model name")).toHaveProperty("disabled", true);
});

describe("the key", () => {
  it("is asked for again when the address changes to another host, at its field", async () => {
    const message = "The endpoint's host has changed: enter the API key again.";
    playServer({
      "PUT /api/ai/config": () => problem(422, "INVALID", { errors: [{ path: "apiKey", message }], detail: message }),
    });
    renderApp(<AIConfigForm config={config} readOnly={false} />);
    const address = screen.getByLabelText("Endpoint URL");
    fireEvent.change(address, { target: { value: "https://api.example.test/v2" } });
    expect(screen.queryByText(/stored key is not sent there/)).toBeNull();
    fireEvent.change(address, { target: { value: "https://other.test/v1" } });
    expect(screen.getByText(/stored key is not sent there/)).toBeTruthy();
    await save();
    const key = screen.getByLabelText<HTMLInputElement>("API key");
    await waitFor(() => {
      expect(key.getAttribute("aria-invalid")).toBe("true");
    });
    expect(document.activeElement).toBe(key);
    expect([key.placeholder, key.getAttribute("aria-describedby")?.split(" ").length]).toEqual(["", 2]);
  });

  it("is removed on its own, once asked, and with the stored values", async () => {
    const calls = playServer({ "PUT /api/ai/config": () => json({ ...config, apiKeySet: false }) });
    renderApp(<AIConfigForm config={config} readOnly={false} />);
    await userEvent.click(screen.getByRole("button", { name: "Remove key" }));
    const dialog = screen.getByRole("alertdialog", { name: "Remove the API key?" });
    await userEvent.click(within(dialog).getByRole("button", { name: "Remove key" }));
    await waitFor(() => {
      expect(calls[0]?.body).toEqual({
        provider: "openai",
        endpointUrl: "https://api.example.test/v1",
        model: "model-1",
        systemPrompt: "",
        maxRounds: 8,
        removeKey: true,
      });
    });
  });
});

describe("changes that are not saved", () => {
  it("are said, can be discarded, and are asked about before the page is left", async () => {
    playServer({});
    const { router } = renderApp(<AIConfigForm config={config} readOnly={false} />, { path: "/admin/ai-config" });
    expect(screen.queryByText("Unsaved changes")).toBeNull();
    const model = screen.getByLabelText<HTMLInputElement>("Model name");
    fireEvent.change(model, { target: { value: "model-2" } });
    expect(await screen.findByText("Unsaved changes")).toBeTruthy();
    const leaving = new Event("beforeunload", { cancelable: true });
    window.dispatchEvent(leaving);
    expect(leaving.defaultPrevented).toBe(true);

    await act(() => router.navigate("/deals"));
    await userEvent.click(screen.getByRole("button", { name: "Cancel" }));
    expect([router.state.location.pathname, model.value]).toEqual(["/admin/ai-config", "model-2"]);
    await userEvent.click(screen.getByRole("button", { name: "Discard" }));
    expect([model.value, screen.queryByText("Unsaved changes")]).toEqual(["model-1", null]);

    fireEvent.change(model, { target: { value: "model-3" } });
    await screen.findByText("Unsaved changes");
    await act(() => router.navigate("/deals"));
    await userEvent.click(screen.getByRole("button", { name: "Leave" }));
    expect(router.state.location.pathname).toBe("/deals");
  });
});

describe("testing the connection", () => {
  const start = () => userEvent.click(screen.getByRole("button", { name: "Test connection" }));
  const events = (...steps: object[]) =>
    new Response(steps.map((step) => `data: ${JSON.stringify(step)}\n\n`).join(""), {
      headers: { "Content-Type": "text/event-stream; charset=utf-8" },
    });
  const ok = (step: string) => ({ step, status: "ok", ms: 120 });
  const told = () =>
    [...document.querySelectorAll("[data-step]")].map((item) => [
      item.getAttribute("data-step"),
      item.getAttribute("data-status"),
    ]);
  afterEach(() => {
    vi.useRealTimers();
  });

  it("sends what is on screen without saving it, and shows each step as it comes", async () => {
    let more: (text: string) => void = () => undefined;
    let close: () => void = () => undefined;
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        more = (text) => {
          controller.enqueue(new TextEncoder().encode(text));
        };
        close = () => {
          controller.close();
        };
      },
    });
    const calls = playServer({
      "POST /api/ai/config/test": () => new Response(body, { headers: { "Content-Type": "text/event-stream" } }),
    });
    renderApp(<AIConfigForm config={config} readOnly={false} />);
    fireEvent.change(screen.getByLabelText("Model name"), { target: { value: "model-2" } });
    await start();
    await screen.findByText("Reach the address");
    expect(calls.map(({ path }) => path)).toEqual(["/api/ai/config/test"]);
    expect(calls[0]?.body).toEqual({
      provider: "openai",
      endpointUrl: "https://api.example.test/v1",
      model: "model-2",
    });
    more(`data: ${JSON.stringify(ok("connect"))}\n\n`);
    await waitFor(() => {
      expect(told()).toEqual([["connect", "ok"]]);
    });
    more(`data: ${JSON.stringify({ step: "auth", status: "failed", message: "The key was refused." })}\n\n`);
    close();
    expect(await screen.findByText("Not connected.")).toBeTruthy();
    expect(screen.getByText("The key was refused.")).toBeTruthy();
    expect(told()).toEqual([
      ["connect", "ok"],
      ["auth", "failed"],
    ]);
  });

  it.each([
    ["all steps", ["completion", "tools"], "Connected."],
    ["no tool calls", ["completion"], "The model answers but cannot call tools"],
    ["no completion", ["connect", "auth", "model"], "Not connected."],
  ])("is connected only by a completion (%s)", async (_, steps, words) => {
    playServer({ "POST /api/ai/config/test": () => events(...steps.map(ok)) });
    renderApp(<AIConfigForm config={config} readOnly={false} />);
    await start();
    expect(await screen.findByText((text) => text.startsWith(words))).toBeTruthy();
  });

  it.each([
    ["another host without its key", () => problem(422, "INVALID", { detail: "Enter the API key again." }), "Enter the API key again."],
    ["too many tests", () => problem(429, "RATE_LIMITED", {}, { "Retry-After": "30" }), "Try again in 30 seconds"],
  ])("says so of %s", async (_, answer, words) => {
    playServer({ "POST /api/ai/config/test": answer });
    renderApp(<AIConfigForm config={config} readOnly={false} />);
    await start();
    expect(await screen.findByText((text) => text.includes(words))).toBeTruthy();
  });

  it("can be cancelled", async () => {
    vi.stubGlobal("fetch", (_: string, { signal }: RequestInit) => hang(signal));
    renderApp(<AIConfigForm config={config} readOnly={false} />);
    await start();
    await userEvent.click(await screen.findByRole("button", { name: "Cancel" }));
    expect(await screen.findByText("Cancelled.")).toBeTruthy();
  });

  it("gives up in the end", async () => {
    const limit = new AbortController();
    const timeout = vi.spyOn(AbortSignal, "timeout").mockReturnValue(limit.signal);
    vi.stubGlobal("fetch", (_: string, { signal }: RequestInit) => hang(signal));
    renderApp(<AIConfigForm config={config} readOnly={false} />);
    await start();
    await screen.findByText("Reach the address");
    expect(timeout).toHaveBeenCalledWith(TEST_LIMIT_MS);
    limit.abort();
    expect(await screen.findByText("No answer within 15 seconds.")).toBeTruthy();
  });

  it("does not begin with values that are not valid", async () => {
    const calls = playServer({});
    renderApp(<AIConfigForm config={{ ...config, model: "" }} readOnly={false} />);
    await start();
    expect(await screen.findByText("Fill this in.")).toBeTruthy();
    expect(calls).toEqual([]);
  });
});

describe("the list of models", () => {
  const list = () => screen.getByRole("button", { name: "List models" });
  const names = () => [...document.querySelectorAll("datalist option")].map((option) => option.getAttribute("value"));

  it("is asked for on demand, and offers names to choose", async () => {
    const calls = playServer({ "GET /api/ai/models": () => json({ items: [{ id: "model-1" }, { id: "model-2" }] }) });
    renderApp(<AIConfigForm config={config} readOnly={false} />);
    expect(calls).toEqual([]);
    await userEvent.click(list());
    expect(await screen.findByText("2 models found")).toBeTruthy();
    expect(names()).toEqual(["model-1", "model-2"]);
  });

  it.each([
    ["broken", () => problem(502, "UNAVAILABLE"), /^The list could not be had/],
    ["refused", () => problem(503, "MODEL_LIST_UNAVAILABLE", { detail: "Wrong key." }), /^Wrong key\. The list could not/],
  ])("never stands in the way when it is %s", async (_, answer, words) => {
    const calls = playServer({ "GET /api/ai/models": answer, "PUT /api/ai/config": () => json(config) });
    renderApp(<AIConfigForm config={config} readOnly={false} />);
    await userEvent.click(list());
    expect(await screen.findByText(words)).toBeTruthy();
    fireEvent.change(screen.getByLabelText("Model name"), { target: { value: "typed" } });
    await save();
    await waitFor(() => {
      expect(calls.at(-1)?.body).toMatchObject({ model: "typed" });
    });
  });

  it("is of what is stored, so another address is saved first", async () => {
    playServer({});
    renderApp(<AIConfigForm config={config} readOnly={false} />);
    fireEvent.change(screen.getByLabelText("Endpoint URL"), { target: { value: "https://other.test" } });
    await waitFor(() => {
      expect(list()).toHaveProperty("disabled", true);
    });
  });
});

function hang(signal: AbortSignal | null | undefined): Promise<Response> {
  return new Promise((_, reject) => {
    signal?.addEventListener("abort", () => {
      reject(new DOMException("aborted", "AbortError"));
    });
  });
}
