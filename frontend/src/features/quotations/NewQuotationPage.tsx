import { useTranslation } from "react-i18next";
import { useNavigate, useSearchParams } from "react-router-dom";

import { useCompany } from "@/api/companies";
import { useDeal } from "@/api/deals";
import type { Deal } from "@/api/types";
import { Page, Panel } from "@/components/ui/Page";
import { Loading } from "@/components/ui/States";
import { useToast } from "@/components/ui/Toast";
import { recordPath } from "@/lib/routes";

import { QuotationForm, type About } from "./QuotationForm";

/** Drafts a quotation, on the deal of ?deal= or for the company of ?company= where there is one. */
export function NewQuotationPage() {
  const { t } = useTranslation();
  const toast = useToast();
  const navigate = useNavigate();
  const { about, loading, from } = useAbout();
  return (
    <Page title={t("quotations.new")}>
      <Panel title={t("quotations.facts")}>
        {loading ? (
          <Loading />
        ) : (
          <QuotationForm
            about={about}
            onSaved={({ id, name }) => {
              toast({ text: t("form.added", { name }) });
              void navigate(recordPath("quotation", id) ?? "", { replace: true });
            }}
            onCancel={() => void navigate(from ?? "/quotations")}
          />
        )}
      </Panel>
    </Page>
  );
}

/** What the quotation is for. A record that cannot be seen is left out. */
function useAbout(): { about: About; loading: boolean; from: string | undefined } {
  const [params] = useSearchParams();
  const dealId = params.get("deal") ?? "";
  const companyId = params.get("company") ?? "";
  const deal = useDeal(dealId);
  const company = useCompany(companyId);
  const about = { ...(company.data && { company: company.data }), ...(deal.data && ofDeal(deal.data)) };
  const from = dealId ? recordPath("deal", dealId) : recordPath("company", companyId);
  return { about, loading: deal.isLoading || company.isLoading, from: dealId || companyId ? from : undefined };
}

function ofDeal({ id, title, companyId, companyName, amount }: Deal): About {
  return {
    deal: { id, name: title },
    ...(companyId && { company: { id: companyId, name: companyName ?? "" } }),
    ...(amount && { currency: amount.currency }),
  };
}
