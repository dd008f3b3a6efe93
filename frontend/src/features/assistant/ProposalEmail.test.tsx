import { act, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";

import { sessionKeys } from "@/api/session";
import type { DeliveryStatus, Proposal } from "@/api/types";
import { i18n } from "@/i18n";
import { meWith } from "@/test/me";
import { proposalOf } from "@/test/proposal";
import { renderApp } from "@/test/render";
import { json, playServer, problem } from "@/test/server";

import { ProposalCard } from "./ProposalCard";

const MARK = "POST /api/deliveries/mail-1/sent";
const PROPOSAL = "GET /api/proposals/prop-1";
const MAYBE = "It may have arrived. Check with the recipient before you send it again.";

function emailOf(delivery: DeliveryStatus, message = ""): Proposal {
  return proposalOf({
    status: "executed",
    tool: "send_quotation_email",
    target: { type: "quotation", id: "q1", name: "Q-2026-0001" },
    outcome: {
      summary: "It is on its way to the mail server.",
      records: [{ type: "quotation", id: "q1", name: "Q-2026-0001" }],
      delivery,
      email: { id: "mail-1", to: "amy@acme.test", at: "2026-11-29T04:05:00Z", message },
    },
  });
}

function show(seed: Proposal, routes: Parameters<typeof playServer>[0] = {}, ...permissions: string[]) {
  const calls = playServer(routes);
  const view = renderApp(<ProposalCard seed={seed} />);
  act(() => {
    view.client.setQueryData(sessionKeys.me, meWith("own", ...permissions));
  });
  return { ...view, calls };
}

const status = () => within(screen.getByTestId("proposal")).getByRole("status").textContent;
const markButton = () => screen.findByRole("button", { name: "Mark as sent" });

describe("the card of an e-mail", () => {
  it("keeps the rest of the message in sight while its opening words are edited", async () => {
    const body = "Dear Amy,\n\nHere is our offer.\n\nTotal: HK$2,401.00";
    const [change] = proposalOf().changes;
    if (!change) throw new Error("no change");
    const message = { ...change, field: "message", label: "Message", before: null, beforeDisplay: "(empty)", after: body, afterDisplay: body };
    const note = { arg: "note", field: "message", label: "Opening words", type: "multiline" as const, value: "Here is our offer." };
    show(proposalOf({ tool: "send_quotation_email", changes: [message], editable: [note] }));
    await userEvent.click(screen.getByRole("button", { name: "Edit" }));
    const field = screen.getByLabelText("Opening words");
    const shown = () => screen.getByText(/Dear Amy/).textContent;
    expect(shown()).toBe(body);
    await userEvent.clear(field);
    await userEvent.type(field, "As we said: $& it is.");
    expect(shown()).toBe(body.replace("Here is our offer.", () => "As we said: $& it is."));
  });

  it("follows it until it has ended, and then stops asking", async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    const way = [emailOf("sending"), emailOf("sent")];
    const { calls } = show(emailOf("queued"), { [PROPOSAL]: () => json(way.shift() ?? emailOf("failed")) });
    expect(status()).toContain("waits to be sent");
    await act(() => vi.advanceTimersByTimeAsync(2_100));
    expect(status()).toContain("is being sent");
    await act(() => vi.advanceTimersByTimeAsync(2_100));
    expect(status()).toMatch(/The e-mail to amy@acme.test was sent. · .*12:05/);
    await act(() => vi.advanceTimersByTimeAsync(20_000));
    expect(calls.filter(({ path }) => path === "/api/proposals/prop-1")).toHaveLength(2);
    expect(screen.queryByText(/on its way/)).toBeNull();
    expect(screen.queryByText("Done")).toBeNull();
    vi.useRealTimers();
  });

  it("reads the conversation again when it has gone wrong, which is told there", async () => {
    const { client } = show(emailOf("sending"));
    client.setQueryData(["conversations", "conv-1"], {});
    act(() => {
      client.setQueryData(["proposals", "prop-1"], emailOf("failed", "Check the address."));
    });
    await waitFor(() => {
      expect(status()).toContain("was not sent");
    });
    expect(status()).toContain("Check the address.");
    await waitFor(() => {
      expect(client.getQueryState(["conversations", "conv-1"])?.isInvalidated).toBe(true);
    });
  });

  it("of which nobody knows says what to check, and is marked as sent by keyboard, keeping the focus on the card", async () => {
    let now = emailOf("unknown", MAYBE);
    const { calls } = show(
      now,
      {
        [PROPOSAL]: () => json(now),
        [MARK]: () => {
          now = emailOf("sent");
          return json({ id: "mail-1" });
        },
      },
      "quotation:send",
    );
    expect(status()).toContain(MAYBE);
    (await markButton()).focus();
    await userEvent.keyboard("{Enter}");
    await screen.findByText(/was sent/);
    expect(calls.filter(({ method }) => method === "POST")).toHaveLength(1);
    expect(screen.queryByRole("button")).toBeNull();
    expect(document.activeElement?.textContent).toContain("was sent");
  });

  it("that is refused says why, and is shown as it is now", async () => {
    show(
      emailOf("unknown", MAYBE),
      { [PROPOSAL]: () => json(emailOf("unknown", MAYBE)), [MARK]: () => problem(503, "UNAVAILABLE") },
      "quotation:send",
    );
    await userEvent.click(await markButton());
    expect(await screen.findByRole("alert")).toBeTruthy();
    expect(await markButton()).toBeTruthy();
  });

  it("has no button for those who may not send", () => {
    show(emailOf("unknown", MAYBE), {}, "quotation:read");
    expect(screen.queryByRole("button")).toBeNull();
  });

  it("speaks Chinese", async () => {
    await act(() => i18n.changeLanguage("zh-HK"));
    show(emailOf("unknown", "再次發送前，請先向收件人查證。"), {}, "quotation:send");
    expect(status()).toContain("未能確定 amy@acme.test 是否收到電郵。");
    expect(await screen.findByRole("button", { name: "標示為已發送" })).toBeTruthy();
  });
});
