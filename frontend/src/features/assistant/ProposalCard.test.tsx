import { act, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";

import type { Editable, Proposal } from "@/api/types";
import { i18n } from "@/i18n";
import { proposalOf } from "@/test/proposal";
import { renderApp } from "@/test/render";
import { json, playServer, problem } from "@/test/server";

import { MessageItem } from "./MessageItem";

const CONFIRM = "POST /api/proposals/prop-1/confirm";

function show(...proposals: Proposal[]) {
  return renderApp(<MessageItem message={messageOf(...proposals)} />);
}

function messageOf(...proposals: Proposal[]) {
  return {
    key: "m",
    role: "assistant" as const,
    text: "",
    status: "complete" as const,
    tools: [],
    proposals,
    refs: [],
    notices: [],
  };
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
    expect(buttons()).toEqual(["Change stage", "Cancel", "Say why…"]);
    expect(document.activeElement).toBe(document.body);
  });

  it("that needs an approval says why, and is not the requester's to confirm", async () => {
    const approval = { role: "manager", reason: "This needs the approval of a manager." };
    playServer({ "GET /api/me": () => json({ user: { id: "user-1" }, permissions: [] }) });
    show(proposalOf({ approval }));
    expect(screen.getByText(approval.reason)).toBeTruthy();
    await waitFor(() => {
      expect(buttons()).toEqual(["Cancel", "Say why…"]);
    });
    expect(screen.queryByText(/Asked for by/)).toBeNull();
  });

  it("that an approver sees says who asked, and is theirs to confirm", async () => {
    const approval = { role: "manager", reason: "This needs the approval of a manager." };
    playServer({ "GET /api/me": () => json({ user: { id: "user-2" }, permissions: [] }) });
    show(proposalOf({ approval }));
    expect(await screen.findByText("Asked for by Sam Sales")).toBeTruthy();
    expect(buttons()).toEqual(["Approve", "Decline", "Say why…"]);
    await userEvent.click(screen.getByRole("button", { name: "Say why…" }));
    expect(screen.getByLabelText("Why you decline it (optional)")).toBeTruthy();
    expect(screen.getByText("Sam Sales and the assistant see this reason.")).toBeTruthy();
  });

  it("that an approver declined names them, and their reason is not the requester's", () => {
    playServer({});
    show(proposalOf({ status: "cancelled", decidedBy: "user-2", deciderName: "Mei Manager", decisionReason: "Not yet" }));
    expect(screen.getByText(/^Declined\. Nothing was changed\./)).toBeTruthy();
    expect(screen.getByText("Decided by Mei Manager")).toBeTruthy();
    expect(screen.getByText("Reason: Not yet")).toBeTruthy();
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
    expect(buttons()).toEqual(["Confirm", "Cancel", "Say why…"]);
  });

  it("speaks Chinese", async () => {
    playServer({});
    await act(() => i18n.changeLanguage("zh-HK"));
    show(proposalOf());
    expect(buttons()).toEqual(["更改階段", "取消", "說明原因…"]);
  });

  it("expires by the clock", () => {
    vi.useFakeTimers();
    playServer({});
    show(proposalOf({ expiresAt: new Date(Date.now() + 60_000).toISOString() }));
    act(() => void vi.advanceTimersByTime(59_000));
    expect(buttons()).toHaveLength(3);
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
    expect(buttons()).toEqual(["Applying…", "Cancel", "Say why…"]);
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

  it("cancels with a reason, which the card then shows; Escape takes the question back", async () => {
    const cancelled = proposalOf({ status: "cancelled", decisionReason: "Too early" });
    const calls = playServer({ "POST /api/proposals/prop-1/cancel": () => json(cancelled) });
    show(proposalOf());
    await userEvent.click(screen.getByRole("button", { name: "Say why…" }));
    const field = screen.getByLabelText("Reason for cancelling (optional)");
    expect(document.activeElement).toBe(field);
    await userEvent.keyboard("No{Escape}");
    await waitFor(() => {
      expect(document.activeElement?.textContent).toBe("Say why…");
    });
    await userEvent.click(screen.getByRole("button", { name: "Say why…" }));
    await userEvent.keyboard(" Too early {Enter}");
    await screen.findByText("Your reason: Too early");
    expect(calls.filter(({ method }) => method === "POST").map(({ body }) => body)).toEqual([{ reason: "Too early" }]);
  });

  it("keeps the buttons when the server could not be reached", async () => {
    playServer({
      [CONFIRM]: () => Promise.reject(new TypeError("x")),
      "GET /api/proposals/prop-1": () => json(proposalOf()),
    });
    show(proposalOf());
    await userEvent.click(confirmButton());
    expect((await screen.findByRole("alert")).textContent).toContain("cannot be reached");
    expect(buttons()).toEqual(["Change stage", "Cancel", "Say why…"]);
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
    expect(buttons()).toEqual(["Change stage", "Cancel", "Say why…"]);
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
    await waitFor(() => {
      expect(document.activeElement?.getAttribute("data-proposal")).toBe("prop-2");
    });
  });

  it("a stale card whose change makes no sense any more has no button", () => {
    playServer({});
    show(proposalOf({ status: "stale" }));
    expect(buttons()).toEqual([]);
  });
});

