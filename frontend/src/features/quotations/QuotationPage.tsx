import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useParams } from "react-router-dom";

import { useDeliveriesOf } from "@/api/deliveries";
import { useQuotation, useQuotationTimeline } from "@/api/quotations";
import { can, useMe } from "@/api/session";
import type { Quotation } from "@/api/types";
import { Button } from "@/components/ui/Button";
import { DeleteRecord } from "@/components/ui/DeleteRecord";
import { EmailStatus } from "@/components/ui/EmailStatus";
import { History } from "@/components/ui/History";
import { Icon } from "@/components/ui/Icon";
import { Notice } from "@/components/ui/Notice";
import { Page, Panel } from "@/components/ui/Page";
import { ErrorNote, Loading } from "@/components/ui/States";
import { Timeline } from "@/components/ui/Timeline";
import { useShowRecord } from "@/lib/currentRecord";
import { marked } from "@/lib/unseen";

import { QuotationFacts } from "./QuotationFacts";
import { QuotationForm } from "./QuotationForm";
import { QuotationItems } from "./QuotationItems";
import { Revise, StatusButtons } from "./QuotationSteps";

export function QuotationPage() {
  const { id = "" } = useParams();
  const { t } = useTranslation();
  const quotation = useQuotation(id);
  useShowRecord("quotation", quotation.data);
  if (quotation.isPending) return <Loading />;
  if (quotation.error) {
    return (
      <Page title={t("quotations.one")}>
        <ErrorNote error={quotation.error} onRetry={() => void quotation.refetch()} />
      </Page>
    );
  }
  return <QuotationView key={id} quotation={quotation.data} />;
}

function QuotationView({ quotation }: { quotation: Quotation }) {
  const { t } = useTranslation();
  const me = useMe();
  const [editing, setEditing] = useState(false);
  const edit = useRef<HTMLButtonElement>(null);
  const close = () => {
    setEditing(false);
    edit.current?.focus();
  };
  const { id, name, number, ownerId, status, supersededAt } = quotation;
  const draft = status === "DRAFT";
  const actions = (
    <div className="flex flex-wrap gap-2">
      {/* What is on screen is not yet what would be sent. */}
      {!editing && <StatusButtons quotation={quotation} />}
      {draft && can(me.data, "quotation:update", ownerId) && (
        <Button
          ref={edit}
          aria-expanded={editing}
          onClick={() => {
            setEditing(true);
          }}
        >
          <Icon name="pencil" />
          {t("common.edit")}
        </Button>
      )}
      <Revise quotation={quotation} />
      <DeleteRecord
        type="quotation"
        record={quotation}
        name={name}
        ownerId={ownerId}
        label={t("quotations.delete")}
        list="/quotations"
      />
    </div>
  );
  return (
    <Page title={name} actions={actions}>
      {supersededAt && (
        <Notice look="warn">
          {t("quotations.supersededHint")}{" "}
          <Link className="underline" to={`/quotations?q=${encodeURIComponent(number)}`}>
            {t("quotations.allRevisions")}
          </Link>
        </Notice>
      )}
      {editing ? (
        <Panel title={t("quotations.facts")}>
          <QuotationForm quotation={quotation} onSaved={close} onCancel={close} />
        </Panel>
      ) : (
        <>
          <QuotationFacts quotation={quotation} />
          <Panel title={t("quotations.lines")}>
            <QuotationItems quotation={quotation} />
          </Panel>
        </>
      )}
      <div className="grid items-start gap-5 lg:grid-cols-2">
        <QuotationEmails id={id} ownerId={ownerId} />
        <QuotationTimeline id={id} />
        <Panel title={t("history.title")}>
          <History type="quotation" id={id} />
        </Panel>
      </div>
    </Page>
  );
}

/** The e-mails with the quotation, if there are any. */
function QuotationEmails({ id, ownerId }: { id: string; ownerId: string }) {
  const { t } = useTranslation();
  const { data, error, refetch } = useDeliveriesOf(id);
  if (!error && !data?.items.length) return null;
  return (
    <Panel title={t("email.title")}>
      {error && <ErrorNote error={error} onRetry={() => void refetch()} />}
      <ul className="space-y-3 text-sm">
        {data?.items.map((email) => (
          <li key={email.id} tabIndex={-1} className="space-y-1 border-l-2 border-line pl-3 outline-offset-4">
            <p className="font-medium break-words">{marked(email.subject)}</p>
            <EmailStatus email={email} at={email.updatedAt} ownerId={ownerId} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function QuotationTimeline({ id }: { id: string }) {
  const { t } = useTranslation();
  const timeline = useQuotationTimeline(id);
  return (
    <Panel title={t("timeline.title")}>
      {timeline.isPending && <Loading />}
      {timeline.error && <ErrorNote error={timeline.error} onRetry={() => void timeline.refetch()} />}
      {timeline.data && <Timeline items={timeline.data.items} />}
    </Panel>
  );
}
