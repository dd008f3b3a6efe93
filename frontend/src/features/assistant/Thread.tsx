import { useCallback, useLayoutEffect, useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useStickToBottom } from "use-stick-to-bottom";

import { Button } from "@/components/ui/Button";
import { Icon } from "@/components/ui/Icon";

import { MessageItem } from "./MessageItem";
import { ThreadContext } from "./threadContext";
import type { MessageView } from "./view";

type Props = {
  messages: readonly MessageView[];
  runId: string | undefined;
  /** Counts how often a conversation was opened: each starts at its end. */
  opened: number;
  onSend: (text: string) => void;
  onCarryOver: (answer: string) => void;
};

/** The messages. Follows the newest only while the reader is at the bottom. */
export function Thread({ messages, runId, opened, onSend, onCarryOver }: Props) {
  const { t } = useTranslation();
  const { scrollRef, contentRef, isAtBottom, stopScroll, toBottom } = useFollow(`${String(opened)} ${runId ?? ""}`);
  const unread = useUnread(messages.length, isAtBottom);
  const carryOver = useCarryOver(messages, onCarryOver);
  const actions = useMemo(() => ({ hold: stopScroll, send: onSend, carryOver }), [stopScroll, onSend, carryOver]);
  const question = messages.findLast(({ role }) => role === "user")?.text;
  return (
    <div className="relative min-h-0 flex-1">
      {/* A scroll box must be reachable by keyboard. */}
      <div
        ref={scrollRef}
        role="log"
        aria-live="off"
        aria-label={t("assistant.thread")}
        // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        className="h-full overflow-y-auto overscroll-contain -outline-offset-2 [overflow-anchor:none]"
      >
        <div ref={contentRef} className="p-3">
          {messages.length === 0 ? (
            <p className="p-4 text-center text-sm text-muted">{t("assistant.empty")}</p>
          ) : (
            <ThreadContext value={actions}>
              <ol className="space-y-4">
                {messages.map((message, index) => (
                  <MessageItem
                    key={message.key}
                    message={message}
                    {...(index === messages.length - 1 && question && { question })}
                  />
                ))}
              </ol>
            </ThreadContext>
          )}
        </div>
      </div>
      {!isAtBottom && (
        <Button className="absolute bottom-2 left-1/2 -translate-x-1/2 rounded-full shadow-md" onClick={toBottom}>
          <Icon name="down" />
          {unread > 0 ? t("assistant.jumpNew", { count: unread }) : t("assistant.jump")}
        </Button>
      )}
    </div>
  );
}

/** Carries over the last answer that is not what the newest message says, which is that the conversation is full. */
function useCarryOver(messages: readonly MessageView[], onCarryOver: (answer: string) => void) {
  const newest = messages.at(-1)?.text;
  const answer = messages.findLast(({ role, text }) => role === "assistant" && text && text !== newest)?.text ?? "";
  return useCallback(() => {
    onCarryOver(answer);
  }, [answer, onCarryOver]);
}

/** Follows the end of the thread, and goes there whenever the key changes: on sending, and on opening. */
function useFollow(key: string) {
  const { scrollRef, contentRef, isAtBottom, stopScroll, scrollToBottom } = useStickToBottom({
    initial: "instant",
    resize: "instant",
  });
  const seen = useRef(key);
  useLayoutEffect(() => {
    if (seen.current === key) return;
    seen.current = key;
    void scrollToBottom("instant");
  }, [key, scrollToBottom]);
  const toBottom = () => void scrollToBottom("instant");
  return { scrollRef, contentRef, isAtBottom, stopScroll, toBottom };
}

/** How many messages have come since the reader left the bottom. */
function useUnread(count: number, atBottom: boolean): number {
  const [seen, setSeen] = useState(count);
  if (atBottom && seen !== count) setSeen(count);
  return atBottom ? 0 : Math.max(0, count - seen);
}
