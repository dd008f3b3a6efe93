import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useId, useRef, useState } from "react";
import { useTranslation } from "react-i18next";

import { ApiError } from "@/api/client";
import { conversationKeys } from "@/api/conversations";
import { fieldError } from "@/api/errors";
import { useDecide, useProposal, type Decision } from "@/api/proposals";
import { useMe } from "@/api/session";
import type { Proposal, ProposalStatus } from "@/api/types";
import { Icon } from "@/components/ui/Icon";
import { RecordLink } from "@/components/ui/RecordLink";
import { ErrorNote } from "@/components/ui/States";
import { useHasPassed } from "@/lib/hooks";
import { marked } from "@/lib/unseen";

import { ProposalButtons } from "./ProposalButtons";
import { ProposalChanges } from "./ProposalChanges";
import { ProposalEdit } from "./ProposalEdit";
import { ProposalItems } from "./ProposalItems";
import { ProposalOutcome } from "./ProposalOutcome";

export type CardState = ProposalStatus | "applying";

type Props = { seed: Proposal };

/** A change that waits for a person: what would change, and the buttons that decide it once. */
export function ProposalCard({ seed }: Props) {
  const { t } = useTranslation();
  const { data: proposal } = useProposal(seed);
  const { state, decide, error } = useCard(proposal);
  const { data: me } = useMe();
  const isMine = !me || me.user.id === proposal.requestedBy;
  const [editing, setEditing] = useState<"no" | "yes" | "left">("no");
  const [leftOut, setLeftOut] = useState<ReadonlySet<string>>(new Set());
  const kept = proposal.items?.map((item) => item.target.id).filter((id) => !leftOut.has(id));
  const isAtField = editing === "yes" && proposal.editable?.some(({ arg }) => fieldError(error, arg) !== undefined);
  const waits = state === "pending" || state === "applying";
  const headingId = useId();
  const outcome = useFocusOnOutcome(state);
  const verb = proposal.undoesId
    ? t("proposal.undo.verb")
    : t(`proposal.verb.${proposal.tool}`, { defaultValue: proposal.title });
  return (
    <div
      role="group"
      aria-labelledby={headingId}
      tabIndex={-1}
      className="scroll-mb-24 space-y-3 rounded-xl border-2 border-line bg-surface p-3 text-sm data-[state=pending]:border-accent"
      data-testid="proposal"
      data-proposal={proposal.id}
      data-state={state}
    >
      <h3 id={headingId} className="font-semibold break-words">
        {verb} {proposal.items ? proposal.target.name : <RecordLink record={proposal.target} />}
      </h3>
      {proposal.items && (
        <ProposalItems items={proposal.items} leftOut={leftOut} onLeaveOut={state === "pending" ? setLeftOut : undefined} />
      )}
      {editing === "yes" && waits ? (
        <ProposalEdit
          proposal={proposal}
          busy={state === "applying"}
          error={error}
          onConfirm={(edits) => {
            decide({ action: "confirm", edits, ...(kept && { items: kept }) });
          }}
          onLeave={() => {
            setEditing("left");
          }}
        />
      ) : (
        <Changes proposal={proposal} />
      )}
      {!isMine && <p className="text-muted">{t("proposal.askedBy", { name: proposal.requesterName })}</p>}
      {proposal.reason && <p className="break-words text-muted">{t("proposal.reason", { reason: proposal.reason })}</p>}
      {waits ? (
        <>
          {proposal.approval && (
            <p className="break-words rounded-lg bg-warn-soft p-2 text-warn">{marked(proposal.approval.reason)}</p>
          )}
          <Warnings items={proposal.warnings} />
          {editing !== "yes" && (
            <ProposalButtons
              proposal={proposal}
              approves={!isMine}
              kept={kept}
              busy={state === "applying"}
              backFromEdit={editing === "left"}
              onDecide={decide}
              onEdit={() => {
                setEditing("yes");
              }}
            />
          )}
        </>
      ) : (
        <div ref={outcome} tabIndex={-1} className="rounded outline-offset-4">
          <ProposalOutcome proposal={proposal} state={state} />
        </div>
      )}
      {error !== undefined && !isAtField && <ErrorNote error={error} />}
    </div>
  );
}

/** What the card changes, where its records do not say it; of an edited one also what had been proposed. */
function Changes({ proposal: { items, changes, proposedChanges } }: { proposal: Proposal }) {
  const { t } = useTranslation();
  if (!proposedChanges) return !items && <ProposalChanges changes={changes} />;
  return (
    <>
      {!items && (
        <>
          <p className="text-xs text-muted">{t("proposal.edit.proposed")}</p>
          <ProposalChanges changes={proposedChanges} />
        </>
      )}
      <p className="text-xs font-medium">{t("proposal.edit.done")}</p>
      <ProposalChanges changes={changes} />
    </>
  );
}

function Warnings({ items }: { items: readonly string[] | undefined }) {
  if (!items?.length) return null;
  return (
    <ul className="space-y-1 rounded-lg bg-warn-soft p-2 text-warn">
      {items.map((text) => (
        <li key={text} className="flex gap-2">
          <Icon name="warn" className="mt-0.5 size-4" />
          <span className="min-w-0 break-words">{marked(text)}</span>
        </li>
      ))}
    </ul>
  );
}

/** The state of a card. The clock ends a pending card even when nothing is heard from the server. */
function useCard(proposal: Proposal) {
  const client = useQueryClient();
  const deciding = useDecide();
  const sent = useRef(false);
  const expired = useHasPassed(proposal.status === "pending" ? proposal.expiresAt : undefined);
  const decide = (decision: Decision) => {
    // Two clicks may arrive before the button is drawn as disabled.
    if (sent.current) return;
    sent.current = true;
    deciding.mutate(
      { proposal, decision },
      {
        onSettled: () => {
          sent.current = false;
          void client.invalidateQueries({ queryKey: conversationKeys.all });
        },
      },
    );
  };
  const state: CardState =
    proposal.status !== "pending" ? proposal.status : deciding.isPending ? "applying" : expired ? "expired" : "pending";
  return { state, decide, error: unexplained(deciding.error, state) };
}

// A final state that the card shows in its own words needs no error beside it.
function unexplained(error: unknown, state: CardState): unknown {
  if (!error) return undefined;
  const explained = state !== "pending" && error instanceof ApiError && [409, 410].includes(error.problem.status);
  return explained ? undefined : error;
}

// The pressed button goes away with the decision; the focus must not fall back to the page.
function useFocusOnOutcome(state: CardState) {
  const outcome = useRef<HTMLDivElement>(null);
  const before = useRef(state);
  useEffect(() => {
    if (before.current === "applying" && state !== "applying") outcome.current?.focus({ preventScroll: true });
    before.current = state;
  }, [state]);
  return outcome;
}