describe("a change that was carried out", () => {
  const UNDO = "POST /api/proposals/prop-1/undo";
  const done = (other: Partial<Proposal> = {}) =>
    proposalOf({
      status: "executed",
      outcome: { summary: "Moved to Won.", records: [] },
      undo: { until: new Date(Date.now() + 600_000).toISOString() },
      ...other,
    });
  const [change] = proposalOf().changes;
  const back = { ...change, before: "s2", after: "s1", beforeDisplay: "Won", afterDisplay: "Proposal" };
  const undo = (other: Partial<Proposal> = {}) =>
    proposalOf({ id: "prop-2", undoesId: "prop-1", changes: [back as Proposal["changes"][number]], ...other });
  const pass = (seconds: number) => {
    for (let second = 0; second < seconds; second += 1) act(() => void vi.advanceTimersByTime(1_000));
  };
  const undoButton = () => screen.getByRole("button", { name: "Undo" });

  it("is undone by a card of its own, which then has the focus; the first card says so", async () => {
    let first = done();
    const calls = playServer({
      [UNDO]: () => json(undo()),
      "POST /api/proposals/prop-2/confirm": () => {
        first = done({ undoneById: "prop-2" });
        return json(undo({ status: "executed" }));
      },
      "GET /api/proposals/prop-1": () => json(first),
    });
    const { rerender } = show(done());
    await userEvent.dblClick(undoButton());
    const card = await screen.findByRole("group", { name: "Undo the change of Acme renewal" });
    await waitFor(() => {
      expect(document.activeElement).toBe(card);
    });
    rerender(<MessageItem message={messageOf(done(), undo())} />);
    expect(document.activeElement).toBe(card);
    expect(buttons()).toEqual(["Undo it", "Cancel", "Say why…"]);
    expect(screen.getByText("Its undo waits for your confirmation.")).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "Undo it" }));
    expect(await screen.findByText("Undone afterwards.")).toBeTruthy();
    expect(calls.filter(({ method }) => method === "POST").map(({ path }) => path)).toEqual([
      "/api/proposals/prop-1/undo",
      "/api/proposals/prop-2/confirm",
    ]);
    expect(buttons()).toEqual([]);
  });

  it("counts down quietly, and takes the button away when the time is over, without losing the focus", () => {
    vi.useFakeTimers();
    playServer({});
    show(done({ undo: { until: new Date(Date.now() + 150_000).toISOString() } }));
    expect(screen.getByText("3 min left").closest("[aria-hidden]")).not.toBeNull();
    expect(undoButton().getAttribute("aria-describedby")).not.toBeNull();
    pass(40);
    expect(screen.getByText("2 min left")).toBeTruthy();
    pass(60);
    expect(screen.getByText("50 s left")).toBeTruthy();
    undoButton().focus();
    pass(50);
    expect(buttons()).toEqual([]);
    expect(document.activeElement?.textContent).toContain("Moved to Won.");
  });

  it("can be undone again when its undo was cancelled", async () => {
    playServer({
      [UNDO]: () => json(undo()),
      "POST /api/proposals/prop-2/cancel": () => json(undo({ status: "cancelled" })),
    });
    show(done());
    await userEvent.click(undoButton());
    await userEvent.click(await screen.findByRole("button", { name: "Cancel" }));
    expect(await screen.findByRole("button", { name: "Undo" })).toBeTruthy();
  });

  it("says who has changed the record since, and keeps the focus", async () => {
    const changedSince = [{ field: "amount", before: "1", after: "2", by: "Mona", at: "2026-11-29T04:05:00Z" }];
    playServer({
      [UNDO]: () => problem(409, "STALE", { changedSince }),
      "GET /api/proposals/prop-1": () => json(done()),
    });
    show(done());
    await userEvent.click(undoButton());
    expect((await screen.findByRole("alert")).textContent).toContain("has changed since");
    expect(screen.getByText(/Mona changed it/)).toBeTruthy();
    expect(document.activeElement).toBe(undoButton());
  });

  it("says in the server's words why it cannot be undone, and offers it no more", async () => {
    playServer({
      [UNDO]: () => problem(409, "CANNOT_UNDO"),
      "GET /api/proposals/prop-1": () => json(proposalOf({ status: "executed" })),
    });
    show(done());
    await userEvent.click(undoButton());
    expect((await screen.findByRole("alert")).textContent).toContain("detail of CANNOT_UNDO");
    await waitFor(() => {
      expect(buttons()).toEqual([]);
    });
  });

  it("says so when there is no way back, and in Chinese when it was undone", async () => {
    playServer({});
    const view = show(done({ undo: undefined, outcome: { summary: "Sent.", records: [], noUndo: "It was sent." } }));
    expect(screen.getByText("It was sent.")).toBeTruthy();
    expect(buttons()).toEqual([]);
    view.unmount();
    await act(() => i18n.changeLanguage("zh-HK"));
    show(done({ undoneById: "prop-2" }));
    expect(screen.getByText("其後已復原。")).toBeTruthy();
    expect(buttons()).toEqual([]);
  });
});

