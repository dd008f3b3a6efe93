import { skipToken, useMutation, useQuery, useQueryClient, type QueryClient } from "@tanstack/react-query";

import { ApiError, request } from "./client";
import { refreshRecords } from "./records";
import type { ChangedSince, DecidedProposal, Page, Problem, Proposal } from "./types";

export const proposalKeys = {
  all: ["proposals"] as const,
  detail: (id: string) => ["proposals", id] as const,
  waiting: ["proposals", "waiting"] as const,
  revealed: (id: string) => ["proposals", id, "revealed"] as const,
};

const STALE_MS = 10_000;

const path = (id: string) => `/api/proposals/${encodeURIComponent(id)}`;

/** Keeps a newer state; a final state never becomes pending again, whatever is replayed. */
export function newerProposal(known: Proposal | undefined, next: Proposal): Proposal {
  return known && known.status !== "pending" && next.status === "pending" ? known : next;
}

export function primeProposal(client: QueryClient, proposal: Proposal): void {
  client.setQueryData<Proposal>(proposalKeys.detail(proposal.id), (known) => newerProposal(known, proposal));
}

/** The state of a proposal: the seed comes from the stream or the conversation, the cache decides. */
export function useProposal(seed: Proposal) {
  return useQuery({
    queryKey: proposalKeys.detail(seed.id),
    queryFn: () => request<Proposal>(path(seed.id)),
    initialData: seed,
    staleTime: STALE_MS,
  });
}

/** The person's proposals that wait, of every conversation and channel, the latest first. */
export function useWaiting() {
  return useQuery({
    queryKey: proposalKeys.waiting,
    queryFn: ({ signal }) => request<Page<Proposal>>("/api/proposals", { query: { status: "pending", limit: 200 }, signal }),
    refetchInterval: 30_000,
  });
}

/** The fresh proposal of a stale one, once the person has asked to see it. */
export function useFreshProposal(staleId: string, freshId: string | undefined): Proposal | undefined {
  const id = useRevealed(staleId) ? freshId : undefined;
  return useQuery({
    queryKey: proposalKeys.detail(id ?? ""),
    queryFn: id ? () => request<Proposal>(path(id)) : skipToken,
    staleTime: STALE_MS,
  }).data;
}

/** Whether the person has asked to see the successor of a stale card. Nothing is fetched by this. */
export function useRevealed(id: string): boolean {
  return useQuery<boolean>({ queryKey: proposalKeys.revealed(id), queryFn: skipToken }).data ?? false;
}

/** Shows the fresh card of a stale proposal from now on, wherever its message is drawn. */
export function useReveal(): (id: string) => void {
  const client = useQueryClient();
  return (id) => {
    client.setQueryData(proposalKeys.revealed(id), true);
  };
}

export const refreshWaiting = (client: QueryClient) =>
  client.invalidateQueries({ queryKey: proposalKeys.waiting, exact: true });

export type Decision = { proposal: Proposal; action: "confirm" | "cancel" };

/** Confirms or cancels once. Every answer, refusals included, leaves the card in the state the server told. */
export function useDecide() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ proposal, action }: Decision) =>
      request<DecidedProposal>(`${path(proposal.id)}/${action}`, {
        method: "POST",
        body: action === "confirm" ? { digest: proposal.digest } : {},
      }),
    onSuccess: async (answer) => {
      primeProposal(client, answer);
      await Promise.all([refreshRecords(client), refreshWaiting(client)]);
    },
    onError: (error, { proposal }) => afterRefusal(client, error, proposal),
  });
}

async function afterRefusal(client: QueryClient, error: unknown, proposal: Proposal): Promise<void> {
  if (!(error instanceof ApiError)) return;
  if (error.code !== "STALE") {
    await client.invalidateQueries({ queryKey: proposalKeys.detail(proposal.id), exact: true });
    return;
  }
  const { fresh, changedSince } = error.problem as Problem & StaleExtra;
  if (fresh) primeProposal(client, fresh);
  const known = { ...(changedSince && { changedSince }), ...(fresh && { freshId: fresh.id }) };
  primeProposal(client, { ...proposal, status: "stale", ...known });
  await Promise.all([refreshRecords(client), refreshWaiting(client)]);
}

// There is no fresh proposal where the change makes no sense any more.
type StaleExtra = { fresh?: Proposal; changedSince?: ChangedSince[] };
