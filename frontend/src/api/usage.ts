import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import { request } from "./client";
import type { Budget, BudgetInput, ModelPrice, ModelPriceInput, OutcomeReport, Page, Resolution, Usage } from "./types";

export const GROUPINGS = ["day", "user", "role", "channel", "model", "tool"] as const;
export type UsageBy = (typeof GROUPINGS)[number];
/** Days are those of Hong Kong, both included; empty ones are the first of the month, and today. */
export type UsageQuery = { by: UsageBy; from: string; to: string };

export const OUTCOME_GROUPINGS = ["tool", "user", "channel", "month"] as const;
export type OutcomesBy = (typeof OUTCOME_GROUPINGS)[number];
export type OutcomeQuery = { by: OutcomesBy; from: string; to: string };

export const usageKeys = {
  all: ["usage"] as const,
  report: (query: UsageQuery) => ["usage", "report", query] as const,
  outcomes: (query: OutcomeQuery) => ["usage", "outcomes", query] as const,
  prices: ["usage", "prices"] as const,
  budgets: ["usage", "budgets"] as const,
};

export function useUsage(query: UsageQuery) {
  return useQuery({
    queryKey: usageKeys.report(query),
    queryFn: ({ signal }) => request<Usage>("/api/ai/usage", { query, signal }),
    placeholderData: keepPreviousData,
  });
}

/** What came of proposals. */
export function useOutcomes(query: OutcomeQuery) {
  return useQuery({
    queryKey: usageKeys.outcomes(query),
    queryFn: ({ signal }) => request<OutcomeReport>("/api/ai/usage/outcomes", { query, signal }),
    placeholderData: keepPreviousData,
  });
}

/** Where the same reports are to be had as files. */
export const usageTableUrl = (query: UsageQuery) => `/api/ai/usage.csv?${given(query)}`;
export const outcomeTableUrl = (query: OutcomeQuery) => `/api/ai/usage/outcomes.csv?${given(query)}`;

function given({ by, from, to }: UsageQuery | OutcomeQuery): string {
  return new URLSearchParams(Object.entries({ by, from, to }).filter(([, value]) => value !== "")).toString();
}

export function usePrices() {
  return useQuery({
    queryKey: usageKeys.prices,
    queryFn: ({ signal }) => request<Page<ModelPrice>>("/api/ai/prices", { signal }),
  });
}

export function useAddPrice() {
  return useChange((body: ModelPriceInput) => request<ModelPrice>("/api/ai/prices", { method: "POST", body }));
}

export function useDeletePrice() {
  return useChange((id: string) =>
    request<undefined>(`/api/ai/prices/${encodeURIComponent(id)}`, { method: "DELETE" }),
  );
}

export function useBudgets() {
  return useQuery({
    queryKey: usageKeys.budgets,
    queryFn: ({ signal }) => request<Page<Budget>>("/api/ai/budgets", { signal }),
  });
}

export function usePutBudget() {
  return useChange((body: BudgetInput) => request<Page<Budget>>("/api/ai/budgets", { method: "PUT", body }));
}

export function useDeleteBudget() {
  return useChange((id: string) =>
    request<undefined>(`/api/ai/budgets/${encodeURIComponent(id)}`, { method: "DELETE" }),
  );
}

/** The id of the one person whom a text names; undefined when there is none, or more than one. */
export async function findPerson(text: string): Promise<string | undefined> {
  const { match } = await request<Resolution>("/api/resolve/person", { query: { q: text } });
  return match?.id;
}

function useChange<Input, Output>(mutationFn: (input: Input) => Promise<Output>) {
  const client = useQueryClient();
  return useMutation({ mutationFn, onSuccess: () => client.invalidateQueries({ queryKey: usageKeys.all }) });
}
