import { useState, type FormEvent } from "react";
import { useTranslation } from "react-i18next";

import type { ModelPrice, ModelPriceInput } from "@/api/types";
import { useAddPrice, useDeletePrice, usePrices } from "@/api/usage";
import { Button } from "@/components/ui/Button";
import { SelectField, TextField } from "@/components/ui/Field";
import { Panel } from "@/components/ui/Page";
import { ErrorNote } from "@/components/ui/States";
import { useFormat } from "@/lib/format";

/** What a million tokens cost, model by model. A price that has started stays: past costs do not change. */
export function UsagePrices({ mayChange }: { mayChange: boolean }) {
  const { t } = useTranslation();
  const prices = usePrices();
  const remove = useDeletePrice();
  const error = prices.error ?? remove.error;
  return (
    <Panel title={t("usage.prices")}>
      <p className="text-sm text-muted">{t("usage.pricesHint")}</p>
      {error && <ErrorNote error={error} />}
      <ul className="divide-y divide-line text-sm">
        {prices.data?.items.map((price) => (
          <Price
            key={price.id}
            price={price}
            onRemove={
              mayChange && new Date(price.startsAt) > new Date()
                ? () => {
                    remove.mutate(price.id);
                  }
                : undefined
            }
          />
        ))}
      </ul>
      {mayChange && <PriceForm />}
    </Panel>
  );
}

function Price({ price, onRemove }: { price: ModelPrice; onRemove: (() => void) | undefined }) {
  const { t } = useTranslation();
  const format = useFormat();
  const cost = (amount: string) => format.cost({ amount, currency: price.currency });
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 py-2">
      <span className="min-w-0 font-medium break-words">{`${price.provider}/${price.model}`}</span>
      <span className="tabular-nums">
        {t("usage.price", { input: cost(price.input), output: cost(price.output), cached: cost(price.cached) })}
      </span>
      <span className="text-muted">{t("usage.since", { when: format.dateTime(price.startsAt) })}</span>
      {onRemove && (
        <Button look="danger" size="small" onClick={onRemove}>
          {t("usage.remove")}
        </Button>
      )}
    </li>
  );
}

const AMOUNTS = ["input", "output", "cached"] as const;

function PriceForm() {
  const { t } = useTranslation();
  const add = useAddPrice();
  const [attempt, setAttempt] = useState(0);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    add.mutate(priceOf(new FormData(event.currentTarget)), {
      onSuccess: () => {
        setAttempt(attempt + 1);
      },
    });
  };
  return (
    <form key={attempt} onSubmit={submit} aria-label={t("usage.addPrice")} className="space-y-3">
      <div className="grid grid-cols-[repeat(auto-fill,minmax(min(9rem,100%),1fr))] items-end gap-3">
        <SelectField label={t("ai.provider")} name="provider">
          <option value="openai">{t("ai.providers.openai")}</option>
          <option value="anthropic">{t("ai.providers.anthropic")}</option>
        </SelectField>
        <TextField label={t("ai.model")} name="model" required spellCheck={false} />
        {AMOUNTS.map((name) => (
          <TextField
            key={name}
            label={t(`usage.amount.${name}`)}
            name={name}
            inputMode="decimal"
            required={name !== "cached"}
          />
        ))}
        <TextField label={t("usage.currency")} name="currency" defaultValue="USD" maxLength={3} />
        <TextField label={t("usage.startsAt")} name="startsAt" type="date" />
      </div>
      {add.error && <ErrorNote error={add.error} />}
      <Button type="submit" busy={add.isPending}>
        {t("usage.addPrice")}
      </Button>
    </form>
  );
}

function priceOf(data: FormData): ModelPriceInput {
  const text = (name: string) => {
    const value = data.get(name);
    return typeof value === "string" ? value.trim() : "";
  };
  const [cached, startsAt] = [text("cached"), text("startsAt")];
  return {
    provider: text("provider") === "anthropic" ? "anthropic" : "openai",
    model: text("model"),
    input: text("input"),
    output: text("output"),
    currency: text("currency"),
    ...(cached && { cached }),
    // A day begins in Hong Kong.
    ...(startsAt && { startsAt: `${startsAt}T00:00:00+08:00` }),
  };
}
