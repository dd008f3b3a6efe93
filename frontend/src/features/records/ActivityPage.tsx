import { useTranslation } from "react-i18next";
import { Link, useParams } from "react-router-dom";

import { useActivity } from "@/api/records";
import { Facts, Page, Panel } from "@/components/ui/Page";
import { ErrorNote, Loading } from "@/components/ui/States";
import { useShowRecord } from "@/lib/currentRecord";
import { useFormat } from "@/lib/format";
import { recordPath } from "@/lib/routes";
import { marked, markedNode } from "@/lib/unseen";

export function ActivityPage() {
  const { id = "" } = useParams();
  const { t } = useTranslation();
  const format = useFormat();
  const activity = useActivity(id);
  useShowRecord("activity", activity.data && { id: activity.data.id, name: activity.data.subject });
  if (activity.isPending) return <Loading />;
  if (activity.error) {
    return (
      <Page title={t("activities.one")}>
        <ErrorNote error={activity.error} onRetry={() => void activity.refetch()} />
      </Page>
    );
  }
  const { kind, subject, body, at, ownerName, dealId, dealTitle, companyId, companyName } = activity.data;
  return (
    <Page title={subject}>
      <Panel title={t("activities.one")}>
        <Facts
          items={[
            [t("field.kind"), t(`activityKind.${kind}`, { defaultValue: kind })],
            [t("field.at"), format.dateTime(at)],
            [t("field.owner"), ownerName],
            [t("field.deal"), link("deal", dealId, dealTitle)],
            [t("field.company"), link("company", companyId, companyName)],
          ]}
        />
        {body && <p className="text-sm break-words whitespace-pre-wrap">{marked(body)}</p>}
      </Panel>
    </Page>
  );
}

function link(type: string, id: string | undefined, name: string | undefined) {
  const to = id && recordPath(type, id);
  return (
    to && (
      <Link key={type} className="text-accent hover:underline" to={to}>
        {markedNode(name)}
      </Link>
    )
  );
}
