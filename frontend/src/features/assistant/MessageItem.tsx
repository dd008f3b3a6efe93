import { memo } from "react";
import { useTranslation } from "react-i18next";

import { ApiError } from "@/api/client";
import { useErrorText } from "@/api/errors";
import { useFreshProposal, useProposal } from "@/api/proposals";
import type { Proposal } from "@/api/types";
import { Icon } from "@/components/ui/Icon";
import { Notice } from "@/components/ui/Notice";
import { RecordLink } from "@/components/ui/RecordLink";

import { ProposalCard } from "./ProposalCard";
import type { TurnEnd } from "./streamReducer";
import { ToolPill } from "./ToolPill";
import type { MessageView } from "./view";

export const MessageItem = memo(function MessageItem({ message }: { message: MessageView }) {
  const { t } = useTranslation();
  if (message.role === "user") {
    return (
      <li className="flex justify-end" data-role="user">
        <p className="max-w-[90%] rounded-2xl rounded-br-sm bg-accent-soft px-3 py-2 text-sm break-words whitespace-pre-wrap">
          <span className="sr-only">{t("assistant.you")} </span>
          {message.text}
        </p>
      </li>
    );
  }
  return (
    <li className="space-y-2" data-role="assistant">
      <span className="sr-only">{t("assistant.name")}</span>
      {message.tools.length > 0 && (
        <ul className="space-y-1.5">
          {message.tools.map((call) => (
            <ToolPill key={call.callId} call={call} />
          ))}
        </ul>
      )}
      {message.text && <p className="text-sm break-words whitespace-pre-wrap">{message.text}</p>}
      <Refs message={message} />
      <Cards proposals={message.proposals} />
      {message.notices.map(({ code, text }) => (
        <Notice key={`${code} ${text}`} look="warn">
          {text}
        </Notice>
      ))}
      <End message={message} />
    </li>
  );
});

function Refs({ message: { refs, proposals } }: { message: MessageView }) {
  // A card names its own record.
  const shown = refs.filter(({ id }) => !proposals.some(({ target }) => target.id === id));
  if (shown.length === 0) return null;
  return (
    <ul className="flex flex-wrap gap-1.5">
      {shown.map((record) => (
        <li key={`${record.type}/${record.id}`}>
          <RecordLink
            record={record}
            className="inline-block min-h-7 max-w-full rounded-full border border-control bg-surface px-2.5 py-1 text-xs font-medium break-words hover:bg-accent-soft"
          />
        </li>
      ))}
    </ul>
  );
}

function Cards({ proposals }: { proposals: readonly Proposal[] }) {
  return proposals.map((proposal) => <CardChain key={proposal.id} seed={proposal} siblings={proposals} />);
}

/** A card, and below it the fresh one that it has led to, unless the message has that one anyway. */
function CardChain({ seed, siblings }: { seed: Proposal; siblings: readonly Proposal[] }) {
  const { freshId } = useProposal(seed).data;
  const fresh = useFreshProposal(seed.id, siblings.some(({ id }) => id === freshId) ? undefined : freshId);
  return (
    <>
      <ProposalCard seed={seed} />
      {fresh && <CardChain seed={fresh} siblings={siblings} />}
    </>
  );
}

function End({ message: { status, end, text } }: { message: MessageView }) {
  const { t } = useTranslation();
  if (status === "stopped") return <Mark text={t("assistant.stopped")} />;
  if (end?.kind === "error") return <EndError end={end} />;
  if (end?.kind === "lost") return <Notice look="danger">{t("assistant.lost")}</Notice>;
  if (status === "failed") return <Mark text={t("assistant.failed")} />;
  const reason = end?.kind === "done" ? end.reason : undefined;
  if (reason === "max_rounds" || reason === "length") return <Mark text={t(`assistant.reason.${reason}`)} />;
  if (status === "running" && !text) {
    return (
      <p className="flex items-center gap-2 text-sm text-muted">
        <Icon name="spin" className="size-4 animate-spin motion-reduce:animate-none" />
        {t("assistant.working")}
      </p>
    );
  }
  return null;
}

function Mark({ text }: { text: string }) {
  return (
    <p className="flex items-center gap-1.5 text-xs font-medium text-warn">
      <Icon name="warn" className="size-3.5" />
      {text}
    </p>
  );
}

function EndError({ end }: { end: Extract<TurnEnd, { kind: "error" }> }) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const sentence = errorText(new ApiError({ status: 0, code: end.code, detail: end.message }));
  return (
    <Notice look="danger">
      <p>{sentence}</p>
      {end.requestId && <p className="font-mono text-xs">{t("common.requestId", { id: end.requestId })}</p>}
    </Notice>
  );
}
