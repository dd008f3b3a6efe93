import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";

import { request } from "@/api/client";
import { conversationKeys } from "@/api/conversations";
import type { Conversation, Page } from "@/api/types";

export const conversationPath = (id: string) => `/api/conversations/${encodeURIComponent(id)}`;

/** The person's conversations, newest activity first. */
export function useConversationPages() {
  return useInfiniteQuery({
    queryKey: [...conversationKeys.all, "pages"],
    queryFn: ({ pageParam, signal }) =>
      request<Page<Conversation>>("/api/conversations", { query: { limit: 200, cursor: pageParam }, signal }),
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
