import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import { request } from "./client";
import type { AIConfig, AIConfigInput } from "./types";

export const aiConfigKeys = { all: ["ai-config"] as const };

export function useAIConfig() {
  return useQuery({
    queryKey: aiConfigKeys.all,
    queryFn: () => request<AIConfig>("/api/ai/config"),
    // A refetch would reset what the admin is typing.
    refetchOnWindowFocus: false,
    refetchInterval: 60_000,
  });
}

export function useSaveAIConfig() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: AIConfigInput) => request<AIConfig>("/api/ai/config", { method: "PUT", body }),
    onSuccess: () => client.invalidateQueries({ queryKey: aiConfigKeys.all }),
  });
}

export function useRemoveAIConfig() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => request<undefined>("/api/ai/config", { method: "DELETE" }),
    onSuccess: () => client.invalidateQueries({ queryKey: aiConfigKeys.all }),
  });
}
