import { QueryClient } from "@tanstack/react-query";

import { ApiError } from "@/api/client";

const RETRIES = 2;

/** Asks again only where a second try can help: no answer at all, or trouble on the server's side. */
export function newQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        retry: (failures, error) => failures < RETRIES && error instanceof ApiError && mayPass(error.problem.status),
      },
    },
  });
}

function mayPass(status: number): boolean {
  return status === 0 || status >= 500;
}
