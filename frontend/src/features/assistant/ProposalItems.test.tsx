import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";

import type { Proposal, ProposalItem } from "@/api/types";
import { proposalOf } from "@/test/proposal";
import { renderApp } from "@/test/render";
import { json, playServer, problem } from "@/test/server";

import { ProposalCard } from "./ProposalCard";

const NAMES = ["Acme renewal", "Acme expansion", "Globex pilot"];

const itemOf = (name: string, other: Partial<ProposalItem> = {}): ProposalItem => ({
  target: { type: "deal", id: `deal-${String(NAMES.indexOf(name) + 1)}`, name },
  version: 1,
  changes: [
    { field: "stageId", label: "Stage", before: "s1", after: "s3", beforeDisplay: "Proposal", afterDisplay: "Lost" },
  ],
  ...other,
});

const bulk = (other: Partial<Proposal> = {}) =>
  proposalOf({
    tool: "bulk_update_deals",
    title: "Change several deals",
    target: { type: "deal", id: "", name: "3 deals" },
    changes: [],
    items: NAMES.map((name) => itemOf(name)),
    ...other,
  });

const CONFIRM = "POST /api/proposals/prop-1/confirm";
const lastBody = (calls: { method: string; body: unknown }[]) => calls.filter(({ method }) => method === "POST").at(-1)?.body;

it("leaves out what is unticked, says how many are kept, and applies none but those", async () => {
  const calls = playServer({ [CONFIRM]: () => json(bulk({ status: "executed" })) });
  renderApp(<ProposalCard seed={bulk()} />);
  expect(screen.getByRole("button", { name: "Apply 3 of 3" })).toBeTruthy();
  const all = screen.getByRole<HTMLInputElement>("checkbox", { name: "All of them" });
  await userEvent.click(screen.getByRole("checkbox", { name: "Acme expansion" }));
  expect(all.checked).toBe(false);
  await userEvent.click(screen.getByRole("button", { name: "Apply 2 of 3" }));
  expect(lastBody(calls)).toEqual({ digest: bulk().digest, items: ["deal-1", "deal-3"] });
});

it("is confirmed with one record at least, and ticks all or none at once", async () => {
  playServer({});
  renderApp(<ProposalCard seed={bulk()} />);
  await userEvent.click(screen.getByRole("checkbox", { name: "All of them" }));
  expect(screen.getByRole<HTMLButtonElement>("button", { name: "Apply 0 of 3" }).disabled).toBe(true);
  screen.getByRole("checkbox", { name: "Globex pilot" }).focus();
  await userEvent.keyboard(" ");
  expect(screen.getByRole("button", { name: "Apply 1 of 3" })).toBeTruthy();
  await userEvent.click(screen.getByRole("checkbox", { name: "All of them" }));
  expect(screen.getByRole("button", { name: "Apply 3 of 3" })).toBeTruthy();
});

it("tells of each record what came of it, without anything to tick", () => {
  playServer({});
  const error = { code: "FORBIDDEN", message: "You no longer have the right to make this change." };
  const items = [
    itemOf("Acme renewal", { status: "done" }),
    itemOf("Acme expansion", { status: "skipped" }),
    itemOf("Globex pilot", { status: "failed", error }),
  ];
  renderApp(<ProposalCard seed={bulk({ status: "executed", items })} />);
  const told = screen.getAllByRole("listitem").map((row) => row.textContent);
  expect(told.map((text, at) => text.includes(["Done", "Left out", "Failed"][at] ?? ""))).toEqual([true, true, true]);
  expect(within(screen.getByTestId("proposal")).getByText(error.message)).toBeTruthy();
  expect(screen.queryByRole("checkbox")).toBeNull();
});

it("takes the reason that the card asks for, together with what was left out", async () => {
  const editable = [{ arg: "lost_reason", field: "lostReason", label: "Lost reason", type: "text" as const, value: "" }];
  let refuse = true;
  const calls = playServer({
    [CONFIRM]: () => {
      if (refuse) return problem(422, "INVALID", { errors: [{ path: "lost_reason", message: "Too long." }] });
      const row = { field: "lostReason", label: "Lost reason", before: null, after: "Too dear", beforeDisplay: "–", afterDisplay: "Too dear" };
      return json(bulk({ status: "executed", edited: true, proposedChanges: [], changes: [row] }));
    },
  });
  renderApp(<ProposalCard seed={bulk({ editable, warnings: ["No reason for the loss was given."] })} />);
  await userEvent.click(screen.getByRole("checkbox", { name: "Acme renewal" }));
  await userEvent.click(screen.getByRole("button", { name: "Edit" }));
  await userEvent.keyboard("Too dear{Enter}");
  expect(await screen.findByText("Too long.")).toBeTruthy();
  refuse = false;
  await userEvent.keyboard("{Enter}");
  expect(await screen.findByText("As you changed it:")).toBeTruthy();
  expect(lastBody(calls)).toEqual({
    digest: bulk().digest,
    edits: { lost_reason: "Too dear" },
    items: ["deal-2", "deal-3"],
  });
});

it("names the records that had changed, each with its own changes at the same moment", () => {
  playServer({});
  const at = "2026-11-29T05:00:00Z";
  const changedSince = NAMES.map((name) => ({
    ...{ record: itemOf(name).target, field: "title", before: null, after: null, by: "Mei Manager", at },
  }));
  renderApp(<ProposalCard seed={bulk({ status: "stale", items: [], changedSince })} />);
  for (const name of NAMES) expect(screen.getAllByRole("link", { name })).toHaveLength(1);
});
