import { useTranslation } from "react-i18next";

import type { Quotation, QuotationItem } from "@/api/types";
import { RecordLink } from "@/components/ui/RecordLink";
import { cn } from "@/lib/cn";
import { useFormat, type MoneyValue } from "@/lib/format";
import { markedNode } from "@/lib/unseen";

const COLUMNS = ["line", "quantity", "unitPrice", "discount", "tax", "lineTotal"] as const;

/** The lines of a quotation and its totals, as the server computed them. */
export function QuotationItems({ quotation }: { quotation: Quotation }) {
  const { t } = useTranslation();
  const { items = [], currency } = quotation;
  if (items.length === 0) return <p className="text-sm text-muted">{t("quotations.noLines")}</p>;
  return (
    <>
      {/* Wider than a small screen: it is scrolled, by the keyboard too. */}
      <div
        role="region"
        aria-label={t("quotations.lines")}
        // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        className="overflow-x-auto"
      >
        <table className="w-full min-w-xl text-sm" aria-label={t("quotations.lines")}>
          <thead className="text-left text-xs text-muted">
            <tr>
              {COLUMNS.map((column) => (
                <th key={column} scope="col" className={cn("p-2 font-medium", column !== "line" && "text-right")}>
                  {t(`field.${column}`)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {items.map((item, index) => (
              <ItemRow key={index} item={item} currency={currency} />
            ))}
          </tbody>
        </table>
      </div>
      <Totals quotation={quotation} />
    </>
  );
}

const figure = "p-2 text-right whitespace-nowrap tabular-nums";

function ItemRow({ item, currency }: { item: QuotationItem; currency: string }) {
  const format = useFormat();
  const discount = useDiscountText()(item, currency);
  const { productId, sku, name, unit, quantity, unitPrice, taxPercent, lineTotal } = item;
  return (
    <tr className="border-t border-line">
      <td className="p-2">
        {productId ? <RecordLink record={{ type: "product", id: productId, name }} /> : markedNode(name)}
        {sku && <span className="block text-xs text-muted">{markedNode(sku)}</span>}
      </td>
      <td className={figure}>
        {quantity} {markedNode(unit)}
      </td>
      <td className={figure}>{format.cost({ amount: unitPrice, currency })}</td>
      <td className={figure}>{discount}</td>
      <td className={figure}>{`${taxPercent}%`}</td>
      <td className={figure}>{format.money(lineTotal)}</td>
    </tr>
  );
}

function Totals({ quotation }: { quotation: Quotation }) {
  const { t } = useTranslation();
  const format = useFormat();
  const discount = useDiscountText()(quotation, quotation.currency);
  const rows: [label: string, value: MoneyValue][] = [
    [t("field.subtotal"), quotation.subtotal],
    ...(discount ? [[t("quotations.discountOf", { discount }), quotation.discount] as [string, MoneyValue]] : []),
    [t("field.net"), quotation.net],
    [t("field.tax"), quotation.tax],
    [t("field.total"), quotation.total],
  ];
  return (
    <dl className="ml-auto grid max-w-xs grid-cols-[1fr_auto] gap-x-6 gap-y-1 px-2 text-sm">
      {rows.map(([label, value]) => (
        <div key={label} className="col-span-2 grid grid-cols-subgrid last:border-t last:border-line last:pt-1 last:font-semibold">
          <dt>{label}</dt>
          <dd className="text-right tabular-nums">{format.money(value)}</dd>
        </div>
      ))}
    </dl>
  );
}

type Discount = { discountPercent?: string; discountAmount?: string };

/** A discount as a person reads it; empty for none. */
function useDiscountText() {
  const format = useFormat();
  return ({ discountPercent, discountAmount }: Discount, currency: string) => {
    if (discountPercent) return `${discountPercent}%`;
    return discountAmount ? format.cost({ amount: discountAmount, currency }) : "";
  };
}