describe("editing before confirming", () => {
  const editable: Editable[] = [
    { arg: "amount", field: "amount", label: "Amount", type: "money", value: "1000.00" },
    { arg: "tags", field: "tags", label: "Tags", type: "list", value: ["old"] },
  ];
  const amount = (after: string): Proposal["changes"][number] => ({
    field: "amount",
    label: "Amount",
    before: null,
    after,
    beforeDisplay: "",
    afterDisplay: `HK$${after}`,
  });
  const pending = () => proposalOf({ tool: "update_deal", editable, changes: [amount("1000.00")] });

  it("sends what was changed, and shows what was proposed and what was done", async () => {
    const done = { status: "executed", edited: true, changes: [amount("900.00")], proposedChanges: [amount("1000.00")] };
    const calls = playServer({ [CONFIRM]: () => json({ ...pending(), ...done }) });
    show(pending());
    await userEvent.click(screen.getByRole("button", { name: "Edit" }));
    const field = screen.getByLabelText("Amount");
    expect(document.activeElement).toBe(field);
    await userEvent.clear(field);
    await userEvent.type(field, "900.00");
    await userEvent.type(screen.getByLabelText("Tags"), "，new");
    await userEvent.click(screen.getByRole("button", { name: "Confirm with changes" }));
    await screen.findByText("As you changed it:");
    expect(screen.getAllByText(/^HK\$/).map(({ textContent }) => textContent)).toEqual(["HK$1000.00", "HK$900.00"]);
    expect(calls.find(({ method }) => method === "POST")?.body).toEqual({
      digest: "d".repeat(64),
      edits: { amount: "900.00", tags: ["old", "new"] },
    });
  });

  it("says at the field what is wrong, and goes there", async () => {
    const errors = [{ path: "amount", message: "Give the amount as 1234.50." }];
    playServer({
      [CONFIRM]: () => problem(422, "INVALID", { errors }),
      "GET /api/proposals/prop-1": () => json(pending()),
    });
    show(pending());
    await userEvent.click(screen.getByRole("button", { name: "Edit" }));
    await userEvent.type(screen.getByLabelText("Amount"), "x{Enter}");
    expect(await screen.findByText("Give the amount as 1234.50.")).toBeTruthy();
    await waitFor(() => {
      expect(document.activeElement).toBe(screen.getByLabelText("Amount"));
    });
  });

  it("is left by Escape, back to Edit", async () => {
    playServer({});
    show(pending());
    await userEvent.click(screen.getByRole("button", { name: "Edit" }));
    await userEvent.keyboard("5{Escape}");
    expect(document.activeElement?.textContent).toBe("Edit");
    expect(screen.getByText("HK$1000.00")).toBeTruthy();
  });
});

it("a fresh card says what the first one had shown", () => {
  playServer({});
  const changes = proposalOf().changes.map((change) => ({ ...change, was: "s0", wasDisplay: "Enquiry" }));
  show(proposalOf({ changes }));
  expect(screen.getByText("Was Enquiry on the first card; now:")).toBeTruthy();
});
