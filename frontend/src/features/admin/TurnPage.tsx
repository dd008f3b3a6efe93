import { useTranslation } from "react-i18next";
import { Link, useParams } from "react-router-dom";

import { useTurn } from "@/api/turns";
import type { Inspection } from "@/api/types";
import { Button } from "@/components/ui/Button";
import { Facts, Page, Panel } from "@/components/ui/Page";
import { ErrorNote, Loading } from "@/components/ui/States";
import { useFormat } from "@/lib/format";

import { ModelCallStep, ToolCallStep } from "./TurnStep";
import { stepsOf } from "./turnSteps";
import { TurnStatus } from "./TurnStatus";
import { TurnText } from "./TurnText";
import { useCostText, useDuration } from "./usageText";

/** All that was said and done in one turn. */
export function TurnPage() {
  const { t } = useTranslation();
  const { id = "" } = useParams();
  const turn = useTurn(id);
  return (
    <Page
      title={turn.data ? t("turns.one", { name: turn.data.userName }) : t("turns.title")}
      actions={
        <div className="flex items-center gap-3">
          <Link className="text-sm text-accent hover:underline" to="/admin/turns">
            {t("turns.back")}
          </Link>
          {turn.data?.status === "running" && (
            <Button busy={turn.isFetching} onClick={() => void turn.refetch()}>
              {t("turns.refresh")}
            </Button>
          )}
        </div>
      }
    >
      {turn.isPending && <Loading />}
      {turn.error && <ErrorNote error={turn.error} onRetry={() => void turn.refetch()} />}
      {turn.data && <Opened turn={turn.data} />}
    </Page>
  );
}

function Opened({ turn }: { turn: Inspection }) {
  const { t } = useTranslation();
  return (
    <>
      <p className="text-sm text-muted">{t("turns.recorded")}</p>
      <TurnFacts turn={turn} />
      <Panel title={t("turns.message")}>
        <TurnText text={turn.message} />
      </Panel>
      <section className="space-y-3" aria-label={t("turns.steps")}>
        <h2 className="text-sm font-semibold">{t("turns.steps")}</h2>
        <ol className="space-y-3">
          {stepsOf(turn).map(({ model, tools }) => (
            <li key={model?.id ?? "rest"} className="space-y-3">
              {model && <ModelCallStep call={model} />}
              {tools.map((call) => (
                <ToolCallStep key={call.callId} call={call} />
              ))}
            </li>
          ))}
        </ol>
      </section>
      <Panel title={t("turns.reply")}>
        <TurnText text={turn.reply} />
      </Panel>
    </>
  );
}

function TurnFacts({ turn }: { turn: Inspection }) {
  const { t } = useTranslation();
  const format = useFormat();
  const costText = useCostText();
  const duration = useDuration();
  return (
    <Facts
      items={[
        [t("turns.status"), <TurnStatus key="status" status={turn.status} />],
        [t("turns.ended"), [turn.reason, turn.code].filter(Boolean).join(" · ")],
        [t("turns.started"), format.dateTime(turn.startedAt)],
        [t("turns.duration"), duration(turn.durationMs)],
        [t("turns.channel"), t(`via.${turn.channel}`, { defaultValue: turn.channel })],
        [t("turns.model"), turn.model],
        [t("turns.rounds"), format.number(turn.rounds)],
        [t("turns.retries"), format.number(turn.retries)],
        [
          t("turns.tokens"),
          t("usage.detail", { input: format.number(turn.promptTokens), output: format.number(turn.completionTokens) }),
        ],
        [t("turns.cost"), costText(turn)],
      ]}
    />
  );
}
