import { useTranslation } from "react-i18next";

import { useReveal, useRevealed } from "@/api/proposals";
import type { ChangedSince, Proposal } from "@/api/types";
import { Button } from "@/components/ui/Button";
import { Icon, type IconName } from "@/components/ui/Icon";
import { RecordLink } from "@/components/ui/RecordLink";
import { useFieldValue } from "@/components/ui/useFieldValue";
import { useFormat } from "@/lib/format";

import type { CardState } from "./ProposalCard";

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
  const { t } = useTranslation();
  const { icon, className } = LOOKS[state];
  return (
    <div className="space-y-2">
      <p className={`flex items-start gap-2 font-medium ${className}`}>
        <Icon name={icon} className="mt-0.5 size-4" />
        <span className="min-w-0 break-words">
          {t(`proposal.state.${state}`)} <DecidedAt at={proposal.decidedAt} />
        </span>
      </p>
      <Details proposal={proposal} state={state} />
      {state === "stale" && <Stale proposal={proposal} />}
    </div>
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
  const text = outcome.error?.message ?? outcome.summary;
  return (
    <>
      {text && <p className="break-words">{text}</p>}
      {state === "executed" && outcome.records.map((record) => <RecordLink key={record.id} record={record} />)}
    </>
  );
}

function Stale({ proposal }: Pick<Props, "proposal">) {
  const { t } = useTranslation();
  const revealed = useRevealed(proposal.id);
  const reveal = useReveal();
  return (
    <div className="space-y-2">
      {proposal.changedSince && <Since changes={proposal.changedSince} />}
      {proposal.freshId && !revealed && (
        <Button
          onClick={() => {
            reveal(proposal.id);
          }}
        >
          {t("proposal.showFresh")}
        </Button>
      )}
    </div>
  );
}

function Since({ changes }: { changes: readonly ChangedSince[] }) {
  const { t } = useTranslation();
  const format = useFormat();
  const value = useFieldValue();
  return (
    <ul className="space-y-1">
      {changes.map(({ field, before, after, by, at }) => (
        <li key={`${field} ${at}`} className="rounded-lg bg-raised px-3 py-2">
          <p className="break-words">
            <span className="font-medium">{t(`historyField.${field}`, { defaultValue: field })}</span>
            {(before ?? after ?? null) !== null && `: ${value(before)} → ${value(after)}`}
          </p>
          <p className="text-xs text-muted">{t("proposal.changedBy", { name: by, when: format.dateTime(at) })}</p>
        </li>
      ))}
    </ul>
  );
}
