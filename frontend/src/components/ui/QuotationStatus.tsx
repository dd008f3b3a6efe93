import { useTranslation } from "react-i18next";

import type { Quotation, QuotationStatus as Status } from "@/api/types";

import { Badge, type BadgeLook } from "./Badge";

const LOOKS: Record<Status, BadgeLook> = {
  DRAFT: "neutral",
  SENT: "warn",
  ACCEPTED: "good",
  REJECTED: "danger",
  EXPIRED: "neutral",
};

/** The status of a quotation; one that a newer revision replaced says so instead. */
export function QuotationStatus({ quotation }: { quotation: Pick<Quotation, "status" | "supersededAt"> }) {
  const { t } = useTranslation();
  if (quotation.supersededAt) return <Badge>{t("quotations.superseded")}</Badge>;
  return <Badge look={LOOKS[quotation.status]}>{t(`quotationStatus.${quotation.status}`)}</Badge>;
}
