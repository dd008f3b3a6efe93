import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";

import { request } from "./client";
import type { Activity, Company, Page } from "./types";

export const companyKeys = {
  all: ["companies"] as const,
  list: (q: string) => ["companies", "list", q] as const,
  detail: (id: string) => ["companies", id] as const,
  timeline: (id: string) => ["companies", id, "timeline"] as const,
};

const path = (id: string) => `/api/companies/${encodeURIComponent(id)}`;

export function useCompanies(q: string) {
  return useInfiniteQuery({
    queryKey: companyKeys.list(q),
    queryFn: ({ pageParam, signal }) =>
      request<Page<Company>>("/api/companies", { query: { q, limit: 50, cursor: pageParam }, signal }),
    initialPageParam: "",
    getNextPageParam: (last) => last.nextCursor ?? undefined,
    placeholderData: keepPreviousData,
  });
}

/** Reads one; nothing without an id. */
export function useCompany(id: string) {
  return useQuery({ queryKey: companyKeys.detail(id), queryFn: () => request<Company>(path(id)), enabled: id !== "" });
}

export function useCompanyTimeline(id: string) {
  return useQuery({
    queryKey: companyKeys.timeline(id),
    queryFn: () => request<Page<Activity>>(`${path(id)}/timeline`),
  });
}
