import { useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { useFieldArray, type UseFormReturn } from "react-hook-form";
import { useTranslation } from "react-i18next";

import { productQuery } from "@/api/records";
import type { Product } from "@/api/types";
import { Button, IconButton } from "@/components/ui/Button";
import { TextField } from "@/components/ui/Field";
import { Icon } from "@/components/ui/Icon";
import { RecordPicker } from "@/components/ui/RecordPicker";

import { NEW_LINE, type LineValues, type Values } from "./values";

const MAX_LINES = 100;

const LINES = "items";
/** The path of a field of a line in the form. */
const lineField = <F extends string>(index: number, field: F) => `${LINES}.${index}.${field}` as const;

type Form = UseFormReturn<Values>;
type ErrorOf = (field: string) => string | undefined;

/** The lines of a draft: of a product, or in words of one's own. */
export function LinesEditor({ form, errorOf, hint }: { form: Form; errorOf: ErrorOf; hint: string | undefined }) {
  const { t } = useTranslation();
  const { fields, append, remove } = useFieldArray({ control: form.control, name: LINES });
  const add = useRef<HTMLButtonElement>(null);
  const error = errorOf(LINES);
  return (
    <section className="space-y-3">
      <h3 className="text-sm font-semibold">{t("quotations.lines")}</h3>
      {fields.length === 0 && <p className="text-sm text-muted">{t("quotations.noLines")}</p>}
      {fields.map((field, index) => (
        <LineFields
          key={field.id}
          form={form}
          index={index}
          line={field}
          errorOf={errorOf}
          onRemove={() => {
            remove(index);
            add.current?.focus();
          }}
        />
      ))}
      {hint && <p className="text-xs text-muted">{hint}</p>}
      {error && <p className="text-xs font-medium text-danger">{error}</p>}
      <Button
        ref={add}
        disabled={fields.length >= MAX_LINES}
        onClick={() => {
          append(NEW_LINE, { focusName: lineField(fields.length, "name") });
        }}
      >
        <Icon name="plus" />
        {t("quotations.addLine")}
      </Button>
      <p className="text-xs text-muted">{t("quotations.totalsHint")}</p>
    </section>
  );
}

type LineProps = { form: Form; index: number; line: LineValues; errorOf: ErrorOf; onRemove: () => void };

function LineFields({ form, index, line, errorOf, onRemove }: LineProps) {
  const { t } = useTranslation();
  const fill = useFillFromProduct(form, index);
  const title = t("quotations.line", { number: index + 1 });
  const field = (name: keyof LineValues) => ({
    error: errorOf(lineField(index, name)),
    ...form.register(lineField(index, name)),
  });
  const discount = field("discount");
  return (
    <fieldset className="relative rounded-lg border border-line p-3 pt-1">
      <legend className="px-1 text-xs text-muted">{title}</legend>
      <div className="grid grid-cols-2 gap-3 pr-11 sm:grid-cols-10">
        <div className="col-span-2 sm:col-span-4">
          <RecordPicker
            kind="product"
            label={t("field.product")}
            name={line.productId && line.name}
            error={errorOf(lineField(index, "productId"))}
            onChange={(id) => void fill(id)}
          />
        </div>
        <div className="col-span-2 sm:col-span-6">
          <TextField label={t("field.line")} {...field("name")} />
        </div>
        <div className="sm:col-span-2">
          <TextField label={t("field.quantity")} inputMode="decimal" {...field("quantity")} />
        </div>
        <div className="sm:col-span-2">
          <TextField label={t("field.unit")} {...field("unit")} />
        </div>
        <div className="sm:col-span-2">
          <TextField label={t("field.unitPrice")} inputMode="decimal" {...field("unitPrice")} />
        </div>
        <div className="sm:col-span-2">
          <TextField
            label={t("field.discount")}
            {...discount}
            error={
              discount.error ?? errorOf(lineField(index, "discountPercent")) ?? errorOf(lineField(index, "discountAmount"))
            }
          />
        </div>
        <div className="sm:col-span-2">
          <TextField label={t("field.taxPercent")} inputMode="decimal" {...field("taxPercent")} />
        </div>
      </div>
      <div className="absolute top-1 right-1">
        <IconButton label={t("quotations.removeLine", { number: index + 1 })} onClick={onRemove}>
          <Icon name="bin" />
        </IconButton>
      </div>
    </fieldset>
  );
}

/** Takes name, unit, price and tax of a product into a line, where they can be changed. */
function useFillFromProduct(form: Form, index: number) {
  const client = useQueryClient();
  const set = (name: keyof LineValues, value: string) => {
    form.setValue(lineField(index, name), value, { shouldDirty: true, shouldValidate: form.formState.isSubmitted });
  };
  return async (id: string) => {
    set("productId", id);
    if (!id) return;
    // The server takes them too, where the product cannot be read here.
    const product = await client.fetchQuery(productQuery(id)).catch(() => undefined);
    if (!product || form.getValues(lineField(index, "productId")) !== id) return;
    for (const [name, value] of Object.entries(taken(product, form.getValues("currency")))) {
      set(name as keyof LineValues, value);
    }
  };
}

function taken({ name, unit, price, taxRate }: Product, currency: string): Partial<LineValues> {
  return { name, unit, taxPercent: taxRate, unitPrice: price?.currency === currency ? price.amount : "" };
}
