import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import { tellOtherTabs } from "@/lib/tabs";

import { request } from "./client";
import { conversationKeys } from "./conversations";
import { lookAgain } from "./lookAgain";
import { refreshProposal } from "./proposals";
import { quotationKeys } from "./quotations";
import { refreshRecords } from "./records";
import type { Delivery, Page } from "./types";

/** The latest e-mails with a quotation, followed while one is under way. */
export function useDeliveriesOf(quotationId: string) {
  return useQuery({
    queryKey: quotationKeys.deliveries(quotationId),
    queryFn: () => request<Page<Delivery>>("/api/deliveries", { query: { quotationId, limit: 20 } }),
    refetchInterval: ({ state }) =>
      state.data?.items.map(({ status }) => lookAgain(status)).find((wait) => wait !== false) ?? false,
  });
}

/** Says of an unknown e-mail that it has arrived. Whatever the answer, it is shown as it is now. */
export function useMarkSent() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id }: { id: string; proposalId: string }) =>
      request<Delivery>(`/api/deliveries/${encodeURIComponent(id)}/sent`, { method: "POST" }),
    onSettled: async (_answer, _error, { proposalId }) => {
      tellOtherTabs([proposalId]);
      await Promise.all([
        refreshProposal(client, proposalId),
        refreshRecords(client),
        client.invalidateQueries({ queryKey: conversationKeys.all }),
      ]);
    },
  });
}
