import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";

import { request } from "./client";
import type { Contact, Page } from "./types";

export type ContactFilter = { q?: string; companyId?: string };

export const contactKeys = {
  all: ["contacts"] as const,
  list: (filter: ContactFilter) => ["contacts", "list", filter] as const,
  detail: (id: string) => ["contacts", id] as const,
};

const path = (id: string) => `/api/contacts/${encodeURIComponent(id)}`;

export function useContacts(filter: ContactFilter) {
  return useInfiniteQuery({
    queryKey: contactKeys.list(filter),
    queryFn: ({ pageParam, signal }) =>
      request<Page<Contact>>("/api/contacts", { query: { ...filter, limit: 50, cursor: pageParam }, signal }),
    initialPageParam: "",
    getNextPageParam: (last) => last.nextCursor ?? undefined,
    placeholderData: keepPreviousData,
  });
}

/** Reads one; nothing without an id. */
export function useContact(id: string) {
  return useQuery({ queryKey: contactKeys.detail(id), queryFn: () => request<Contact>(path(id)), enabled: id !== "" });
}
