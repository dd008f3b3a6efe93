import { useCallback, useLayoutEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";

import { Button } from "@/components/ui/Button";
import { Icon } from "@/components/ui/Icon";

import { MessageItem } from "./MessageItem";
import type { Run } from "./streamReducer";
import type { MessageView } from "./view";

const NEAR_BOTTOM_PX = 64;

/** The messages. Follows the newest only while the reader is at the bottom. */
export function Thread({ messages, run }: { messages: readonly MessageView[]; run: Run | null }) {
  const { t } = useTranslation();
  const { box, atBottom, onScroll, toBottom } = useFollow(messages, run?.runId);
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
        onScroll={onScroll}
        className="h-full overflow-y-auto overscroll-contain p-3 -outline-offset-2"
      >
        {messages.length === 0 ? (
          <p className="p-4 text-center text-sm text-muted">{t("assistant.empty")}</p>
        ) : (
          <ol className="space-y-4">
            {messages.map((message) => (
              <MessageItem key={message.key} message={message} />
            ))}
          </ol>
        )}
      </div>
      {!atBottom && (
        <Button className="absolute bottom-2 left-1/2 -translate-x-1/2 rounded-full shadow-md" onClick={toBottom}>
          <Icon name="down" />
          {t("assistant.jump")}
        </Button>
      )}
    </div>
  );
}

function useFollow(messages: readonly MessageView[], runId: string | undefined) {
  const box = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  const sentRun = useRef(runId);
  const [atBottom, setAtBottom] = useState(true);
  const toBottom = useCallback(() => {
    follows.current = true;
    if (box.current) box.current.scrollTop = box.current.scrollHeight;
  }, []);
  const onScroll = useCallback(() => {
    const { scrollHeight = 0, scrollTop = 0, clientHeight = 0 } = box.current ?? {};
    follows.current = scrollHeight - scrollTop - clientHeight <= NEAR_BOTTOM_PX;
    setAtBottom(follows.current);
  }, []);
  useLayoutEffect(() => {
    // Sending always goes to the bottom.
    if (runId !== sentRun.current) follows.current = true;
    sentRun.current = runId;
    if (follows.current) toBottom();
  }, [messages, runId, toBottom]);
  return { box, atBottom, onScroll, toBottom };
}
