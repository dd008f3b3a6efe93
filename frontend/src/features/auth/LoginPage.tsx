import { useTranslation } from "react-i18next";
import { Navigate, useNavigate, useSearchParams } from "react-router-dom";

import { useMe, useStatus } from "@/api/session";
import { ErrorNote, Loading } from "@/components/ui/States";
import { safeNext } from "@/lib/routes";

import { SignInForm } from "./SignInForm";

export function LoginPage() {
  const { t } = useTranslation();
  const status = useStatus();
  const me = useMe();
  const navigate = useNavigate();
  const [params] = useSearchParams();
  const next = safeNext(params.get("next"));
  if (status.data?.needsSetup) return <Navigate to="/setup" replace />;
  if (me.data) return <Navigate to={next} replace />;
  if (status.isPending || me.isPending) return <Loading />;
  return (
    <>
      <h1 className="text-xl font-semibold">{t("signIn.title")}</h1>
      {status.error && <ErrorNote error={status.error} onRetry={() => void status.refetch()} />}
      <SignInForm demo={status.data?.demo ?? false} onSignedIn={() => void navigate(next, { replace: true })} />
    </>
  );
}
