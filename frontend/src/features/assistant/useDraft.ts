import { useCallback, useState } from "react";

import { recall, remember } from "@/lib/storage";

const keyOf = (userId: string, conversationId: string | undefined) => `draft/${userId}/${conversationId ?? "new"}`;

/** Puts words before a person who begins a new conversation. */
export function draftNew(userId: string, text: string): void {
  remember(keyOf(userId, undefined), text);
}

/** The unsent words of one conversation of one user. They survive a reload until `clear` is called. */
export function useDraft(userId: string, conversationId: string | undefined) {
  const key = keyOf(userId, conversationId);
  const [draft, setDraft] = useState(() => ({ key, text: recall(key) ?? "" }));
  if (draft.key !== key) setDraft({ key, text: recall(key) ?? "" });
  const setText = useCallback(
    (text: string) => {
      remember(key, text);
      setDraft({ key, text });
    },
    [key],
  );
  const clear = useCallback(() => {
    setText("");
  }, [setText]);
  return { text: draft.key === key ? draft.text : "", setText, clear };
}
