import { useTranslation } from "react-i18next";

import type { Quotation } from "@/api/types";
import { Facts, Panel } from "@/components/ui/Page";
import { QuotationStatus } from "@/components/ui/QuotationStatus";
import { RecordLink } from "@/components/ui/RecordLink";
import { useFormat } from "@/lib/format";

export function QuotationFacts({ quotation }: { quotation: Quotation }) {
  const { t } = useTranslation();
  const format = useFormat();
  const { companyId, companyName, contactId, contactName, dealId, dealTitle } = quotation;
  return (
    <Panel title={t("quotations.facts")}>
      <Facts
        items={[
          [t("field.status"), <QuotationStatus key="status" quotation={quotation} />],
          [t("field.total"), format.money(quotation.total)],
          [t("field.company"), link("company", companyId, companyName)],
          [t("field.contact"), link("contact", contactId, contactName)],
          [t("field.deal"), link("deal", dealId, dealTitle)],
          [t("field.owner"), quotation.ownerName],
          [t("field.validUntil"), format.date(quotation.validUntil)],
          [t("field.revision"), format.number(quotation.revision)],
          [t("field.sentAt"), format.dateTime(quotation.sentAt)],
          [t("field.decidedAt"), format.dateTime(quotation.decidedAt)],
          [t("field.notes"), quotation.notes],
          [t("field.updated"), format.dateTime(quotation.updatedAt)],
          [t("field.version"), format.number(quotation.version)],
        ]}
      />
    </Panel>
  );
}

function link(type: string, id: string | undefined, name: string | undefined) {
  return id && name && <RecordLink key={type} record={{ type, id, name }} />;
}
