import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";

import { request } from "@/api/client";
import { conversationKeys } from "@/api/conversations";
import { useErrorText } from "@/api/errors";
import { useToast } from "@/components/ui/Toast";

import { conversationPath } from "./useConversationPages";

/** How long a deleted conversation can be had back. */
export const UNDO_MS = 10_000;

/**
 * Deletes conversations with a moment to undo it: until then they are only out of sight. Leaving the page
 * does not bring them back.
 */
export function useDeletions() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const toast = useToast();
  const errorText = useErrorText();
  const timers = useRef(new Map<string, ReturnType<typeof setTimeout>>());
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const reappear = useCallback((id: string) => {
    setHidden((before) => new Set([...before].filter((each) => each !== id)));
  }, []);
  useEffect(() => finishOnLeaving(timers.current), []);

  const finish = async (id: string) => {
    timers.current.delete(id);
    try {
      await request(conversationPath(id), { method: "DELETE" });
    } catch (error) {
      reappear(id);
      toast({ text: errorText(error) });
    }
    await client.invalidateQueries({ queryKey: conversationKeys.all });
  };
  const remove = (ids: readonly string[]) => {
    setHidden((before) => new Set([...before, ...ids]));
    for (const id of ids) {
      timers.current.set(
        id,
        setTimeout(() => void finish(id), UNDO_MS),
      );
    }
    const undo = () => {
      for (const id of ids) {
        clearTimeout(timers.current.get(id));
        // Too late once it has been sent.
        if (timers.current.delete(id)) reappear(id);
      }
    };
    const text = t("assistant.deleted", { count: ids.length });
    toast({ text, action: { label: t("common.undo"), run: undo }, ms: UNDO_MS });
  };
  return { hidden, remove };
}

function finishOnLeaving(timers: Map<string, ReturnType<typeof setTimeout>>): () => void {
  const finishAll = () => {
    for (const [id, timer] of timers) {
      clearTimeout(timer);
      // A plain request would end with the page.
      void fetch(conversationPath(id), { method: "DELETE", credentials: "same-origin", keepalive: true });
    }
    timers.clear();
  };
  window.addEventListener("pagehide", finishAll);
  return () => {
    window.removeEventListener("pagehide", finishAll);
    finishAll();
  };
}
