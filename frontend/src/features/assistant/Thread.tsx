import { useCallback, useLayoutEffect, useMemo, useRef, useState, type RefObject } from "react";
import { useTranslation } from "react-i18next";

import { Button } from "@/components/ui/Button";
import { Icon } from "@/components/ui/Icon";

import { holdsText } from "./conversationGroups";
import { MessageItem } from "./MessageItem";
import { ThreadContext } from "./threadContext";
import { useFollow } from "./useFollow";
import type { MessageView } from "./view";

type Props = {
  messages: readonly MessageView[];
  /** How often a message was sent from here. */
  sent: number;
  /** Counts how often a conversation was opened: each starts at its end, or at the message that was sought. */
  opened: { times: number; sought: string };
  onSend: (text: string) => void;
  onCarryOver: (answer: string) => void;
  onCarrySummary?: (() => void) | undefined;
};

/** The messages. Follows the newest only while the reader is at the bottom. */
export function Thread({ messages, sent, opened, onSend, onCarryOver, onCarrySummary }: Props) {
  const { t } = useTranslation();
  const { box, content, following, hold, toBottom } = useFollow(`${String(opened.times)} ${String(sent)}`);
  useSought(content, messages, opened, hold);
  const unread = useUnread(messages.length, following);
  const carryOver = useCarryOver(messages, onCarryOver);
  const actions = useMemo(
    () => ({ hold, send: onSend, carryOver, carrySummary: onCarrySummary }),
    [hold, onSend, carryOver, onCarrySummary],
  );
  const last = messages.length - 1;
  return (
    <div className="relative min-h-0 flex-1">
      {/* A scroll box must be reachable by keyboard. */}
      <div
        ref={box}
        role="log"
        aria-live="off"
        aria-label={t("assistant.thread")}
        // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        className="h-full overflow-y-auto overscroll-contain -outline-offset-2 [overflow-anchor:none]"
      >
        <div ref={content} className="p-3">
          {messages.length === 0 ? (
            <p className="p-4 text-center text-sm text-muted">{t("assistant.empty")}</p>
          ) : (
            <ThreadContext value={actions}>
              <ol className="space-y-4">
                {messages.map((message, index) => (
                  <MessageItem
                    key={message.key}
                    message={message}
                    last={index === last}
                    {...((index === last || message.status === "failed") && questionOf(messages, index))}
                  />
                ))}
              </ol>
            </ThreadContext>
          )}
        </div>
      </div>
      {!following && (
        <Button className="absolute bottom-2 left-1/2 -translate-x-1/2 rounded-full whitespace-nowrap shadow-md" onClick={toBottom}>
          <Icon name="down" />
          {unread > 0 ? t("assistant.jumpNew", { count: unread }) : t("assistant.jump")}
        </Button>
      )}
    </div>
  );
}

/** What the person asked before a message. */
function questionOf(messages: readonly MessageView[], index: number): { question?: string } {
  const question = messages.findLast(({ role }, at) => role === "user" && at < index)?.text;
  return question ? { question } : {};
}

/** Carries over the last answer that is not what the newest message says, which is that the conversation is full. */
function useCarryOver(messages: readonly MessageView[], onCarryOver: (answer: string) => void) {
  const newest = messages.at(-1)?.text;
  const answer = messages.findLast(({ role, text }) => role === "assistant" && text && text !== newest)?.text ?? "";
  return useCallback(() => {
    onCarryOver(answer);
  }, [answer, onCarryOver]);
}

/** Goes to the first message that holds what was searched for, once for each opening. */
function useSought(
  content: RefObject<HTMLElement | null>,
  messages: readonly MessageView[],
  { times, sought }: Props["opened"],
  hold: () => void,
): void {
  const done = useRef<number>(undefined);
  useLayoutEffect(() => {
    if (!sought || messages.length === 0 || done.current === times) return;
    done.current = times;
    const hit = messages.findIndex(({ text }) => holdsText(text, sought));
    const item = content.current?.querySelectorAll("[data-role]")[hit];
    if (!item) return;
    hold();
    item.scrollIntoView({ block: "start" });
  }, [content, messages, times, sought, hold]);
}

/** How many messages have come since the reader left the end. */
function useUnread(count: number, following: boolean): number {
  const [seen, setSeen] = useState(count);
  if (following && seen !== count) setSeen(count);
  return following ? 0 : Math.max(0, count - seen);
}
