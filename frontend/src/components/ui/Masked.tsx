import { useTranslation } from "react-i18next";

import { markedNode } from "@/lib/unseen";

import { Badge } from "./Badge";

type Props = { record: { maskedFields?: string[] }; field: string; value: string | undefined };

/** A value of a record, marked where the server has hidden a part of it. */
export function Masked({ record, field, value }: Props) {
  const { t } = useTranslation();
  if (!record.maskedFields?.includes(field)) return markedNode(value);
  return (
    <span className="flex flex-wrap items-center gap-x-2">
      <span className="min-w-0 wrap-anywhere">{markedNode(value)}</span>
      <Badge>{t("common.masked")}</Badge>
    </span>
  );
}

/** Says why values are hidden, on a record that has some. */
export function MaskedReason({ record }: Pick<Props, "record">) {
  const { t } = useTranslation();
  if (!record.maskedFields?.length) return null;
  return <p className="text-xs text-muted">{t("common.maskedReason")}</p>;
}
