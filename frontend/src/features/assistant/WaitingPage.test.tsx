import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";

import { useOtherTabs } from "@/api/otherTabs";
import type { Proposal } from "@/api/types";
import { proposalOf } from "@/test/proposal";
import { renderApp } from "@/test/render";
import { json, playServer } from "@/test/server";

import { WaitingPage } from "./WaitingPage";

const LIST = "GET /api/proposals";
const page = (...items: Proposal[]) => json({ items, total: items.length });

it("lists what waits in every conversation, and keeps what was decided with its outcome", async () => {
  const other = { type: "deal" as const, id: "deal-2", name: "Globex pilot" };
  let waiting = [proposalOf(), proposalOf({ id: "prop-2", conversationId: "conv-2", target: other })];
  playServer({
    [LIST]: () => page(...waiting),
    "POST /api/proposals/prop-1/confirm": () => {
      waiting = waiting.slice(1);
      return json({ ...proposalOf(), status: "executed", outcome: { summary: "It is Won now.", records: [] } });
    },
  });
  renderApp(<WaitingPage />);
  const card = await screen.findByRole("group", { name: /Acme renewal/ });
  expect(screen.getAllByTestId("proposal")).toHaveLength(2);
  await userEvent.click(within(card).getByRole("button", { name: "Change stage" }));
  expect(await screen.findByText("It is Won now.")).toBeTruthy();
  await waitFor(() => {
    expect(screen.getAllByTestId("proposal").map((node) => node.dataset.state)).toEqual(["executed", "pending"]);
  });
});

it("says so when nothing waits", async () => {
  playServer({ [LIST]: () => page() });
  renderApp(<WaitingPage />);
  expect(await screen.findByText("Nothing waits for you.")).toBeTruthy();
});

it("follows what another tab does", async () => {
  let waiting = [proposalOf()];
  const calls = playServer({
    [LIST]: () => page(...waiting),
    "GET /api/proposals/prop-1": () => json(proposalOf({ status: "cancelled" })),
  });
  renderApp(<Shelled />);
  await screen.findByRole("group", { name: /Acme renewal/ });
  waiting = [];
  const otherTab = new BroadcastChannel("countersign.proposals");
  otherTab.postMessage(["prop-1"]);
  expect(await screen.findByText(/Cancelled\. Nothing was changed/)).toBeTruthy();
  expect(calls.filter(({ path }) => path.includes("?status=pending"))).toHaveLength(2);
  otherTab.close();
});

it("tells the other tabs what was decided here", async () => {
  playServer({
    [LIST]: () => page(proposalOf()),
    "POST /api/proposals/prop-1/cancel": () => json(proposalOf({ status: "cancelled" })),
  });
  const otherTab = new BroadcastChannel("countersign.proposals");
  const heard = new Promise((resolve) => {
    otherTab.addEventListener("message", ({ data }: MessageEvent<string[]>) => {
      resolve(data);
    });
  });
  renderApp(<WaitingPage />);
  await userEvent.click(await screen.findByRole("button", { name: "Cancel" }));
  expect(await heard).toEqual(["prop-1"]);
  otherTab.close();
});

function Shelled() {
  useOtherTabs();
  return <WaitingPage />;
}
