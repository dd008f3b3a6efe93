import { useQuery, useQueryClient, type QueryClient } from "@tanstack/react-query";

import { request } from "./client";
import { primeProposal } from "./proposals";
import type { ConversationDetail } from "./types";

export const conversationKeys = {
  all: ["conversations"] as const,
  detail: (id: string) => ["conversations", id] as const,
};

/** Reads a conversation; what it says about its proposals replaces what the cards know. */
export async function fetchConversation(client: QueryClient, id: string): Promise<ConversationDetail> {
  const detail = await request<ConversationDetail>(`/api/conversations/${encodeURIComponent(id)}`);
  for (const message of detail.messages) {
    for (const proposal of message.proposals) primeProposal(client, proposal);
  }
  return detail;
}

export function useConversation(id: string | undefined) {
  const client = useQueryClient();
  return useQuery({
    queryKey: conversationKeys.detail(id ?? ""),
    queryFn: () => fetchConversation(client, id ?? ""),
    enabled: id !== undefined,
    retry: false,
  });
}
