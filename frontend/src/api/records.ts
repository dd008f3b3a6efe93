import { queryOptions, useMutation, useQuery, useQueryClient, type QueryClient } from "@tanstack/react-query";

import { ApiError, request } from "./client";
import { approvalRuleKeys } from "./approvalRules";
import { companyKeys } from "./companies";
import { contactKeys } from "./contacts";
import { dealKeys } from "./deals";
import { quotationKeys } from "./quotations";
import { taskKeys } from "./tasks";
import type { Activity, ApprovalRule, Company, Contact, Deal, HistoryItem, Page, Product, Quotation, Task } from "./types";

export const activityKeys = { detail: (id: string) => ["activities", id] as const };
export const productKeys = { detail: (id: string) => ["products", id] as const };

export function useActivity(id: string) {
  return useQuery({
    queryKey: activityKeys.detail(id),
    queryFn: () => request<Activity>(`/api/activities/${encodeURIComponent(id)}`),
  });
}

export const productQuery = (id: string) =>
  queryOptions({
    queryKey: productKeys.detail(id),
    queryFn: () => request<Product>(`/api/products/${encodeURIComponent(id)}`),
  });

export function useProduct(id: string) {
  return useQuery(productQuery(id));
}

type Records = {
  deal: Deal;
  company: Company;
  contact: Contact;
  task: Task;
  quotation: Quotation;
  "approval-rule": ApprovalRule;
};
/** The kinds that are written and deleted alike. */
export type RecordType = keyof Records;
/** Those of them that have a history and can be restored. */
export type KeptType = Exclude<RecordType, "approval-rule">;
export type RecordOf<T extends RecordType> = Records[T];

const KINDS: Record<RecordType, { key: readonly string[]; path: string }> = {
  deal: { key: dealKeys.all, path: "/api/deals" },
  company: { key: companyKeys.all, path: "/api/companies" },
  contact: { key: contactKeys.all, path: "/api/contacts" },
  task: { key: taskKeys.all, path: "/api/tasks" },
  quotation: { key: quotationKeys.all, path: "/api/quotations" },
  "approval-rule": { key: approvalRuleKeys.all, path: "/api/approval-rules" },
};

const path = (type: RecordType, id: string) => `${KINDS[type].path}/${encodeURIComponent(id)}`;

export function useHistory(type: KeptType, id: string) {
  return useQuery({
    queryKey: [...KINDS[type].key, id, "history"],
    queryFn: () => request<Page<HistoryItem>>(`${path(type, id)}/history`),
  });
}

export type Write<R> = {
  /** The record as the person saw it; missing for a new one. */
  base?: R | undefined;
  body: object;
};

/** Adds a record, or changes what `body` names of one: a version newer than the one seen is refused as STALE. */
export function useSaveRecord<T extends RecordType>(type: T) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ base, body }: Write<RecordOf<T>>) =>
      base
        ? request<RecordOf<T>>(path(type, base.id), { method: "PATCH", version: base.version, body })
        : request<RecordOf<T>>(KINDS[type].path, { method: "POST", body }),
    onSuccess: (record) => {
      client.setQueryData([...KINDS[type].key, record.id], record);
      void refreshRecords(client);
    },
    onError: (error) => {
      if (currentOf(error)) void refreshRecords(client);
    },
  });
}

/** The record as it is now, where a write was refused because it had changed since it was seen. */
export function currentOf<R>(error: unknown): R | undefined {
  if (!(error instanceof ApiError) || error.code !== "STALE") return undefined;
  return (error.problem as { current?: R }).current;
}

/** Deletes a record as the person saw it: a newer version is refused. */
export function useDeleteRecord(type: RecordType) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, version }: { id: string; version: number }) =>
      request<unknown>(path(type, id), { method: "DELETE", version }),
    // Its page is still on screen, and would find nothing.
    onSuccess: () => client.invalidateQueries({ queryKey: KINDS[type].key, refetchType: "none" }),
  });
}

export function useRestoreRecord(type: KeptType) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => request<unknown>(`${path(type, id)}/restore`, { method: "POST" }),
    onSuccess: () => client.invalidateQueries({ queryKey: KINDS[type].key }),
  });
}

/** Reads again what is on screen of the records: a change of one may show on the pages of others. */
export async function refreshRecords(client: QueryClient): Promise<void> {
  await Promise.all(Object.values(KINDS).map(({ key }) => client.invalidateQueries({ queryKey: key })));
}
