import { useState, type FormEvent } from "react";
import { useTranslation } from "react-i18next";

import type { Budget, BudgetInput } from "@/api/types";
import { findPerson, useBudgets, useDeleteBudget, usePutBudget } from "@/api/usage";
import { Button } from "@/components/ui/Button";
import { SelectField, TextField } from "@/components/ui/Field";
import { Panel } from "@/components/ui/Page";
import { ErrorNote } from "@/components/ui/States";
import { useFormat } from "@/lib/format";

/** What may be used in a month, by whom, and how much of it is gone. */
export function UsageBudgets({ mayChange }: { mayChange: boolean }) {
  const { t } = useTranslation();
  const budgets = useBudgets();
  const remove = useDeleteBudget();
  const error = budgets.error ?? remove.error;
  return (
    <Panel title={t("usage.budgets")}>
      <p className="text-sm text-muted">{t("usage.budgetsHint")}</p>
      {error && <ErrorNote error={error} />}
      <ul className="divide-y divide-line text-sm">
        {budgets.data?.items.map((budget) => (
          <li key={budget.id} className="flex flex-wrap items-center gap-x-4 gap-y-1 py-2">
            <Standing budget={budget} />
            {mayChange && (
              <Button
                look="danger"
                size="small"
                onClick={() => {
                  remove.mutate(budget.id);
                }}
              >
                {t("usage.remove")}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {mayChange && <BudgetForm />}
    </Panel>
  );
}

function Standing({ budget }: { budget: Budget }) {
  const { t } = useTranslation();
  const format = useFormat();
  const amount = (text: string) =>
    budget.currency
      ? format.cost({ amount: text, currency: budget.currency })
      : t("usage.tokens", { tokens: format.number(Number(text)) });
  return (
    <>
      <span className="font-medium">{t(`usage.target.${targetOf(budget)}`)}</span>
      {budget.name && <span>{t(`role.${budget.name}`, { defaultValue: budget.name })}</span>}
      <span className="tabular-nums">
        {budget.used === undefined
          ? amount(budget.amount)
          : t("usage.used", { used: amount(budget.used), amount: amount(budget.amount) })}
      </span>
    </>
  );
}

const TARGETS = ["installation", "role", "everyUser", "oneUser"] as const;
type Target = (typeof TARGETS)[number];

function targetOf({ scope, subject }: Budget): Target {
  if (scope === "user") return subject ? "oneUser" : "everyUser";
  return scope;
}

const ROLES = ["admin", "manager", "sales", "viewer"] as const;

function BudgetForm() {
  const { t } = useTranslation();
  const { values, change, unknown, put, submit } = useBudgetForm();
  const { target, subject, unit, amount } = values;
  return (
    <form
      aria-label={t("usage.setBudget")}
      className="space-y-3"
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        void submit();
      }}
    >
      <div className="flex flex-wrap items-end gap-3">
        <Choice
          label={t("usage.for")}
          value={target}
          options={TARGETS.map((name) => [name, t(`usage.target.${name}`)])}
          onChange={(next) => {
            change({ target: next, subject: next === "role" ? "sales" : "" });
          }}
        />
        {target === "role" && (
          <Choice
            label={t("usage.group.role")}
            value={subject}
            options={ROLES.map((role) => [role, t(`role.${role}`)])}
            onChange={(next) => {
              change({ subject: next });
            }}
          />
        )}
        {target === "oneUser" && (
          <TextField
            label={t("usage.person")}
            value={subject}
            required
            error={unknown ? t("usage.nobody") : undefined}
            onChange={(event) => {
              change({ subject: event.target.value });
            }}
          />
        )}
        <Choice
          label={t("usage.unit")}
          value={unit}
          options={UNITS.map((name) => [name, t(`usage.units.${name}`)])}
          onChange={(next) => {
            change({ unit: next });
          }}
        />
        <TextField
          label={t("usage.limit")}
          inputMode="decimal"
          required
          value={amount}
          onChange={(event) => {
            change({ amount: event.target.value });
          }}
        />
        <Button type="submit" busy={put.isPending}>
          {t("usage.setBudget")}
        </Button>
      </div>
      {put.error && <ErrorNote error={put.error} />}
    </form>
  );
}

const UNITS = ["tokens", "cost"] as const;
type Values = { target: Target; subject: string; unit: BudgetInput["unit"]; amount: string };

function useBudgetForm() {
  const put = usePutBudget();
  const [values, setValues] = useState<Values>({ target: "installation", subject: "", unit: "tokens", amount: "" });
  const [unknown, setUnknown] = useState(false);
  const change = (next: Partial<Values>) => {
    setUnknown(false);
    setValues((now) => ({ ...now, ...next }));
  };
  const submit = async () => {
    const { target, subject, unit, amount } = values;
    // A person is named as one would type it, and known to the server by an id.
    const found = target === "oneUser" ? await findPerson(subject).catch(() => undefined) : subject;
    if (found === undefined) {
      setUnknown(true);
      return;
    }
    put.mutate(
      { ...scopeOf(target, found), unit, amount: amount.trim() },
      {
        onSuccess: () => {
          change({ amount: "" });
        },
      },
    );
  };
  return { values, change, unknown, put, submit };
}

function scopeOf(target: Target, subject: string): Pick<BudgetInput, "scope" | "subject"> {
  if (target === "installation") return { scope: "installation" };
  if (target === "everyUser") return { scope: "user" };
  return { scope: target === "role" ? "role" : "user", subject };
}

type ChoiceProps<T extends string> = {
  label: string;
  value: T;
  options: readonly (readonly [value: T, label: string])[];
  onChange: (value: T) => void;
};

function Choice<T extends string>({ label, value, options, onChange }: ChoiceProps<T>) {
  return (
    <SelectField
      label={label}
      value={value}
      onChange={(event) => {
        const chosen = options.find(([name]) => name === event.target.value);
        if (chosen) onChange(chosen[0]);
      }}
    >
      {options.map(([name, text]) => (
        <option key={name} value={name}>
          {text}
        </option>
      ))}
    </SelectField>
  );
}
