import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";

import { request } from "./client";
import type { Inspection, Page, TurnLine } from "./types";

export const TURN_STATUSES = ["running", "done", "failed", "stopped"] as const;

/** Moments in RFC 3339: from is included, to is not. Empty ones do not narrow. */
export type TurnFilter = { userId: string; status: string; model: string; from: string; to: string };

export const turnKeys = {
  list: (filter: TurnFilter) => ["turns", "list", filter] as const,
  detail: (id: string) => ["turns", id] as const,
};

export function useTurns(filter: TurnFilter) {
  return useInfiniteQuery({
    queryKey: turnKeys.list(filter),
    queryFn: ({ pageParam, signal }) =>
      request<Page<TurnLine>>("/api/turns", { query: { ...filter, limit: 50, cursor: pageParam }, signal }),
    initialPageParam: "",
    getNextPageParam: (last) => last.nextCursor ?? undefined,
    placeholderData: keepPreviousData,
  });
}

/** Opens a turn. The server records each opening, so it is read once for each time that a person opens it. */
export function useTurn(id: string) {
  return useQuery({
    queryKey: turnKeys.detail(id),
    queryFn: () => request<Inspection>(`/api/turns/${encodeURIComponent(id)}`),
    staleTime: Infinity,
    gcTime: 0,
  });
}
