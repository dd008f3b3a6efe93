import { screen, waitFor } from "@testing-library/react";
import { expect, it } from "vitest";

import { renderApp } from "@/test/render";
import { json, playServer } from "@/test/server";

import { SetUpBar } from "./SetUpBar";

const config = { configured: true, apiKeySet: true, secrets: "ok" };

it.each([
  [{ ...config, configured: false }, /No model is set up/],
  [{ ...config, failing: { code: "MODEL_UNAUTHORIZED", at: "2026-11-29T04:00:00Z" } }, /last call to the model failed/],
])("leads to where a model is set up, when there is none or it fails", async (answer, text) => {
  playServer({ "GET /api/ai/config": () => json(answer) });
  renderApp(<SetUpBar />);
  expect(await screen.findByText(text)).toBeTruthy();
  expect(screen.getByRole("link", { name: "Set up AI" }).getAttribute("href")).toBe("/admin/ai-config");
});

it("says nothing of a model that works", async () => {
  const calls = playServer({ "GET /api/ai/config": () => json(config) });
  renderApp(<SetUpBar />);
  await waitFor(() => {
    expect(calls).toHaveLength(1);
  });
  expect(screen.queryByText(/model/)).toBeNull();
});
