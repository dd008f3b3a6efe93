import { useTranslation } from "react-i18next";
import { Link, useParams } from "react-router-dom";

import { useCompany, useCompanyTimeline } from "@/api/companies";
import { useContacts } from "@/api/contacts";
import { useDeals } from "@/api/deals";
import { can, useMe } from "@/api/session";
import type { Company } from "@/api/types";
import { LinkButton } from "@/components/ui/LinkButton";
import { LinkedQuotations } from "@/components/ui/LinkedQuotations";
import { LinkedTasks } from "@/components/ui/LinkedTasks";
import { LoadMore } from "@/components/ui/LoadMore";
import { Masked, MaskedReason } from "@/components/ui/Masked";
import { Facts, Page, Panel } from "@/components/ui/Page";
import { ErrorNote, Loading } from "@/components/ui/States";
import { Timeline } from "@/components/ui/Timeline";
import { useShowRecord } from "@/lib/currentRecord";
import { useFormat } from "@/lib/format";
import { recordPath } from "@/lib/routes";
import { marked, markedNode } from "@/lib/unseen";

export function CompanyPage() {
  const { id = "" } = useParams();
  const { t } = useTranslation();
  const company = useCompany(id);
  const timeline = useCompanyTimeline(id);
  useShowRecord("company", company.data);
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
      <div className="grid items-start gap-5 lg:grid-cols-2">
        <Panel title={t("timeline.title")}>
          {timeline.isPending && <Loading />}
          {timeline.error && <ErrorNote error={timeline.error} onRetry={() => void timeline.refetch()} />}
          {timeline.data && <Timeline items={timeline.data.items} />}
        </Panel>
        <div className="space-y-5">
          <CompanyContacts companyId={id} />
          <Panel title={t("deals.title")}>
            <CompanyDeals companyId={id} />
          </Panel>
          <LinkedQuotations about="company" id={id} />
          <LinkedTasks about="company" id={id} />
        </div>
      </div>
    </Page>
  );
}

function CompanyFacts({ company }: { company: Company }) {
  const { t } = useTranslation();
  const format = useFormat();
  return (
    <Panel title={t("companies.facts")}>
      <Facts
        items={[
          [t("field.otherNames"), company.otherNames.join(" · ")],
          [t("field.status"), t(`companyStatus.${company.status}`, { defaultValue: company.status })],
          [t("field.industry"), company.industry],
          [t("field.phone"), company.phone && <Masked key="phone" record={company} field="phone" value={company.phone} />],
          [t("field.website"), company.website],
          [t("field.address"), company.address],
          [t("field.owner"), company.ownerName ?? t("companies.shared")],
          [t("field.tags"), company.tags.join(", ")],
          [t("field.notes"), company.notes],
          [t("field.updated"), format.dateTime(company.updatedAt)],
          [t("field.version"), format.number(company.version)],
        ]}
      />
      <MaskedReason record={company} />
    </Panel>
  );
}

function CompanyContacts({ companyId }: { companyId: string }) {
  const { t } = useTranslation();
  const me = useMe();
  if (!can(me.data, "contact:read")) return null;
  return (
    <Panel title={t("contacts.title")}>
      <ContactLines companyId={companyId} />
      {can(me.data, "contact:create") && (
        <LinkButton to={`/contacts/new?company=${encodeURIComponent(companyId)}`}>{t("contacts.new")}</LinkButton>
      )}
    </Panel>
  );
}

function ContactLines({ companyId }: { companyId: string }) {
  const { t } = useTranslation();
  const contacts = useContacts({ companyId });
  if (contacts.isPending) return <Loading />;
  if (contacts.error) return <ErrorNote error={contacts.error} onRetry={() => void contacts.refetch()} />;
  const items = contacts.data.pages.flatMap((page) => page.items);
  if (items.length === 0) return <p className="text-sm text-muted">{t("companies.noContacts")}</p>;
  return (
    <>
      <ul className="divide-y divide-line text-sm">
        {items.map(({ id, name, jobTitle }) => (
          <li key={id} className="flex flex-wrap justify-between gap-x-3 py-1.5">
            <Link className="min-h-6 text-accent hover:underline" to={recordPath("contact", id) ?? ""}>
              {marked(name)}
            </Link>
            <span className="text-muted">{markedNode(jobTitle)}</span>
          </li>
        ))}
      </ul>
      {contacts.hasNextPage && (
        <LoadMore
          shown={items.length}
          total={contacts.data.pages[0]?.total ?? items.length}
          hasMore
          busy={contacts.isFetchingNextPage}
          onMore={() => void contacts.fetchNextPage()}
        />
      )}
    </>
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
            {marked(deal.title)}
          </Link>
          <span className="text-muted">{[deal.stageName, format.money(deal.amount)].filter(Boolean).join(" · ")}</span>
        </li>
      ))}
    </ul>
  );
}
