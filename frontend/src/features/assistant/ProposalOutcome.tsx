import { useTranslation } from "react-i18next";

import { useReveal, useRevealed } from "@/api/proposals";
import type { Proposal } from "@/api/types";
import { Button } from "@/components/ui/Button";
import { EmailStatus } from "@/components/ui/EmailStatus";
import { Icon, type IconName } from "@/components/ui/Icon";
import { RecordLink } from "@/components/ui/RecordLink";
import { useFormat } from "@/lib/format";
import { marked } from "@/lib/unseen";

import { ChangedSinceList } from "./ChangedSinceList";
import { showCard } from "./newestCard";
import type { CardState } from "./ProposalCard";
import { ProposalUndo } from "./ProposalUndo";

type Final = Exclude<CardState, "pending" | "applying">;

const LOOKS: Record<Final, { icon: IconName; className: string }> = {
  executed: { icon: "check", className: "text-good" },
  cancelled: { icon: "cross", className: "text-muted" },
  expired: { icon: "clock", className: "text-warn" },
  stale: { icon: "warn", className: "text-warn" },
  superseded: { icon: "arrow", className: "text-muted" },
  failed: { icon: "warn", className: "text-danger" },
};

type Props = { proposal: Proposal; state: Final };

/** How a decided card ended. No state here has a button that writes. */
export function ProposalOutcome({ proposal, state }: Props) {
  const { delivery, email } = proposal.outcome ?? {};
  return (
    <div className="space-y-2">
      {delivery && email ? (
        <EmailStatus email={{ ...email, proposalId: proposal.id, status: delivery }} at={email.at} />
      ) : (
        <Ended proposal={proposal} state={state} />
      )}
      <Details proposal={proposal} state={state} />
      <Decider proposal={proposal} />
      {state === "stale" && <Stale proposal={proposal} />}
      {state === "executed" && <ProposalUndo proposal={proposal} />}
    </div>
  );
}

function Ended({ proposal, state }: Props) {
  const { t } = useTranslation();
  const { icon, className } = LOOKS[state];
  return (
    <p className={`flex items-start gap-2 font-medium ${className}`}>
      <Icon name={icon} className="mt-0.5 size-4" />
      <span className="min-w-0 break-words">
        {t(state === "cancelled" && decidedByOther(proposal) ? "proposal.state.declined" : `proposal.state.${state}`)} <DecidedAt at={proposal.decidedAt} />
      </span>
    </p>
  );
}

const decidedByOther = ({ decidedBy, requestedBy }: Proposal) => decidedBy !== undefined && decidedBy !== requestedBy;

/** Who decided for the requester, and why it was cancelled. */
function Decider({ proposal }: Pick<Props, "proposal">) {
  const { t } = useTranslation();
  const { deciderName, decisionReason: reason } = proposal;
  const isOther = decidedByOther(proposal);
  return (
    <>
      {isOther && <p className="break-words text-muted">{t("proposal.decidedBy", { name: deciderName })}</p>}
      {reason && (
        <p className="break-words text-muted">{t(isOther ? "proposal.reason" : "proposal.yourReason", { reason })}</p>
      )}
    </>
  );
}

function DecidedAt({ at }: { at: string | undefined }) {
  const format = useFormat();
  if (!at) return null;
  return (
    <time dateTime={at} className="font-normal text-muted">
      · {format.dateTime(at)}
    </time>
  );
}

function Details({ proposal: { outcome }, state }: Props) {
  if (!outcome) return null;
  // The summary of an e-mail is of the moment when it was queued.
  const text = outcome.delivery ? undefined : (outcome.error?.message ?? outcome.summary);
  return (
    <>
      {text && <p className="break-words">{marked(text)}</p>}
      {state === "executed" &&
        outcome.records.map((record) => (
          <p key={record.id}>
            <RecordLink record={record} />
          </p>
        ))}
    </>
  );
}

function Stale({ proposal }: Pick<Props, "proposal">) {
  const { t } = useTranslation();
  const revealed = useRevealed(proposal.id);
  const reveal = useReveal();
  const { freshId } = proposal;
  return (
    <div className="space-y-2">
      {proposal.changedSince && <ChangedSinceList changes={proposal.changedSince} />}
      {freshId && !revealed && (
        <Button
          onClick={({ currentTarget }) => {
            reveal(proposal.id);
            // The button goes away; the focus goes on to what was asked for.
            showCard(freshId, currentTarget.closest("[role=log], main"));
          }}
        >
          {t("proposal.showFresh")}
        </Button>
      )}
    </div>
  );
}
