import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";

import type { Decision } from "@/api/proposals";
import type { Proposal } from "@/api/types";
import { Button } from "@/components/ui/Button";
import { TextField } from "@/components/ui/Field";
import { Icon } from "@/components/ui/Icon";
import { useFormat } from "@/lib/format";
import { isComposing, isEnter } from "@/lib/ime";

const REASON_LENGTH = 1000;

type Props = {
  proposal: Proposal;
  /** The person did not ask for the change: they approve or decline it. */
  approves: boolean;
  /** The ids of the records that are kept of a change of several. */
  kept: readonly string[] | undefined;
  busy: boolean;
  onDecide: (decision: Decision) => void;
  onEdit: () => void;
  /** Takes the focus back to Edit, which the person has come from. */
  backFromEdit: boolean;
};

/** What decides a card that waits, and until when. Saying why it is cancelled is up to the person. */
export function ProposalButtons({ proposal, kept, approves, busy, onDecide, onEdit, backFromEdit }: Props) {
  const { t } = useTranslation();
  const format = useFormat();
  const [reason, setReason] = useState<string>();
  const why = useRef<HTMLButtonElement>(null);
  const asked = reason !== undefined;
  const action = useAction(proposal, kept, approves);
  const cancel = () => {
    onDecide({ action: "cancel", reason: reason?.trim() ?? "" });
  };
  return (
    <div className="space-y-2">
      {asked && (
        <Reason
          requester={approves ? proposal.requesterName : undefined}
          value={reason}
          onChange={setReason}
          onEnter={cancel}
          onLeave={() => {
            setReason(undefined);
            // It takes the place of the field.
            requestAnimationFrame(() => why.current?.focus());
          }}
        />
      )}
      <div className="flex flex-wrap items-center gap-2">
        {(approves || !proposal.approval) && (
          <Button
            look="primary"
            busy={busy}
            disabled={kept?.length === 0}
            onClick={() => {
              onDecide({ action: "confirm", ...(kept && { items: kept }) });
            }}
          >
            {busy ? t("proposal.applying") : action}
          </Button>
        )}
        {proposal.editable && (
          // eslint-disable-next-line jsx-a11y/no-autofocus
          <Button disabled={busy} autoFocus={backFromEdit} onClick={onEdit}>
            {t("proposal.edit.button")}
          </Button>
        )}
        <Button disabled={busy} onClick={cancel}>
          {t(approves ? "proposal.decline" : "common.cancel")}
        </Button>
        {!asked && (
          <Button
            ref={why}
            look="quiet"
            disabled={busy}
            onClick={() => {
              setReason("");
            }}
          >
            {t("proposal.sayWhy")}
          </Button>
        )}
        <span className="flex items-center gap-1 text-xs text-muted">
          <Icon name="clock" className="size-3.5" />
          {t("proposal.expires", { time: format.time(proposal.expiresAt) })}
        </span>
      </div>
    </div>
  );
}

/** What the button that confirms says. */
function useAction({ items, undoesId, tool }: Proposal, kept: readonly string[] | undefined, approves: boolean): string {
  const { t } = useTranslation();
  if (kept) return t("proposal.items.action", { kept: kept.length, total: items?.length });
  if (approves) return t("proposal.approve");
  if (undoesId) return t("proposal.undo.action");
  return t(`proposal.action.${tool}`, { defaultValue: t("proposal.confirm") });
}

type ReasonProps = {
  /** Who asked for the change, where somebody else declines it. */
  requester: string | undefined;
  value: string;
  onChange: (value: string) => void;
  onEnter: () => void;
  onLeave: () => void;
};

function Reason({ requester, value, onChange, onEnter, onLeave }: ReasonProps) {
  const { t } = useTranslation();
  return (
    <TextField
      // The person has just asked to type here.
      // eslint-disable-next-line jsx-a11y/no-autofocus
      autoFocus
      label={t(requester ? "proposal.declineReason" : "proposal.cancelReason")}
      hint={requester ? t("proposal.declineReasonHint", { name: requester }) : t("proposal.cancelReasonHint")}
      maxLength={REASON_LENGTH}
      value={value}
      onChange={(event) => {
        onChange(event.target.value);
      }}
      onKeyDown={(event) => {
        if (isEnter(event)) onEnter();
        if (event.key === "Escape" && !isComposing(event)) onLeave();
      }}
    />
  );
}
