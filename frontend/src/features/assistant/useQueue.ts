import { useCallback, useEffect, useRef, useState } from "react";

import { recall, remember } from "@/lib/storage";

import type { Run } from "./streamReducer";

export type Queue = {
  text: string;
  /** Why it could not be sent by itself. */
  error: unknown;
  /** Puts a message behind the reply that runs. */
  put: (text: string) => void;
  /** Takes the message out, and gives its text. */
  take: () => string;
};

type Send = (text: string, onAccepted: () => void) => Promise<void>;

/**
 * The one message that waits for the running reply of a conversation. It is sent by itself when that reply
 * is done; after one that failed or was stopped, and while `hold` says so, it waits for the person. It survives a reload.
 */
export function useQueue(
  userId: string,
  conversationId: string | undefined,
  run: Run | null,
  send: Send,
  hold: boolean,
): Queue {
  const key = `queued/${userId}/${conversationId ?? "new"}`;
  const [held, setHeld] = useState(() => ({ key, text: recall(key) ?? "" }));
  if (held.key !== key) setHeld({ key, text: recall(key) ?? "" });
  const text = held.key === key ? held.text : "";
  const [failure, setFailure] = useState<{ text: string; error: unknown }>();
  const put = useCallback(
    (next: string) => {
      remember(key, next);
      setHeld({ key, text: next });
    },
    [key],
  );
  const take = useCallback(() => {
    put("");
    return text;
  }, [put, text]);
  const release = useCallback(() => {
    send(text, () => {
      put("");
    }).catch((error: unknown) => {
      setFailure({ text, error });
    });
  }, [send, text, put]);
  useAfterReply(run, conversationId, text && !hold ? release : undefined);
  return { text, error: failure && failure.text === text ? failure.error : undefined, put, take };
}

// Only a turn that was seen to run is followed: one that had ended before has nothing to release.
function useAfterReply(run: Run | null, conversationId: string | undefined, release: (() => void) | undefined): void {
  const running = useRef<string>(undefined);
  useEffect(() => {
    if (run && !run.end) running.current = run.runId;
    if (!run?.end || running.current !== run.runId || run.conversationId !== conversationId) return;
    running.current = undefined;
    if (run.end.kind === "done" && run.end.reason !== "stopped") release?.();
  }, [run, conversationId, release]);
}
