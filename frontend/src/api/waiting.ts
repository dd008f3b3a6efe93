import { useQuery, type QueryClient } from "@tanstack/react-query";

import { request } from "./client";
import { conversationKeys } from "./conversations";
import { proposalKeys, refreshProposal } from "./proposals";
import { refreshRecords } from "./records";
import type { Page, Proposal } from "./types";

const LOOK_MS = 10_000;
/** Two people take turns over an approval, so either looks sooner for what the other has done. */
const LOOK_FOR_APPROVAL_MS = 5_000;

/**
 * The person's proposals that wait, of every conversation and channel, the latest first. A page that is seen asks for them
 * again and again: that is how it learns of what others do.
 */
export function useWaiting() {
  return useQuery({
    queryKey: proposalKeys.waiting,
    queryFn: ({ client, signal }) => readWaiting(client, signal),
    refetchInterval: ({ state }) => (state.data?.items.some(({ approval }) => approval) ? LOOK_FOR_APPROVAL_MS : LOOK_MS),
  });
}

async function readWaiting(client: QueryClient, signal: AbortSignal): Promise<Page<Proposal>> {
  const query = { status: "pending", limit: 200 };
  const page = await request<Page<Proposal>>("/api/proposals", { query, signal });
  const waiting = new Set(page.items.map(({ id }) => id));
  void readDecided(client, pendingIds(client).filter((id) => !waiting.has(id)));
  return page;
}

/** Reads cards again that wait no longer, and what their decisions have changed. */
async function readDecided(client: QueryClient, ids: readonly string[]): Promise<void> {
  await Promise.all(ids.map((id) => refreshProposal(client, id)));
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
