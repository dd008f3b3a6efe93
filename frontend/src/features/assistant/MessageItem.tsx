import { memo } from "react";
import { useTranslation } from "react-i18next";

import { useFreshProposal, useProposal, useUndoOf } from "@/api/proposals";
import type { Proposal } from "@/api/types";
import { Button } from "@/components/ui/Button";
import { Notice } from "@/components/ui/Notice";
import { RecordLink } from "@/components/ui/RecordLink";
import { marked } from "@/lib/unseen";

import { SearchInstead } from "./Again";
import { SentContext } from "./ContextChip";
import { Markdown } from "./markdown/Markdown";
import { marksOf } from "./markdown/marks";
import { MessageEnd } from "./MessageEnd";
import { MessageFooter } from "./MessageFooter";
import { ProposalCard } from "./ProposalCard";
import { useThread } from "./threadContext";
import { ToolPills } from "./ToolPills";
import type { MessageView } from "./view";

type Props = {
  message: MessageView;
  /** What the person asked, for an answer that leaves a way to go on. */
  question?: string;
  /** It is the last message, which can be asked again. */
  last?: boolean;
};

export const MessageItem = memo(function MessageItem({ message, question, last = false }: Props) {
  const { t } = useTranslation();
  if (message.role === "user") {
    return (
      <li className="flex flex-col items-end gap-1" data-role="user">
        <p className="max-w-[90%] rounded-2xl rounded-br-sm bg-accent-soft px-3 py-2 text-sm break-words whitespace-pre-wrap">
          <span className="sr-only">{t("assistant.you")} </span>
          {marked(message.text)}
        </p>
        {message.context && <SentContext record={message.context} />}
      </li>
    );
  }
  return (
    <li className="space-y-2" data-role="assistant">
      <span className="sr-only">{t("assistant.name")}</span>
      <ToolPills calls={message.tools} />
      {message.text && (
        <Markdown
          text={message.text}
          refs={message.refs}
          marks={marksOf(message.notices)}
          streaming={message.status === "running"}
        />
      )}
      <Refs message={message} />
      <Cards proposals={message.proposals} />
      {message.notices.map(({ code, text }) => (
        <Notice key={`${code} ${text}`} look="warn" className="space-y-2">
          <p>{text}</p>
          {code === "CONVERSATION_FULL" && <CarryOver />}
          {code === "BUDGET_REACHED" && <SearchInstead question={question} />}
        </Notice>
      ))}
      <MessageEnd message={message} question={question} last={last} />
      <MessageFooter message={message} />
    </li>
  );
});

function CarryOver() {
  const { t } = useTranslation();
  const { carryOver, carrySummary } = useThread();
  return (
    <div className="flex flex-wrap gap-2">
      {carrySummary && <Button onClick={carrySummary}>{t("assistant.carrySummary")}</Button>}
      <Button onClick={carryOver}>{t("assistant.carryOver")}</Button>
    </div>
  );
}

function Refs({ message: { refs, proposals, text } }: { message: MessageView }) {
  // A card names its own record, and the text may have linked one.
  const shown = refs.filter(
    ({ id }) => !proposals.some(({ target }) => target.id === id) && !text.includes(`/${encodeURIComponent(id)})`),
  );
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
  const first = proposals.filter(({ undoesId }) => !proposals.some(({ id }) => id === undoesId));
  return first.map((proposal) => <CardChain key={proposal.id} seed={proposal} siblings={proposals} />);
}

/**
 * A card, and below it those that it has led to: the fresh one, unless the message has that one anyway, and its undos. An
 * undo has this place also before the message knows of it, so that it is drawn once and keeps the focus.
 */
function CardChain({ seed, siblings }: { seed: Proposal; siblings: readonly Proposal[] }) {
  const { freshId } = useProposal(seed).data;
  const fresh = useFreshProposal(seed.id, siblings.some(({ id }) => id === freshId) ? undefined : freshId);
  const undo = useUndoOf(seed.id);
  const undos = siblings.filter(({ undoesId }) => undoesId === seed.id);
  const isNew = undo && !undos.some(({ id }) => id === undo.id);
  const next = [...(fresh ? [fresh] : []), ...undos, ...(isNew ? [undo] : [])];
  return (
    <>
      <ProposalCard seed={seed} />
      {next.map((proposal) => (
        <CardChain key={proposal.id} seed={proposal} siblings={siblings} />
      ))}
    </>
  );
}
