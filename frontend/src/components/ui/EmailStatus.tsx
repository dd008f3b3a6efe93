import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useId, useRef } from "react";
import { useTranslation } from "react-i18next";

import { conversationKeys } from "@/api/conversations";
import { useMarkSent } from "@/api/deliveries";
import { lookAgain } from "@/api/lookAgain";
import { can, useMe } from "@/api/session";
import type { Delivery, DeliveryStatus } from "@/api/types";
import { useFormat } from "@/lib/format";
import { useLeaveFocus } from "@/lib/hooks";
import { marked } from "@/lib/unseen";

import { Button } from "./Button";
import { Icon, type IconName } from "./Icon";
import { ErrorNote } from "./States";

const LOOKS: Record<DeliveryStatus, { icon: IconName; className: string }> = {
  queued: { icon: "clock", className: "text-muted" },
  sending: { icon: "send", className: "text-muted" },
  sent: { icon: "check", className: "text-good" },
  failed: { icon: "warn", className: "text-danger" },
  unknown: { icon: "warn", className: "text-warn" },
};

type Props = {
  email: Pick<Delivery, "id" | "proposalId" | "status" | "to" | "message">;
  /** When it got where it is. */
  at: string;
  /** Whose quotation it is, where that is known. */
  ownerId?: string;
};

/** How far an e-mail has come, what to do about it, and for one of which nobody knows a button that says it arrived. */
export function EmailStatus({ email, at, ownerId }: Props) {
  const { t } = useTranslation();
  const format = useFormat();
  const { data: me } = useMe();
  const { status, to, message } = email;
  const { icon, className } = LOOKS[status];
  useTellWhenItEnds(status);
  return (
    <div className="space-y-2">
      <div role="status" className="space-y-1">
        <p className={`flex items-start gap-2 font-medium ${className}`}>
          <Icon name={icon} className="mt-0.5 size-4" />
          <span className="min-w-0 break-words">
            {t(`email.${status}`, { to })}{" "}
            <time dateTime={at} className="font-normal text-muted">
              · {format.dateTime(at)}
            </time>
          </span>
        </p>
        {message && <p className="break-words">{marked(message)}</p>}
      </div>
      {status === "unknown" && can(me, "quotation:send", ownerId) && <MarkSent email={email} />}
    </div>
  );
}

function MarkSent({ email: { id, proposalId } }: Pick<Props, "email">) {
  const { t } = useTranslation();
  const mark = useMarkSent();
  const button = useRef<HTMLButtonElement>(null);
  const hint = useId();
  useLeaveFocus(button);
  return (
    <>
      <p className="flex flex-wrap items-center gap-2">
        <Button
          ref={button}
          aria-describedby={hint}
          // It is not switched off meanwhile: that would cost it the focus.
          aria-busy={mark.isPending || undefined}
          onClick={() => {
            if (!mark.isPending) mark.mutate({ id, proposalId });
          }}
        >
          {t("email.markSent")}
        </Button>
        <span id={hint} className="text-xs text-muted">
          {t("email.markSentHint")}
        </span>
      </p>
      {mark.error && <ErrorNote error={mark.error} />}
    </>
  );
}

// The server tells the conversation when an e-mail has gone wrong.
function useTellWhenItEnds(status: DeliveryStatus): void {
  const client = useQueryClient();
  const before = useRef(status);
  useEffect(() => {
    const ended = lookAgain(before.current) !== false && lookAgain(status) === false;
    before.current = status;
    if (ended) void client.invalidateQueries({ queryKey: conversationKeys.all });
  }, [client, status]);
}
