import { useTranslation } from "react-i18next";

import type { Quotation } from "@/api/types";
import { TextArea, TextField } from "@/components/ui/Field";
import { RecordFormFrame } from "@/components/ui/RecordFormFrame";
import { RecordPicker } from "@/components/ui/RecordPicker";
import { useRecordForm } from "@/components/ui/useRecordForm";
import { useFormat } from "@/lib/format";

import { LinesEditor } from "./LinesEditor";
import { bodyOf, NEW, schema, valuesOf, type Values } from "./values";

/** What a new quotation is for. */
export type About = {
  company?: { id: string; name: string };
  deal?: { id: string; name: string };
  currency?: string;
};

type Props = {
  /** The draft to change; a new one if missing. */
  quotation?: Quotation;
  about?: About;
  onSaved: (quotation: Quotation) => void;
  onCancel: () => void;
};

export function QuotationForm({ quotation, about = {}, onSaved, onCancel }: Props) {
  const { t } = useTranslation();
  const format = useFormat();
  const { form, submit, set, errorOf, storedOf, ...state } = useRecordForm({
    type: "quotation",
    schema,
    record: quotation,
    start: {
      ...NEW,
      companyId: about.company?.id ?? "",
      dealId: about.deal?.id ?? "",
      currency: about.currency ?? NEW.currency,
    },
    valuesOf,
    bodyOf,
    displayOf: (record) => ({
      ...valuesOf(record),
      companyId: record.companyName ?? "",
      contactId: record.contactName ?? "",
      dealId: record.dealTitle ?? "",
      validUntil: format.date(record.validUntil),
      items: (record.items ?? []).map(({ name, quantity }) => `${name} × ${quantity}`).join(" · "),
    }),
    onSaved,
  });
  const field = (name: keyof Values) => ({ error: errorOf(name), hint: storedOf(name), ...form.register(name) });
  const picker = (kind: "company" | "contact" | "deal", name = "") => (
    <RecordPicker
      kind={kind}
      label={t(`field.${kind}`)}
      name={name}
      error={errorOf(`${kind}Id`)}
      hint={storedOf(`${kind}Id`)}
      onChange={(id) => {
        set(`${kind}Id`, id);
      }}
    />
  );
  return (
    <RecordFormFrame
      {...state}
      action={t(quotation ? "common.save" : "quotations.create")}
      onSubmit={submit}
      onCancel={onCancel}
    >
      {picker("company", quotation ? quotation.companyName : about.company?.name)}
      {picker("deal", quotation ? quotation.dealTitle : about.deal?.name)}
      {picker("contact", quotation?.contactName)}
      <TextField label={t("field.validUntil")} type="date" {...field("validUntil")} />
      <TextField label={t("field.currency")} {...field("currency")} />
      <TextField
        label={t("quotations.discountOnAll")}
        {...field("discount")}
        error={errorOf("discount") ?? errorOf("discountPercent") ?? errorOf("discountAmount")}
        hint={storedOf("discount") ?? t("quotations.discountHint")}
      />
      <div className="space-y-4 sm:col-span-2">
        <LinesEditor form={form} errorOf={errorOf} hint={storedOf("items")} />
        <TextArea label={t("field.notes")} rows={3} {...field("notes")} />
      </div>
    </RecordFormFrame>
  );
}
