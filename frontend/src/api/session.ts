import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import { request } from "./client";
import type { Credentials, Me, Scope, SetupInput, Status } from "./types";

export const sessionKeys = { status: ["status"] as const, me: ["me"] as const };

export function useStatus() {
  return useQuery({ queryKey: sessionKeys.status, queryFn: () => request<Status>("/api/status"), staleTime: 60_000 });
}

export function useMe() {
  return useQuery({
    queryKey: sessionKeys.me,
    queryFn: () => request<Me>("/api/me"),
    staleTime: 60_000,
    retry: false,
  });
}

export function useSignIn() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: Credentials) => request<Me>("/api/auth/login", { method: "POST", body }),
    onSuccess: (me) => {
      const before = client.getQueryData<Me>(sessionKeys.me);
      // What another person was shown must not stay on screen.
      if (before && before.user.id !== me.user.id) client.clear();
      client.setQueryData(sessionKeys.me, me);
      void client.invalidateQueries({ predicate: (query) => query.queryKey !== sessionKeys.me });
    },
  });
}

export function useSignOut() {
  return useMutation({ mutationFn: () => request<undefined>("/api/auth/logout", { method: "POST" }) });
}

/** Makes the first admin, who is signed in by that. */
export function useSetup() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: SetupInput) => request<Me>("/api/setup", { method: "POST", body }),
    onSuccess: (me) => {
      client.setQueryData(sessionKeys.me, me);
      void client.invalidateQueries({ queryKey: sessionKeys.status });
    },
  });
}

/** How far a right of this person reaches; undefined without it. */
export function scopeOf(me: Me | undefined, permission: string): Scope | undefined {
  return me?.permissions.find((held) => held.permission === permission)?.scope;
}

/**
 * Whether this person may do something, as far as the client can know: the server decides. A record's
 * owner narrows the scope "own"; a team cannot be checked here and counts as yes.
 */
export function can(me: Me | undefined, permission: string, ownerId?: string): boolean {
  const scope = scopeOf(me, permission);
  if (!me || !scope) return false;
  return scope !== "own" || ownerId === undefined || ownerId === me.user.id;
}
