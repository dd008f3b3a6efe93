import { useTranslation } from "react-i18next";
import { useParams } from "react-router-dom";

import { useDeal, useDealTimeline } from "@/api/deals";
import type { Deal } from "@/api/types";
import { DeleteRecord } from "@/components/ui/DeleteRecord";
import { History } from "@/components/ui/History";
import { LinkedQuotations } from "@/components/ui/LinkedQuotations";
import { LinkedTasks } from "@/components/ui/LinkedTasks";
import { Facts, Page, Panel } from "@/components/ui/Page";
import { RecordLink } from "@/components/ui/RecordLink";
import { ErrorNote, Loading } from "@/components/ui/States";
import { Timeline } from "@/components/ui/Timeline";
import { useShowRecord } from "@/lib/currentRecord";
import { useFormat } from "@/lib/format";

import { StageBadge } from "./StageBadge";

export function DealPage() {
  const { id = "" } = useParams();
  const { t } = useTranslation();
  const deal = useDeal(id);
  const timeline = useDealTimeline(id);
  useShowRecord("deal", deal.data && { id: deal.data.id, name: deal.data.title });
  if (deal.isPending) return <Loading />;
  if (deal.error) {
    return (
      <Page title={t("deals.one")}>
        <ErrorNote error={deal.error} onRetry={() => void deal.refetch()} />
      </Page>
    );
  }
  const { title, ownerId } = deal.data;
  const actions = (
    <DeleteRecord
      type="deal"
      record={deal.data}
      name={title}
      ownerId={ownerId}
      label={t("deals.delete")}
      list="/deals"
    />
  );
  return (
    <Page title={title} actions={actions}>
      <DealFacts deal={deal.data} />
      <div className="grid items-start gap-5 lg:grid-cols-2">
        <div className="space-y-5">
          <LinkedQuotations about="deal" id={id} />
          <LinkedTasks about="deal" id={id} />
          <Panel title={t("timeline.title")}>
            {timeline.isPending && <Loading />}
            {timeline.error && <ErrorNote error={timeline.error} onRetry={() => void timeline.refetch()} />}
            {timeline.data && <Timeline items={timeline.data.items} />}
          </Panel>
        </div>
        <Panel title={t("history.title")}>
          <History type="deal" id={id} />
        </Panel>
      </div>
    </Page>
  );
}

function DealFacts({ deal }: { deal: Deal }) {
  const { t } = useTranslation();
  const format = useFormat();
  return (
    <Panel title={t("deals.facts")}>
      <Facts
        items={[
          [t("field.stage"), <StageBadge key="stage" deal={deal} />],
          [t("field.pipeline"), deal.pipelineName],
          [t("field.amount"), format.money(deal.amount)],
          [t("field.company"), link("company", deal.companyId, deal.companyName)],
          [t("field.product"), link("product", deal.productId, deal.productName)],
          [t("field.owner"), deal.ownerName],
          [t("field.expectedClose"), format.date(deal.expectedCloseDate)],
          [t("field.opened"), format.dateTime(deal.openedAt)],
          [t("field.closed"), format.dateTime(deal.closedAt)],
          [t("field.lostReason"), deal.lostReason],
          [t("field.externalId"), deal.externalId],
          [t("field.updated"), format.dateTime(deal.updatedAt)],
          [
            t("field.version"),
            <span key="version" data-testid="deal-version">
              {format.number(deal.version)}
            </span>,
          ],
        ]}
      />
    </Panel>
  );
}

function link(type: string, id: string | undefined, name: string | undefined) {
  return id && name && <RecordLink key={type} record={{ type, id, name }} />;
}
