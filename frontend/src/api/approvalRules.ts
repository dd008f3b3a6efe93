import { useQuery } from "@tanstack/react-query";

import { request } from "./client";
import type { ApprovalRule, ApprovalRuleOptions, Page } from "./types";

export const approvalRuleKeys = {
  all: ["approval-rules"] as const,
  list: ["approval-rules", "list"] as const,
  options: ["approval-rules", "options"] as const,
};

/** All rules, in the order in which they are asked. */
export function useApprovalRules() {
  return useQuery({
    queryKey: approvalRuleKeys.list,
    queryFn: ({ signal }) => request<Page<ApprovalRule>>("/api/approval-rules", { signal }),
  });
}

/** The tools and roles that a rule can name. */
export function useApprovalRuleOptions() {
  return useQuery({
    queryKey: approvalRuleKeys.options,
    queryFn: ({ signal }) => request<ApprovalRuleOptions>("/api/approval-rules/options", { signal }),
  });
}
