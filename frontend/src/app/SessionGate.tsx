import { useEffect, useState } from "react";
import { Navigate, useLocation } from "react-router-dom";

import { ApiError, onSessionEnded } from "@/api/client";
import { useMe } from "@/api/session";
import { ErrorNote, Loading } from "@/components/ui/States";

import { AppShell } from "./AppShell";
import { SignInDialog } from "./SignInDialog";

/** Lets signed-in people in. When the session ends under their hands a dialog asks them to sign in
 * again, over a page that keeps everything they had typed. */
export function SessionGate() {
  const me = useMe();
  const location = useLocation();
  const [ended, setEnded] = useState(false);
  useEffect(
    () =>
      onSessionEnded(() => {
        setEnded(true);
      }),
    [],
  );
  if (me.isPending) return <Loading />;
  if (!me.data) {
    if (me.error instanceof ApiError && me.error.code === "UNAUTHENTICATED") {
      const next = encodeURIComponent(location.pathname + location.search);
      return <Navigate to={`/login?next=${next}`} replace />;
    }
    return (
      <div className="p-6">
        <ErrorNote error={me.error} onRetry={() => void me.refetch()} />
      </div>
    );
  }
  return (
    <>
      <AppShell me={me.data} />
      {ended && (
        <SignInDialog
          me={me.data}
          onSignedIn={() => {
            setEnded(false);
          }}
        />
      )}
    </>
  );
}
