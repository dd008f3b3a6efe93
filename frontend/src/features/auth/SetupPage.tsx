import { zodResolver } from "@hookform/resolvers/zod";
import { useForm } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { Navigate, useNavigate } from "react-router-dom";

import { useSetup, useStatus } from "@/api/session";
import { Button } from "@/components/ui/Button";
import { TextField } from "@/components/ui/Field";
import { ErrorNote, Loading } from "@/components/ui/States";
import { z } from "@/lib/zod";

const MIN_PASSWORD = 12;

const schema = z.object({
  token: z.string().trim().min(1, "common.required"),
  name: z.string().trim().min(1, "common.required"),
  email: z.string().trim().pipe(z.email("common.emailInvalid")),
  password: z.string().min(MIN_PASSWORD, "setup.passwordShort"),
});
type Values = z.infer<typeof schema>;

export function SetupPage() {
  const { t } = useTranslation();
  const status = useStatus();
  const setup = useSetup();
  const navigate = useNavigate();
  const form = useForm<Values>({
    resolver: zodResolver(schema),
    defaultValues: { token: "", name: "", email: "", password: "" },
  });
  if (status.isPending) return <Loading />;
  // Once an account exists the page has no job; while it is being made it stays.
  if (status.data?.needsSetup === false && !setup.isSuccess) return <Navigate to="/login" replace />;
  const submit = form.handleSubmit((values) => {
    setup.mutate(values, { onSuccess: () => void navigate("/deals", { replace: true }) });
  });
  const errorOf = (name: keyof Values) => {
    const message = form.formState.errors[name]?.message;
    return message && t(message, { count: MIN_PASSWORD });
  };
  return (
    <>
      <h1 className="text-xl font-semibold">{t("setup.title")}</h1>
      <p className="text-sm text-muted">{t("setup.intro")}</p>
      <form noValidate onSubmit={(event) => void submit(event)} className="space-y-4">
        <TextField
          label={t("setup.token")}
          hint={t("setup.tokenHint")}
          autoComplete="off"
          spellCheck={false}
          error={errorOf("token")}
          {...form.register("token")}
        />
        <TextField label={t("setup.name")} autoComplete="name" error={errorOf("name")} {...form.register("name")} />
        <TextField
          label={t("signIn.email")}
          type="email"
          autoComplete="username"
          error={errorOf("email")}
          {...form.register("email")}
        />
        <TextField
          label={t("signIn.password")}
          hint={t("setup.passwordHint", { count: MIN_PASSWORD })}
          type="password"
          autoComplete="new-password"
          error={errorOf("password")}
          {...form.register("password")}
        />
        {setup.error && <ErrorNote error={setup.error} />}
        <Button type="submit" look="primary" busy={setup.isPending} className="w-full">
          {t("setup.submit")}
        </Button>
      </form>
    </>
  );
}
