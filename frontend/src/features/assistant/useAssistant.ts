import { useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useState, useSyncExternalStore } from "react";

import { ApiError } from "@/api/client";
import { conversationKeys, useConversation } from "@/api/conversations";
import { noteProposal, primeProposal } from "@/api/proposals";
import { refreshRecords } from "@/api/records";
import type { ConversationDetail, Message, RecordRef } from "@/api/types";
import { currentRecord } from "@/lib/currentRecord";
import { recall, remember } from "@/lib/storage";

import type { Run, TurnEnd } from "./streamReducer";
import { TurnStore } from "./turnStore";
import { noteEnd } from "./modelState";
import { messagesOf } from "./view";

/** The conversation on screen and the turn that runs in it, for one user. Lives as long as the shell. */
export function useAssistant(userId: string) {
  const client = useQueryClient();
  const storageKey = `conversation/${userId}`;
  const [conversationId, setConversationId] = useState(() => recall(storageKey) ?? undefined);
  const select = useCallback(
    (id: string | undefined) => {
      remember(storageKey, id ?? "");
      setConversationId(id);
    },
    [storageKey],
  );
  const [kept] = useState(() => ({ contexts: new Map<string, RecordRef>(), ends: new Map<string, TurnEnd>() }));
  const [store] = useState(() => newStore(client, select, kept));
  const [sent, setSent] = useState(0);
  const [carried, setCarried] = useState<string>();
  const run = useSyncExternalStore(store.subscribe, store.current);
  const conversation = useConversation(conversationId);
  const messages = conversation.data?.messages;

  useForgetMissing(conversation.error, select);
  useAttach(store, conversationId, messages);
  useEffect(() => {
    const goes = () => {
      store.detach();
    };
    window.addEventListener("pagehide", goes);
    return () => {
      window.removeEventListener("pagehide", goes);
      // Nobody is left to read it.
      store.detach();
    };
  }, [store]);

  /** Opens a conversation, or a new one, which begins with the summary of the one that it is carried from. */
  const open = useCallback(
    (id: string | undefined, carryFrom?: string) => {
      store.detach();
      setCarried(carryFrom);
      select(id);
    },
    [store, select],
  );
  const send = useCallback(
    (message: string, onAccepted: () => void, search = false) => {
      // What is on screen now, not when the message was begun.
      const context = currentRecord();
      setSent((times) => times + 1);
      const where = conversationId ? { conversationId } : carried ? { carryFrom: carried } : {};
      return store.send({ message, ...where, ...(context && { context }), ...(search && { search }) }, onAccepted);
    },
    [store, conversationId, carried],
  );
  return { store, run, sent, kept, conversationId, conversation, carried, open, send };
}

type Keeping = { contexts: Map<string, RecordRef>; ends: Map<string, TurnEnd> };

/** `contexts` and `ends` keep, by turn, what of the turns of this tab the server does not. */
function newStore(client: QueryClient, select: (id: string) => void, { contexts, ends }: Keeping): TurnStore {
  return new TurnStore({
    onStart: (run) => {
      if (run.turnId && run.context) contexts.set(run.turnId, run.context);
      if (run.conversationId) select(run.conversationId);
    },
    onFrame: ({ event }) => {
      if (event.type !== "proposal") return;
      primeProposal(client, event.proposal);
      void noteProposal(client, event.proposal);
    },
    onEnd: (run) => {
      if (run.turnId && run.end?.kind === "error") ends.set(run.turnId, run.end);
      noteEnd(client, run);
      keepRun(client, run);
      if (run.tools.some((tool) => tool.status === "ok")) void refreshRecords(client);
    },
  });
}

// The turn stays in the thread from now on, also before the server's form of it has been read.
function keepRun(client: QueryClient, run: Run): void {
  if (!run.conversationId) return;
  const key = conversationKeys.detail(run.conversationId);
  if (run.end?.kind === "done") {
    client.setQueryData<ConversationDetail>(key, (known) => {
      if (!known || known.messages.some(({ id, status }) => id === run.messageId && status !== "running")) return known;
      const others = known.messages.filter(({ id, turnId }) => id !== run.messageId && turnId !== run.turnId);
      return { ...known, messages: [...others, ...messagesOf(run, new Date().toISOString())] };
    });
  }
  void client.invalidateQueries({ queryKey: conversationKeys.all });
}

// A conversation that was deleted, or that belonged to somebody else, gives way to a new one.
function useForgetMissing(error: unknown, select: (id: undefined) => void): void {
  useEffect(() => {
    if (error instanceof ApiError && error.problem.status === 404) select(undefined);
  }, [error, select]);
}

// After a reload, or on coming back to a conversation: a turn that still runs is taken up again.
function useAttach(
  store: TurnStore,
  conversationId: string | undefined,
  messages: readonly Message[] | undefined,
): void {
  const last = messages?.at(-1);
  const turnId = last?.role === "assistant" && last.status === "running" ? last.turnId : undefined;
  useEffect(() => {
    if (!conversationId || !turnId || !last || store.current()?.turnId === turnId) return;
    if (store.current() && !store.current()?.end) return;
    const before = messages?.at(-2);
    const message = before?.role === "user" ? before.content : "";
    void store.attach({ turnId, conversationId, messageId: last.id, message });
  }, [store, conversationId, turnId, last, messages]);
}
