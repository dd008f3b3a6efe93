import { useTranslation } from "react-i18next";

import type { Credentials } from "@/api/types";

const PASSWORD = "demo-password";
const ACCOUNTS = [
  { email: "sales@demo.test", role: "sales" },
  { email: "sales2@demo.test", role: "sales" },
  { email: "manager@demo.test", role: "manager" },
  { email: "admin@demo.test", role: "admin" },
  { email: "viewer@demo.test", role: "viewer" },
] as const;

/** The accounts that the server makes in demo mode; choosing one fills the form. */
export function DemoAccounts({ onChoose }: { onChoose: (account: Credentials) => void }) {
  const { t } = useTranslation();
  return (
    <section className="space-y-2 rounded-xl bg-raised p-4">
      <h2 className="text-sm font-semibold">{t("demo.accounts")}</h2>
      <p className="text-xs text-muted">{t("demo.accountsHint", { password: PASSWORD })}</p>
      <ul className="flex flex-wrap gap-2">
        {ACCOUNTS.map(({ email, role }) => (
          <li key={email}>
            <button
              type="button"
              className="min-h-8 rounded-lg border border-control bg-surface px-2.5 py-1 text-left text-xs hover:bg-accent-soft pointer-coarse:min-h-11"
              onClick={() => {
                onChoose({ email, password: PASSWORD });
              }}
            >
              <span className="font-medium">{email}</span> <span className="text-muted">{t(`role.${role}`)}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
