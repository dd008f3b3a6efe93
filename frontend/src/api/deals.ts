import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";

import { request } from "./client";
import type { Activity, Deal, Page, Pipeline } from "./types";

export type DealFilter = { pipelineId: string; stageId: string; q: string; companyId?: string };

export const dealKeys = {
  all: ["deals"] as const,
  list: (filter: DealFilter) => ["deals", "list", filter] as const,
  detail: (id: string) => ["deals", id] as const,
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

/** Reads one; nothing without an id. */
export function useDeal(id: string) {
  return useQuery({ queryKey: dealKeys.detail(id), queryFn: () => fetchDeal(id), enabled: id !== "" });
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
