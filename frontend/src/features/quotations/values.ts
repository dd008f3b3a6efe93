import type { Quotation, QuotationItem, QuotationLine } from "@/api/types";
import { emptyAsNull } from "@/components/ui/useRecordForm";
import { z } from "@/lib/zod";

// As the server reads them: models/scaled.go.
const NUMBER = /^(\d+|\d{1,3}(,\d{3})+)(\.\d{1,4})?$/;
const number = z
  .string()
  .trim()
  .refine((text) => text === "" || NUMBER.test(text), "quotations.numberInvalid");
const discount = z
  .string()
  .trim()
  .refine((text) => text === "" || NUMBER.test(text.replace(/\s*[%％]$/, "")), "quotations.discountInvalid");

const line = z
  .object({
    productId: z.string(),
    name: z.string().trim(),
    unit: z.string().trim(),
    quantity: number.refine((text) => text !== "", "common.required"),
    unitPrice: number,
    discount,
    taxPercent: number,
  })
  // What is left out is the product's.
  .refine(({ productId, name }) => productId || name, { path: ["name"], error: "quotations.nameOrProduct" })
  .refine(({ productId, unitPrice }) => productId || unitPrice, { path: ["unitPrice"], error: "common.required" });

export const schema = z.object({
  companyId: z.string().min(1, "common.required"),
  contactId: z.string(),
  dealId: z.string(),
  validUntil: z.string(),
  currency: z
    .string()
    .trim()
    .toUpperCase()
    .regex(/^[A-Z]{3}$/, "quotations.currencyInvalid"),
  discount,
  notes: z.string().trim(),
  items: z.array(line),
});
export type Values = z.infer<typeof schema>;
export type LineValues = Values["items"][number];

export const NEW_LINE: LineValues = {
  productId: "",
  name: "",
  unit: "",
  quantity: "1",
  unitPrice: "",
  discount: "",
  taxPercent: "",
};

export const NEW: Values = {
  companyId: "",
  contactId: "",
  dealId: "",
  validUntil: "",
  currency: "HKD",
  discount: "",
  notes: "",
  items: [],
};

export function valuesOf(quotation: Quotation): Values {
  const { companyId, contactId = "", dealId = "", validUntil = "", currency, notes = "", items = [] } = quotation;
  return {
    companyId,
    contactId,
    dealId,
    validUntil,
    currency,
    notes,
    discount: discountText(quotation),
    items: items.map(lineValuesOf),
  };
}

function lineValuesOf(item: QuotationItem): LineValues {
  const { productId = "", name, unit = "", quantity, unitPrice, taxPercent } = item;
  return { productId, name, unit, quantity, unitPrice, taxPercent, discount: discountText(item) };
}

/** The changed values as the server takes them. */
export function bodyOf({ discount, items, ...rest }: Partial<Values>): object {
  return {
    ...emptyAsNull(rest),
    ...(discount !== undefined && (discount ? discountOf(discount) : { discountPercent: null })),
    ...(items && { items: items.map(wireLine) }),
  };
}

function wireLine({ discount, quantity, ...rest }: LineValues): QuotationLine {
  const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== ""));
  return { quantity, ...given, ...(discount && discountOf(discount)) };
}

type Discount = { discountPercent?: string; discountAmount?: string };

/** Reads what a person wrote: "10%", or an amount such as "50.00". */
function discountOf(text: string): Discount {
  const percent = /^(.*?)\s*[%％]$/.exec(text)?.[1];
  return percent === undefined ? { discountAmount: text } : { discountPercent: percent };
}

function discountText({ discountPercent, discountAmount }: Discount): string {
  return discountPercent ? `${discountPercent}%` : (discountAmount ?? "");
}
