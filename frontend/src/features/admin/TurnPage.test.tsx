import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { Route, Routes } from "react-router-dom";
import { describe, expect, it, vi } from "vitest";

import type { InspectedCall, Inspection } from "@/api/types";
import { renderApp } from "@/test/render";
import { json, playServer, problem } from "@/test/server";

import { TurnPage } from "./TurnPage";
import { stepsOf } from "./turnSteps";

const call = (id: string, attempt: number, rest: Partial<InspectedCall>): InspectedCall => ({
  id,
  model: "openai/m",
  purpose: "answer",
  round: 1,
  attempt,
  startedAt: "2026-03-01T04:00:00Z",
  durationMs: 900,
  estimated: false,
  ...rest,
});
const tool = (callId: string, name: string): Inspection["toolCalls"][number] => ({
  callId,
  name,
  label: name,
  args: { contact: "Amy" },
  status: "ok",
  summary: "Found Amy.",
  result: { email: "(hidden)" },
  ms: 12,
});
const request: InspectedCall["request"] = {
  system: "You are Countersign.",
  messages: [
    { role: "user", text: "Who is Amy?" },
    { role: "tool", text: '{"ok":true}', callId: "x" },
  ],
  tools: ["get_contact", "get_deal"],
};
const wants = [{ id: "x", name: "get_contact", arguments: '{"contact":"Amy"}' }];
const turn: Inspection = {
  id: "t1",
  conversationId: "c1",
  userId: "u1",
  userName: "Sam Sales",
  channel: "web",
  status: "done",
  reason: "stop",
  startedAt: "2026-03-01T04:00:00Z",
  durationMs: 2500,
  model: "openai/m",
  calls: 2,
  rounds: 1,
  retries: 1,
  promptTokens: 1200,
  completionTokens: 34,
  cachedTokens: 0,
  estimated: 0,
  unpriced: 0,
  message: "Who is Amy?",
  reply: "A buyer.",
  toolCalls: [tool("k1", "get_contact"), tool("k2", "get_deal")],
  modelCalls: [
    call("m1", 1, { errorKind: "overloaded", errorCode: "busy", request }),
    call("m2", 2, {
      finish: "tool_calls",
      promptTokens: 1200,
      completionTokens: 34,
      cost: { amount: "0.0035", currency: "USD" },
      request,
      answer: { text: "", calls: wants, reasoning: "Look her up.", finish: "tool_calls", cut: true },
    }),
  ],
};

function show(answer = () => json(turn)) {
  const calls = playServer({ "GET /api/turns/t1": answer });
  const page = (
    <Routes>
      <Route path="/admin/turns/:id" element={<TurnPage />} />
    </Routes>
  );
  return { calls, ...renderApp(page, { path: "/admin/turns/t1" }) };
}

const panel = async (name: string) => {
  const section = (await screen.findByRole("heading", { name })).closest("section");
  if (!section) throw new Error(`no panel ${name}`);
  return within(section);
};

describe("a turn", () => {
  it("shows every attempt with what it took and was shown", async () => {
    const { calls } = show();
    expect(await screen.findByRole("heading", { name: "Turn of Sam Sales" })).toBeTruthy();
    expect(screen.getByText("That you opened this turn is on record.")).toBeTruthy();
    const failed = await panel("Model call 1, attempt 1");
    expect(failed.getByText("overloaded · busy")).toBeTruthy();
    expect(failed.getByText("– in, – out")).toBeTruthy();
    const second = await panel("Model call 1, attempt 2");
    expect(second.getByText("1,200 in, 34 out")).toBeTruthy();
    expect(second.getByText("US$0.0035")).toBeTruthy();
    expect(second.getByText("You are Countersign.")).toBeTruthy();
    expect(second.getByText("Tools on offer: get_contact, get_deal")).toBeTruthy();
    expect(second.getByText("Calls get_contact")).toBeTruthy();
    expect(second.getByText("Look her up.")).toBeTruthy();
    expect(second.getByText("Too long to keep whole: parts are missing.")).toBeTruthy();
    expect(calls).toHaveLength(1);
  });

  it("shows tool calls with arguments and result as JSON, to be copied", async () => {
    show();
    const shown = await panel("Tool get_contact");
    expect(shown.getByText("done")).toBeTruthy();
    expect(shown.getByText(/"email": "\(hidden\)"/)).toBeTruthy();
    const user = userEvent.setup();
    const write = vi.spyOn(navigator.clipboard, "writeText");
    const [copy] = shown.getAllByRole("button", { name: "Copy" });
    if (copy) await user.click(copy);
    expect(write).toHaveBeenCalledWith('{\n  "contact": "Amy"\n}');
  });

  it("says when the texts are gone, and offers a running turn again", async () => {
    const { calls } = show(() => json({ ...turn, status: "running", modelCalls: [call("m1", 1, {})] }));
    expect(await screen.findByText("What was said is not kept any more, or never was.")).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "Read again" }));
    expect(calls).toHaveLength(2);
  });

  it("tells that there is no such turn", async () => {
    show(() => problem(404, "NOT_FOUND"));
    expect(await screen.findByRole("button", { name: "Try again" })).toBeTruthy();
  });
});

it("puts tool calls after the answers that asked for them, others last", () => {
  const names = stepsOf(turn).map(({ model, tools }) => [model?.id, ...tools.map(({ callId }) => callId)]);
  expect(names).toEqual([["m1"], ["m2", "k1"], [undefined, "k2"]]);
  expect(stepsOf({ modelCalls: [], toolCalls: [] })).toEqual([]);
});
