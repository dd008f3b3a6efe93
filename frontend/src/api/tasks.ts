import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";

import { request } from "./client";
import type { Page, Task } from "./types";

export type TaskShow = "open" | "overdue" | "done" | "all";
export type TaskFilter = {
  show: TaskShow;
  assigneeId?: string;
  companyId?: string;
  dealId?: string;
  contactId?: string;
};

export const taskKeys = {
  all: ["tasks"] as const,
  list: (filter: TaskFilter) => ["tasks", "list", filter] as const,
  detail: (id: string) => ["tasks", id] as const,
};

const path = (id: string) => `/api/tasks/${encodeURIComponent(id)}`;

export function useTasks({ show, ...about }: TaskFilter) {
  return useInfiniteQuery({
    queryKey: taskKeys.list({ show, ...about }),
    queryFn: ({ pageParam, signal }) =>
      request<Page<Task>>("/api/tasks", { query: { ...about, ...shown(show), limit: 50, cursor: pageParam }, signal }),
    initialPageParam: "",
    getNextPageParam: (last) => last.nextCursor ?? undefined,
    placeholderData: keepPreviousData,
  });
}

// What is to be done comes in the order of its dates, what is done with the latest first.
function shown(show: TaskShow): Record<string, string> {
  switch (show) {
    case "open":
      return { status: "open", sort: "dueAt" };
    case "overdue":
      return { status: "open", dueBefore: new Date().toISOString(), sort: "dueAt" };
    case "done":
      return { status: "done", sort: "-updatedAt" };
    case "all":
      return { sort: "-updatedAt" };
  }
}

export function useTask(id: string) {
  return useQuery({ queryKey: taskKeys.detail(id), queryFn: () => request<Task>(path(id)) });
}
