import { act, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";

import type { Proposal } from "@/api/types";
import { i18n } from "@/i18n";
import { proposalOf } from "@/test/proposal";
import { renderApp } from "@/test/render";
import { json, playServer, problem } from "@/test/server";

import { MessageItem } from "./MessageItem";

const CONFIRM = "POST /api/proposals/prop-1/confirm";

function show(proposal: Proposal) {
  const message = {
    key: "m",
    role: "assistant" as const,
    text: "",
    status: "complete" as const,
    tools: [],
    proposals: [proposal],
    refs: [],
    notices: [],
  };
  return renderApp(<MessageItem message={message} />);
}

const buttons = () => screen.queryAllByRole("button").map((button) => button.textContent);
const confirmButton = () => screen.getByRole("button", { name: "Change stage" });

afterEach(() => {
  vi.useRealTimers();
});

describe("a pending card", () => {
  it("shows verb, record, change, warning and expiry, and focuses no button", () => {
    playServer({});
    show(proposalOf());
    expect(screen.getByRole("group", { name: /Change the stage of Acme renewal/ })).toBeTruthy();
    expect(screen.getByRole("link", { name: "Acme renewal" }).getAttribute("href")).toBe("/deals/deal-1");
    expect(screen.getByText("Proposal").closest("dd")?.textContent).toBe("ProposalbecomesWon");
    expect(screen.getByText("The deal will be closed.")).toBeTruthy();
    expect(buttons()).toEqual(["Change stage", "Cancel"]);
    expect(document.activeElement).toBe(document.body);
  });

  it("names an empty value, and falls back to the server's title and Confirm for an unknown tool", () => {
    playServer({});
    const [change] = proposalOf().changes;
    if (!change) throw new Error("no change");
    show(
      proposalOf({ tool: "new_tool", title: "Do a thing", changes: [{ ...change, before: null, beforeDisplay: "" }] }),
    );
    expect(screen.getByText("(empty)")).toBeTruthy();
    expect(screen.getByRole("group", { name: /Do a thing/ })).toBeTruthy();
    expect(buttons()).toEqual(["Confirm", "Cancel"]);
  });

  it("speaks Chinese", async () => {
    playServer({});
    await act(() => i18n.changeLanguage("zh-HK"));
    show(proposalOf());
    expect(buttons()).toEqual(["變更階段", "取消"]);
  });

  it("expires by the clock", () => {
    vi.useFakeTimers();
    playServer({});
    show(proposalOf({ expiresAt: new Date(Date.now() + 60_000).toISOString() }));
    act(() => void vi.advanceTimersByTime(59_000));
    expect(buttons()).toHaveLength(2);
    act(() => void vi.advanceTimersByTime(1_500));
    expect(buttons()).toEqual([]);
    expect(screen.getByText(/Expired/)).toBeTruthy();
  });
});

describe("confirming", () => {
  it("sends the digest once for a double click, is disabled meanwhile, and shows the outcome", async () => {
    let answer: (response: Response) => void = () => undefined;
    const calls = playServer({ [CONFIRM]: () => new Promise<Response>((resolve) => (answer = resolve)) });
    const { client } = show(proposalOf());
    client.setQueryData(["deals", "deal-1"], { stale: true });
    await userEvent.dblClick(confirmButton());
    expect(buttons()).toEqual(["Applying…", "Cancel"]);
    for (const button of screen.getAllByRole("button")) expect(button).toHaveProperty("disabled", true);
    const outcome = { summary: "Moved to Won.", records: [{ type: "deal", id: "deal-1", name: "Acme renewal" }] };
    answer(json(proposalOf({ status: "executed", decidedAt: "2026-11-29T04:05:00Z", outcome })));
    await screen.findByText("Moved to Won.");
    expect(calls.filter(({ method }) => method === "POST").map(({ body }) => body)).toEqual([
      { digest: "d".repeat(64) },
    ]);
    expect(buttons()).toEqual([]);
    expect(screen.getByText(/12:05/)).toBeTruthy();
    expect(client.getQueryState(["deals", "deal-1"])?.isInvalidated).toBe(true);
    expect(document.activeElement?.textContent).toContain("Moved to Won.");
  });

  it("cancels", async () => {
    const calls = playServer({ "POST /api/proposals/prop-1/cancel": () => json(proposalOf({ status: "cancelled" })) });
    show(proposalOf());
    await userEvent.click(screen.getByRole("button", { name: "Cancel" }));
    await screen.findByText(/Cancelled\. Nothing was changed/);
    expect(calls.find(({ method }) => method === "POST")?.body).toEqual({});
    expect(buttons()).toEqual([]);
  });

  it("keeps the buttons when the server could not be reached", async () => {
    playServer({
      [CONFIRM]: () => Promise.reject(new TypeError("x")),
      "GET /api/proposals/prop-1": () => json(proposalOf()),
    });
    show(proposalOf());
    await userEvent.click(confirmButton());
    expect((await screen.findByRole("alert")).textContent).toContain("cannot be reached");
    expect(buttons()).toEqual(["Change stage", "Cancel"]);
  });

  it("says why a right was lost, and takes the failed state from the server", async () => {
    const failed = proposalOf({
      status: "failed",
      outcome: { summary: "", records: [], error: { code: "FORBIDDEN", message: "You may not." } },
    });
    playServer({ [CONFIRM]: () => problem(403, "FORBIDDEN"), "GET /api/proposals/prop-1": () => json(failed) });
    show(proposalOf());
    await userEvent.click(confirmButton());
    expect(await screen.findByText(/Failed\. Nothing was changed/)).toBeTruthy();
    expect(screen.getByText("You may not.")).toBeTruthy();
  });

  it("shows who changed what when the record is newer, and the fresh card after one click", async () => {
    const fresh = proposalOf({ id: "prop-2" });
    const changedSince = [
      { field: "stageId", before: "s1", after: "s3", by: "Mona", at: "2026-11-29T04:05:00Z" },
      { field: "amount", before: null, after: null, by: "Mona", at: "2026-11-29T04:05:00Z" },
    ];
    playServer({ [CONFIRM]: () => problem(409, "STALE", { fresh, changedSince }) });
    show(proposalOf());
    await userEvent.click(confirmButton());
    const since = await screen.findAllByText(/Mona changed it/);
    expect(since.map((line) => line.previousSibling?.textContent)).toEqual(["Stage: s1 → s3", "Amount"]);
    expect(screen.queryByRole("alert")).toBeNull();
    expect(buttons()).toEqual(["Show the updated change"]);
    await userEvent.click(screen.getByRole("button", { name: "Show the updated change" }));
    expect(screen.getAllByTestId("proposal").map((card) => card.dataset["state"])).toEqual(["stale", "pending"]);
    expect(buttons()).toEqual(["Change stage", "Cancel"]);
  });
});

describe("after a reload", () => {
  it.each([
    ["executed", "Done"],
    ["cancelled", "Cancelled"],
    ["expired", "Expired"],
    ["superseded", "Replaced by a newer proposal"],
    ["failed", "Failed"],
  ] as const)("a card that is %s has no button", (status, text) => {
    playServer({});
    show(proposalOf({ status }));
    expect(buttons()).toEqual([]);
    expect(screen.getByText(new RegExp(text))).toBeTruthy();
  });

  it("a stale card knows its successor and shows it after one click", async () => {
    playServer({ "GET /api/proposals/prop-2": () => json(proposalOf({ id: "prop-2" })) });
    show(proposalOf({ status: "stale", freshId: "prop-2" }));
    await userEvent.click(screen.getByRole("button", { name: "Show the updated change" }));
    await waitFor(() => {
      expect(screen.getAllByTestId("proposal")).toHaveLength(2);
    });
  });

  it("a stale card whose change makes no sense any more has no button", () => {
    playServer({});
    show(proposalOf({ status: "stale" }));
    expect(buttons()).toEqual([]);
  });
});
