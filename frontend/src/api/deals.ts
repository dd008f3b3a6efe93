import { keepPreviousData, useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import { request } from "./client";
import type { Activity, Deal, HistoryItem, Page, Pipeline } from "./types";

export type DealFilter = { pipelineId: string; stageId: string; q: string; companyId?: string };

export const dealKeys = {
  all: ["deals"] as const,
  list: (filter: DealFilter) => ["deals", "list", filter] as const,
  detail: (id: string) => ["deals", id] as const,
  history: (id: string) => ["deals", id, "history"] as const,
  timeline: (id: string) => ["deals", id, "timeline"] as const,
};

export const pipelineKeys = { all: ["pipelines"] as const };

export function useDeals(filter: DealFilter) {
  return useInfiniteQuery({
    queryKey: dealKeys.list(filter),
    queryFn: ({ pageParam, signal }) =>
      request<Page<Deal>>("/api/deals", { query: { ...filter, limit: 50, cursor: pageParam }, signal }),
    initialPageParam: "",
    getNextPageParam: (last) => last.nextCursor ?? undefined,
    placeholderData: keepPreviousData,
  });
}

const path = (id: string) => `/api/deals/${encodeURIComponent(id)}`;

export const fetchDeal = (id: string) => request<Deal>(path(id));

export function useDeal(id: string) {
  return useQuery({ queryKey: dealKeys.detail(id), queryFn: () => fetchDeal(id) });
}

export function useDealHistory(id: string) {
  return useQuery({
    queryKey: dealKeys.history(id),
    queryFn: () => request<Page<HistoryItem>>(`${path(id)}/history`),
  });
}

export function useDealTimeline(id: string) {
  return useQuery({
    queryKey: dealKeys.timeline(id),
    queryFn: () => request<Page<Activity>>(`${path(id)}/timeline`),
  });
}

export const fetchPipelines = () => request<Page<Pipeline>>("/api/pipelines", { query: { limit: 200 } });

export function usePipelines() {
  return useQuery({ queryKey: pipelineKeys.all, queryFn: fetchPipelines, staleTime: 300_000 });
}

/** Deletes the deal as the person saw it: a newer version is refused. */
export function useDeleteDeal() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, version }: Deal) => request<unknown>(path(id), { method: "DELETE", version }),
    onSuccess: () => client.invalidateQueries({ queryKey: dealKeys.all, refetchType: "none" }),
  });
}

export function useRestoreDeal() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => request<unknown>(`${path(id)}/restore`, { method: "POST" }),
    onSuccess: () => client.invalidateQueries({ queryKey: dealKeys.all }),
  });
}
