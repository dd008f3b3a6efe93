import { useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useEffect } from "react";

import { delay } from "@/lib/delay";
import { useVisible } from "@/lib/hooks";

import { send } from "./client";
import { conversationKeys } from "./conversations";
import { readEvents } from "./eventStream";
import { proposalKeys, refreshProposal, refreshWaiting } from "./proposals";
import { refreshRecords } from "./records";
import type { Proposal } from "./types";

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;

/**
 * Reads again what waits for the person as soon as the server says that something of it has changed: somebody wants an
 * approval, or has given one. Only a page that is seen listens, so that many tabs leave connections to each other. Without
 * the stream the list is still read again at its interval.
 */
export function useNews(): void {
  const client = useQueryClient();
  const visible = useVisible();
  useEffect(() => {
    if (!visible) return;
    const gone = new AbortController();
    void listen(() => void readAgain(client), gone.signal);
    return () => {
      gone.abort();
    };
  }, [client, visible]);
}

/** Listens until the signal. The first event of a connection tells that something may have been missed before. */
async function listen(onNews: () => void, signal: AbortSignal): Promise<void> {
  for (let wait = FIRST_WAIT_MS; !signal.aborted; wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
    try {
      const response = await send("/api/events", { accept: "text/event-stream", signal });
      await readEvents(response, () => {
        wait = FIRST_WAIT_MS;
        if (!signal.aborted) onNews();
      });
    } catch {
      // It is tried again.
    }
    // Those whom a server that has stopped leaves behind do not come back all at once.
    await delay(wait * (0.5 + Math.random()), signal);
  }
}

async function readAgain(client: QueryClient): Promise<void> {
  const ids = pendingIds(client);
  await Promise.all([refreshWaiting(client), ...ids.map((id) => refreshProposal(client, id))]);
  const pending = new Set(pendingIds(client));
  if (ids.every((id) => pending.has(id))) return;
  await Promise.all([refreshRecords(client), client.invalidateQueries({ queryKey: conversationKeys.all })]);
}

/** The proposals that are known here and were not decided when they were last read. */
function pendingIds(client: QueryClient): string[] {
  const known = client.getQueriesData<Partial<Proposal>>({
    queryKey: proposalKeys.all,
    predicate: ({ queryKey }) => queryKey.length === 2 && queryKey[1] !== proposalKeys.waiting[1],
  });
  return known.flatMap(([, data]) => (data?.id && data.status === "pending" ? [data.id] : []));
}
