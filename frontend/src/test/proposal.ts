import type { Proposal } from "@/api/types";

/** A pending proposal to move a deal, with what a test wants otherwise. */
export function proposalOf(other: Partial<Proposal> = {}): Proposal {
  return {
    id: "prop-1",
    status: "pending",
    tool: "update_deal_stage",
    title: "Change stage",
    target: { type: "deal", id: "deal-1", name: "Acme renewal" },
    changes: [
      { field: "stageId", label: "Stage", before: "s1", after: "s2", beforeDisplay: "Proposal", afterDisplay: "Won" },
    ],
    warnings: ["The deal will be closed."],
    reason: "",
    digest: "d".repeat(64),
    requestedBy: "user-1",
    requesterName: "Sam Sales",
    conversationId: "conv-1",
    channel: "web",
    createdAt: "2026-11-29T04:00:00Z",
    expiresAt: new Date(Date.now() + 900_000).toISOString(),
    ...other,
  };
}
