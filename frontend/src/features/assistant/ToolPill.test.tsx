import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";

import type { ToolStatus } from "@/api/types";
import { renderApp } from "@/test/render";

import { ToolPill } from "./ToolPill";

const call = { callId: "c1", name: "get_deal", label: "server label", args: { deal: "Acme" } };

it.each<[ToolStatus, string]>([
  ["preparing", "preparing"],
  ["running", "running"],
  ["ok", "done"],
  ["failed", "failed"],
  ["denied", "not allowed"],
  ["stopped", "stopped"],
  ["proposed", "proposed a change"],
])("says %s in words, with a translated name", (status, words) => {
  renderApp(<ToolPill call={{ ...call, status }} />);
  expect(screen.getByRole("button").textContent).toBe(`Look up deal ${words}`);
});

it("falls back to the server's label, and shows long durations only", () => {
  renderApp(<ToolPill call={{ ...call, name: "new_tool", status: "ok", ms: 1_240 }} />);
  expect(screen.getByRole("button").textContent).toBe("server label done · 1.2 s");
});

it("shows arguments and result behind its caret", async () => {
  renderApp(<ToolPill call={{ ...call, status: "ok", result: { id: "deal-1" } }} />);
  expect(screen.queryByText(/"deal": "Acme"/)).toBeNull();
  await userEvent.click(screen.getByRole("button"));
  expect(screen.getByText(/"deal": "Acme"/)).toBeTruthy();
  expect(screen.getByText(/"id": "deal-1"/)).toBeTruthy();
  expect(screen.getAllByRole("button", { name: "Copy" })).toHaveLength(2);
});

it("lists the candidates of an ambiguous name", () => {
  const candidates = [{ type: "deal", id: "1", name: "Acme renewal", detail: "Acme Ltd" }];
  const error = { kind: "ambiguous", message: "Which deal do you mean?", retry: true, candidates };
  renderApp(<ToolPill call={{ ...call, status: "failed", error }} />);
  expect(screen.getByText("Which deal do you mean?")).toBeTruthy();
  expect(screen.getByRole("list").textContent).toContain("Acme Ltd");
});
