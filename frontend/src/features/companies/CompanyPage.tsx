import { useTranslation } from "react-i18next";
import { Link, useParams } from "react-router-dom";

import { useCompany, useCompanyTimeline } from "@/api/companies";
import { useDeals } from "@/api/deals";
import type { Company } from "@/api/types";
import { Facts, Page, Panel } from "@/components/ui/Page";
import { ErrorNote, Loading } from "@/components/ui/States";
import { Timeline } from "@/components/ui/Timeline";
import { useFormat } from "@/lib/format";
import { recordPath } from "@/lib/routes";

export function CompanyPage() {
  const { id = "" } = useParams();
  const { t } = useTranslation();
  const company = useCompany(id);
  const timeline = useCompanyTimeline(id);
  if (company.isPending) return <Loading />;
  if (company.error) {
    return (
      <Page title={t("companies.one")}>
        <ErrorNote error={company.error} onRetry={() => void company.refetch()} />
      </Page>
    );
  }
  return (
    <Page title={company.data.name}>
      <CompanyFacts company={company.data} />
      <div className="grid gap-5 lg:grid-cols-2">
        <Panel title={t("timeline.title")}>
          {timeline.isPending && <Loading />}
          {timeline.error && <ErrorNote error={timeline.error} onRetry={() => void timeline.refetch()} />}
          {timeline.data && <Timeline items={timeline.data.items} />}
        </Panel>
        <Panel title={t("deals.title")}>
          <CompanyDeals companyId={id} />
        </Panel>
      </div>
    </Page>
  );
}

function CompanyFacts({ company }: { company: Company }) {
  const { t } = useTranslation();
  const format = useFormat();
  const masked = company.maskedFields?.includes("phone");
  return (
    <Panel title={t("companies.facts")}>
      <Facts
        items={[
          [t("field.otherNames"), company.otherNames.join(" · ")],
          [t("field.status"), t(`companyStatus.${company.status}`, { defaultValue: company.status })],
          [t("field.industry"), company.industry],
          [t("field.phone"), masked ? `${company.phone ?? ""} (${t("common.masked")})` : company.phone],
          [t("field.website"), company.website],
          [t("field.address"), company.address],
          [t("field.owner"), company.ownerName ?? t("companies.shared")],
          [t("field.tags"), company.tags.join(", ")],
          [t("field.notes"), company.notes],
          [t("field.updated"), format.dateTime(company.updatedAt)],
          [t("field.version"), format.number(company.version)],
        ]}
      />
    </Panel>
  );
}

function CompanyDeals({ companyId }: { companyId: string }) {
  const { t } = useTranslation();
  const format = useFormat();
  const deals = useDeals({ companyId, pipelineId: "", stageId: "", q: "" });
  if (deals.isPending) return <Loading />;
  if (deals.error) return <ErrorNote error={deals.error} onRetry={() => void deals.refetch()} />;
  const items = deals.data.pages.flatMap((page) => page.items);
  if (items.length === 0) return <p className="text-sm text-muted">{t("companies.noDeals")}</p>;
  return (
    <ul className="divide-y divide-line text-sm">
      {items.map((deal) => (
        <li key={deal.id} className="flex flex-wrap justify-between gap-x-3 py-1.5">
          <Link className="min-h-6 text-accent hover:underline" to={recordPath("deal", deal.id) ?? ""}>
            {deal.title}
          </Link>
          <span className="text-muted">{[deal.stageName, format.money(deal.amount)].filter(Boolean).join(" · ")}</span>
        </li>
      ))}
    </ul>
  );
}
