import { zodResolver } from "@hookform/resolvers/zod";
import { useForm } from "react-hook-form";
import { useTranslation } from "react-i18next";

import { useSignIn } from "@/api/session";
import type { Me } from "@/api/types";
import { Button } from "@/components/ui/Button";
import { TextField } from "@/components/ui/Field";
import { ErrorNote } from "@/components/ui/States";
import { z } from "@/lib/zod";

import { DemoAccounts } from "./DemoAccounts";

const schema = z.object({ email: z.string().trim().min(1), password: z.string().min(1) });
type Values = z.infer<typeof schema>;

type Props = { demo: boolean; email?: string; onSignedIn: (me: Me) => void };

export function SignInForm({ demo, email = "", onSignedIn }: Props) {
  const { t } = useTranslation();
  const signIn = useSignIn();
  const form = useForm<Values>({ resolver: zodResolver(schema), defaultValues: { email, password: "" } });
  const { errors } = form.formState;
  const submit = form.handleSubmit((values) => {
    signIn.mutate(values, { onSuccess: onSignedIn });
  });
  return (
    <div className="space-y-5">
      <form noValidate onSubmit={(event) => void submit(event)} className="space-y-4">
        <TextField
          label={t("signIn.email")}
          type="email"
          autoComplete="username"
          error={errors.email && t("common.required")}
          {...form.register("email")}
        />
        <TextField
          label={t("signIn.password")}
          type="password"
          autoComplete="current-password"
          error={errors.password && t("common.required")}
          {...form.register("password")}
        />
        {signIn.error && <ErrorNote error={signIn.error} />}
        <Button type="submit" look="primary" busy={signIn.isPending} className="w-full">
          {t("signIn.submit")}
        </Button>
      </form>
      {demo && (
        <DemoAccounts
          onChoose={(account) => {
            form.reset(account);
          }}
        />
      )}
    </div>
  );
}
