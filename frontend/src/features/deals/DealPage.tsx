import { useTranslation } from "react-i18next";
import { Link, useNavigate, useParams } from "react-router-dom";

import { useDeal, useDealTimeline, useDeleteDeal, useRestoreDeal } from "@/api/deals";
import { useErrorText } from "@/api/errors";
import { can, useMe } from "@/api/session";
import type { Deal } from "@/api/types";
import { Button } from "@/components/ui/Button";
import { ConfirmDialog } from "@/components/ui/ConfirmDialog";
import { Facts, Page, Panel } from "@/components/ui/Page";
import { ErrorNote, Loading } from "@/components/ui/States";
import { Timeline } from "@/components/ui/Timeline";
import { useToast } from "@/components/ui/Toast";
import { useFormat } from "@/lib/format";
import { recordPath } from "@/lib/routes";

import { DealHistory } from "./DealHistory";
import { StageBadge } from "./StageBadge";

export function DealPage() {
  const { id = "" } = useParams();
  const { t } = useTranslation();
  const deal = useDeal(id);
  const timeline = useDealTimeline(id);
  if (deal.isPending) return <Loading />;
  if (deal.error) {
    return (
      <Page title={t("deals.one")}>
        <ErrorNote error={deal.error} onRetry={() => void deal.refetch()} />
      </Page>
    );
  }
  return (
    <Page title={deal.data.title} actions={<DeleteDeal deal={deal.data} />}>
      <DealFacts deal={deal.data} />
      <div className="grid gap-5 lg:grid-cols-2">
        <Panel title={t("timeline.title")}>
          {timeline.isPending && <Loading />}
          {timeline.error && <ErrorNote error={timeline.error} onRetry={() => void timeline.refetch()} />}
          {timeline.data && <Timeline items={timeline.data.items} />}
        </Panel>
        <Panel title={t("history.title")}>
          <DealHistory id={id} />
        </Panel>
      </div>
    </Page>
  );
}

function DealFacts({ deal }: { deal: Deal }) {
  const { t } = useTranslation();
  const format = useFormat();
  const company = deal.companyId && recordPath("company", deal.companyId);
  const product = deal.productId && recordPath("product", deal.productId);
  return (
    <Panel title={t("deals.facts")}>
      <Facts
        items={[
          [t("field.stage"), <StageBadge key="stage" deal={deal} />],
          [t("field.pipeline"), deal.pipelineName],
          [t("field.amount"), format.money(deal.amount)],
          [t("field.company"), company && <RecordLink key="company" to={company} name={deal.companyName} />],
          [t("field.product"), product && <RecordLink key="product" to={product} name={deal.productName} />],
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

function RecordLink({ to, name }: { to: string; name: string | undefined }) {
  return (
    <Link className="text-accent hover:underline" to={to}>
      {name}
    </Link>
  );
}

function DeleteDeal({ deal }: { deal: Deal }) {
  const { t } = useTranslation();
  const me = useMe();
  const remove = useDeleteDeal();
  const restore = useRestoreDeal();
  const toast = useToast();
  const navigate = useNavigate();
  const errorText = useErrorText();
  if (!can(me.data, "deal:delete", deal.ownerId)) return null;
  const mayUndo = can(me.data, "deal:restore", deal.ownerId);
  // This page is gone when Undo is pressed, and with it the callbacks of mutate: a promise still answers.
  const undo = () => {
    restore.mutateAsync(deal.id).then(
      () => {
        toast({ text: t("deals.restored", { title: deal.title }) });
      },
      (error: unknown) => {
        toast({ text: errorText(error) });
      },
    );
  };
  const onConfirm = () => {
    remove.mutate(deal, {
      onSuccess: () => {
        void navigate("/deals");
        const text = t("deals.deleted", { title: deal.title });
        toast(mayUndo ? { text, action: { label: t("common.undo"), run: undo } } : { text });
      },
      onError: (error) => {
        toast({ text: errorText(error) });
      },
    });
  };
  return (
    <ConfirmDialog
      trigger={
        <Button look="danger" busy={remove.isPending}>
          {t("deals.delete")}
        </Button>
      }
      title={t("deals.deleteTitle", { title: deal.title })}
      description={t("deals.deleteText")}
      action={t("deals.delete")}
      onConfirm={onConfirm}
    />
  );
}
