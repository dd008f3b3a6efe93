import { keepPreviousData, useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";

import { request } from "@/api/client";
import { conversationKeys } from "@/api/conversations";
import type { Conversation, Page } from "@/api/types";

export const conversationPath = (id: string) => `/api/conversations/${encodeURIComponent(id)}`;

/** The person's conversations, newest activity first: those that hold a text, or all. */
export function useConversationPages(q: string) {
  return useInfiniteQuery({
    queryKey: [...conversationKeys.all, "pages", q],
    queryFn: ({ pageParam, signal }) =>
      request<Page<Conversation>>("/api/conversations", { query: { q, limit: 50, cursor: pageParam }, signal }),
    placeholderData: keepPreviousData,
    initialPageParam: "",
    getNextPageParam: (last) => last.nextCursor ?? undefined,
  });
}

export function useRenameConversation() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, title }: Pick<Conversation, "id" | "title">) =>
      request<Conversation>(conversationPath(id), { method: "PATCH", body: { title } }),
    onSettled: () => client.invalidateQueries({ queryKey: conversationKeys.all }),
  });
}
