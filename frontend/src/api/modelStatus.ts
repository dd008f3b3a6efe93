import { useQuery, useQueryClient } from "@tanstack/react-query";

import { aiConfigKeys } from "./aiConfig";
import { request } from "./client";
import type { ModelStatus } from "./types";

export const modelStatusKeys = { all: ["model-status"] as const };

/** Whether the assistant's model can be asked. Asked for once, and again and again only while the model is down. */
export function useModelStatus(enabled: boolean) {
  const client = useQueryClient();
  return useQuery({
    queryKey: modelStatusKeys.all,
    queryFn: async () => {
      const status = await request<ModelStatus>("/api/ai/status");
      const before = client.getQueryData<ModelStatus>(modelStatusKeys.all);
      // What administrators are told of the same model changes with it, not after it.
      if (before && before.state !== status.state) await client.invalidateQueries({ queryKey: aiConfigKeys.all });
      return status;
    },
    enabled,
    staleTime: 0,
    refetchInterval: ({ state: { data } }) => data?.checkAfterSeconds !== undefined && data.checkAfterSeconds * 1_000,
  });
}
