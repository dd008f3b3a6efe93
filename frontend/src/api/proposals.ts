import { queryOptions, skipToken, useMutation, useQuery, useQueryClient, type QueryClient } from "@tanstack/react-query";

import { tellOtherTabs } from "@/lib/tabs";

import { ApiError, request } from "./client";
import { lookAgain } from "./lookAgain";
import { refreshRecords } from "./records";
import type { ChangedSince, DecidedProposal, Problem, Proposal } from "./types";

export const proposalKeys = {
  all: ["proposals"] as const,
  detail: (id: string) => ["proposals", id] as const,
  waiting: ["proposals", "waiting"] as const,
  revealed: (id: string) => ["proposals", id, "revealed"] as const,
  undo: (id: string) => ["proposals", id, "undo"] as const,
};

const STALE_MS = 10_000;

const path = (id: string) => `/api/proposals/${encodeURIComponent(id)}`;

/** Keeps a newer state; a final state never becomes pending again, whatever is replayed. */
export function newerProposal(known: Proposal | undefined, next: Proposal): Proposal {
  return known && known.status !== "pending" && next.status === "pending" ? known : next;
}

export function primeProposal(client: QueryClient, proposal: Proposal): void {
  client.setQueryData<Proposal>(proposalKeys.detail(proposal.id), (known) => newerProposal(known, proposal));
  if (proposal.undoesId) client.setQueryData(proposalKeys.undo(proposal.undoesId), proposal.id);
}

/**
 * The state of a proposal: the seed comes from the stream or the conversation, the cache decides. The e-mail of one is
 * followed while it is under way.
 */
export function useProposal(seed: Proposal) {
  return useQuery({
    ...proposalQuery(seed),
    refetchInterval: ({ state }) => lookAgain(state.data?.outcome?.delivery),
  });
}

/** What is known of a proposal, and how it is read again. */
export const proposalQuery = (seed: Proposal) =>
  queryOptions<Proposal>({
    queryKey: proposalKeys.detail(seed.id),
    queryFn: () => request<Proposal>(path(seed.id)),
    initialData: seed,
    staleTime: STALE_MS,
  });

/** The fresh proposal of a stale one, once the person has asked to see it. */
export function useFreshProposal(staleId: string, freshId: string | undefined): Proposal | undefined {
  return useSuccessor(useRevealed(staleId) ? freshId : undefined);
}

/** The latest proposal to take back an executed one, as far as it is known here. */
export function useUndoOf(id: string): Proposal | undefined {
  return useSuccessor(useQuery<string>({ queryKey: proposalKeys.undo(id), queryFn: skipToken }).data);
}

function useSuccessor(id: string | undefined): Proposal | undefined {
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

/** Reads a proposal again where it is on screen. */
export const refreshProposal = (client: QueryClient, id: string) =>
  client.invalidateQueries({ queryKey: proposalKeys.detail(id), exact: true });

/** A proposal is new, or was decided: what that changes is read again, here and in the person's other tabs. */
export async function noteProposal(client: QueryClient, { id, undoesId }: Proposal): Promise<void> {
  tellOtherTabs(undoesId ? [id, undoesId] : [id]);
  await Promise.all([refreshWaiting(client), undoesId && refreshProposal(client, undoesId)]);
}

/** What a person does with a card. A cancelled change may have a reason, which the assistant reads. */
export type Decision =
  | { action: "confirm"; edits?: Record<string, unknown>; items?: readonly string[] }
  | { action: "cancel"; reason: string };

type Deciding = { proposal: Proposal; decision: Decision };

/** Confirms or cancels once. Every answer, refusals included, leaves the card in the state the server told. */
export function useDecide() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ proposal, decision }: Deciding) =>
      request<DecidedProposal>(`${path(proposal.id)}/${decision.action}`, {
        method: "POST",
        body: bodyOf(proposal, decision),
      }),
    onSuccess: async (answer) => {
      primeProposal(client, answer);
      await Promise.all([refreshRecords(client), noteProposal(client, answer)]);
    },
    onError: (error, { proposal }) => afterRefusal(client, error, proposal),
  });
}

function bodyOf(proposal: Proposal, decision: Decision): object {
  if (decision.action === "confirm") {
    const { edits, items } = decision;
    return { digest: proposal.digest, ...(edits && Object.keys(edits).length > 0 && { edits }), ...(items && { items }) };
  }
  return decision.reason ? { reason: decision.reason } : {};
}

/** Proposes to take back what an executed proposal has done. Asked again, it gives the same one while that waits. */
export function useUndo() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (proposal: Proposal) => request<Proposal>(`${path(proposal.id)}/undo`, { method: "POST", body: {} }),
    onSuccess: async (undo) => {
      primeProposal(client, undo);
      await noteProposal(client, undo);
    },
    onError: async (error, { id }) => {
      // The record has changed, or what is known of the proposal is not true any more.
      if (error instanceof ApiError) await Promise.all([refreshProposal(client, id), refreshRecords(client)]);
    },
  });
}

/** What has changed of a record since, where that is why something was refused. */
export function changedSinceOf(error: unknown): readonly ChangedSince[] {
  if (!(error instanceof ApiError) || error.code !== "STALE") return [];
  return (error.problem as Problem & StaleExtra).changedSince ?? [];
}

async function afterRefusal(client: QueryClient, error: unknown, proposal: Proposal): Promise<void> {
  if (!(error instanceof ApiError)) return;
  if (error.code !== "STALE") {
    await refreshProposal(client, proposal.id);
    return;
  }
  const { fresh, changedSince } = error.problem as Problem & StaleExtra;
  if (fresh) primeProposal(client, fresh);
  const known = { ...(changedSince && { changedSince }), ...(fresh && { freshId: fresh.id }) };
  primeProposal(client, { ...proposal, status: "stale", ...known });
  await Promise.all([refreshRecords(client), noteProposal(client, proposal)]);
}

// There is no fresh proposal where the change makes no sense any more.
type StaleExtra = { fresh?: Proposal; changedSince?: ChangedSince[] };
