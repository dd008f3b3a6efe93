import { keepPreviousData, useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import { request } from "./client";
import type { Activity, Page, Quotation } from "./types";

export type QuotationFilter = { q?: string; status?: string; ownerId?: string; companyId?: string; dealId?: string };

export const quotationKeys = {
  all: ["quotations"] as const,
  list: (filter: QuotationFilter) => ["quotations", "list", filter] as const,
  detail: (id: string) => ["quotations", id] as const,
  timeline: (id: string) => ["quotations", id, "timeline"] as const,
  deliveries: (id: string) => ["quotations", id, "deliveries"] as const,
};

const path = (id: string) => `/api/quotations/${encodeURIComponent(id)}`;

export function useQuotations(filter: QuotationFilter) {
  return useInfiniteQuery({
    queryKey: quotationKeys.list(filter),
    queryFn: ({ pageParam, signal }) =>
      request<Page<Quotation>>("/api/quotations", { query: { ...filter, limit: 50, cursor: pageParam }, signal }),
    initialPageParam: "",
    getNextPageParam: (last) => last.nextCursor ?? undefined,
    placeholderData: keepPreviousData,
  });
}

export function useQuotation(id: string) {
  return useQuery({ queryKey: quotationKeys.detail(id), queryFn: () => request<Quotation>(path(id)) });
}

export function useQuotationTimeline(id: string) {
  return useQuery({
    queryKey: quotationKeys.timeline(id),
    queryFn: () => request<Page<Activity>>(`${path(id)}/timeline`),
  });
}

/** Drafts the next revision of a quotation. */
export function useReviseQuotation() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => request<Quotation>(`${path(id)}/revise`, { method: "POST" }),
    onSuccess: (draft) => {
      client.setQueryData(quotationKeys.detail(draft.id), draft);
      void client.invalidateQueries({ queryKey: quotationKeys.all });
    },
  });
}
