import { useQueryClient } from "@tanstack/react-query";
import { useId, useRef } from "react";
import { useTranslation } from "react-i18next";

import { ApiError } from "@/api/client";
import { conversationKeys } from "@/api/conversations";
import { changedSinceOf, useUndo, useUndoOf } from "@/api/proposals";
import type { Proposal } from "@/api/types";
import { Button } from "@/components/ui/Button";
import { Icon } from "@/components/ui/Icon";
import { Notice } from "@/components/ui/Notice";
import { ErrorNote } from "@/components/ui/States";
import { useFormat } from "@/lib/format";
import { useHasPassed, useLeaveFocus, useTimeLeft } from "@/lib/hooks";

import { ChangedSinceList } from "./ChangedSinceList";
import { showCard } from "./newestCard";

/** The way back from a change that was carried out: it proposes the inverse, which is confirmed like any other. */
export function ProposalUndo({ proposal }: { proposal: Proposal }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const undo = useUndo();
  const waits = useWaits(useUndoOf(proposal.id));
  const over = useHasPassed(proposal.undo?.until);
  if (proposal.undoneById) return <p>{t("proposal.undo.undone")}</p>;
  if (waits) return <p className="text-muted">{t("proposal.undo.waiting")}</p>;
  const ask = (part: Element | null) => {
    if (undo.isPending) return;
    undo.mutate(proposal, {
      onSuccess: ({ id }) => {
        void client.invalidateQueries({ queryKey: conversationKeys.all });
        showCard(id, part);
      },
    });
  };
  return (
    <>
      {proposal.undo && !over && <UndoButton until={proposal.undo.until} busy={undo.isPending} onAsk={ask} />}
      {proposal.outcome?.noUndo && <p className="break-words text-muted">{proposal.outcome.noUndo}</p>}
      {undo.error && <Refused error={undo.error} />}
    </>
  );
}

function useWaits(proposal: Proposal | undefined): boolean {
  const pending = proposal?.status === "pending";
  const expired = useHasPassed(pending ? proposal.expiresAt : undefined);
  return pending && !expired;
}

/** The time that is left is for the eye; whoever hears the button is told until when it is there. */
function UndoButton({ until, busy, onAsk }: { until: string; busy: boolean; onAsk: (part: Element | null) => void }) {
  const { t } = useTranslation();
  const format = useFormat();
  const left = useTimeLeft(until);
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  useLeaveFocus(button);
  return (
    <p className="flex flex-wrap items-center gap-2">
      <Button
        ref={button}
        aria-describedby={id}
        // It is not switched off meanwhile: that would cost it the focus.
        aria-busy={busy || undefined}
        onClick={({ currentTarget }) => {
          onAsk(currentTarget.closest("[role=log], main"));
        }}
      >
        {t("proposal.undo.button")}
      </Button>
      <span id={id} className="sr-only">
        {t("proposal.undo.until", { time: format.time(until) })}
      </span>
      {left && (
        <span aria-hidden className="flex items-center gap-1 text-xs text-muted">
          <Icon name="clock" className="size-3.5" />
          {t(`proposal.undo.${left.unit}`, { count: left.count })}
        </span>
      )}
    </p>
  );
}

function Refused({ error }: { error: Error }) {
  const { t } = useTranslation();
  if (!(error instanceof ApiError) || !(error.code === "STALE" || error.code === "EXPIRED")) {
    return <ErrorNote error={error} />;
  }
  const since = changedSinceOf(error);
  return (
    <>
      <Notice look="danger">{t(`proposal.undo.refused.${error.code}`)}</Notice>
      {since.length > 0 && <ChangedSinceList changes={since} />}
    </>
  );
}
