import { useQuery, type QueryClient } from "@tanstack/react-query";

import { request } from "./client";
import { companyKeys } from "./companies";
import { dealKeys } from "./deals";
import type { Activity, Product, RecordRef } from "./types";

export const activityKeys = { detail: (id: string) => ["activities", id] as const };
export const productKeys = { detail: (id: string) => ["products", id] as const };

export function useActivity(id: string) {
  return useQuery({
    queryKey: activityKeys.detail(id),
    queryFn: () => request<Activity>(`/api/activities/${encodeURIComponent(id)}`),
  });
}

export function useProduct(id: string) {
  return useQuery({
    queryKey: productKeys.detail(id),
    queryFn: () => request<Product>(`/api/products/${encodeURIComponent(id)}`),
  });
}

/** Reads again what may show a record that has just changed. */
export async function refreshRecords(client: QueryClient, refs: readonly Pick<RecordRef, "type">[]): Promise<void> {
  const roots = new Set<readonly string[]>([dealKeys.all]);
  if (refs.some((ref) => ref.type === "company")) roots.add(companyKeys.all);
  await Promise.all([...roots].map((queryKey) => client.invalidateQueries({ queryKey })));
}
