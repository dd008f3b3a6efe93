import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";

import type { AIConfig } from "@/api/types";
import { renderApp } from "@/test/render";
import { json, playServer, problem } from "@/test/server";

import { AIConfigForm } from "./AIConfigForm";

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
