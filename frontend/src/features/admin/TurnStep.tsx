import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";

import type { InspectedCall, Inspection } from "@/api/types";
import { Badge } from "@/components/ui/Badge";
import { Facts, Panel } from "@/components/ui/Page";
import { useFormat } from "@/lib/format";

import { TurnJSON, TurnText } from "./TurnText";
import { UNKNOWN, useDuration } from "./usageText";

/** One attempt to call the model: what it took, what it was shown, what it said. */
export function ModelCallStep({ call }: { call: InspectedCall }) {
  const { t } = useTranslation();
  const { request, answer } = call;
  return (
    <Panel title={call.purpose === "summary" ? t("turns.summary") : t("turns.call", { round: call.round, attempt: call.attempt })}>
      <CallFacts call={call} />
      {!request && !answer && <p className="text-sm text-muted">{t("turns.removed")}</p>}
      {request && <RequestDetails request={request} />}
      {answer && <AnswerDetails answer={answer} />}
    </Panel>
  );
}

function CallFacts({ call }: { call: InspectedCall }) {
  const { t } = useTranslation();
  const format = useFormat();
  const duration = useDuration();
  const count = (value: number | undefined) => (value === undefined ? UNKNOWN : format.number(value));
  const tokens = t("usage.detail", { input: count(call.promptTokens), output: count(call.completionTokens) });
  return (
    <Facts
      items={[
        [t("turns.error"), [call.errorKind, call.errorCode].filter(Boolean).join(" · ")],
        [t("turns.ended"), call.finish],
        [t("turns.model"), call.model],
        [t("turns.tokens"), call.estimated ? `${tokens} (${t("turns.estimated")})` : tokens],
        [t("turns.cost"), call.cost ? format.cost(call.cost) : UNKNOWN],
        [t("turns.firstToken"), duration(call.firstTokenMs)],
        [t("turns.duration"), duration(call.durationMs)],
      ]}
    />
  );
}

function RequestDetails({ request }: { request: NonNullable<InspectedCall["request"]> }) {
  const { t } = useTranslation();
  return (
    <Details title={t("turns.request")}>
      {request.cut && <Cut />}
      <Part title={t("turns.system")}>
        <TurnText text={request.system} />
      </Part>
      <p className="text-sm text-muted">
        {request.tools.length > 0 ? t("turns.tools", { names: request.tools.join(", ") }) : t("turns.noTools")}
      </p>
      {request.messages.map((message, at) => (
        <Part key={at} title={t(`turns.role.${message.role}`)}>
          {message.role === "tool" ? <TurnJSON value={message.text} /> : <TurnText text={message.text} />}
          <WantedCalls calls={message.calls} />
        </Part>
      ))}
    </Details>
  );
}

function AnswerDetails({ answer }: { answer: NonNullable<InspectedCall["answer"]> }) {
  const { t } = useTranslation();
  return (
    <>
      {answer.cut && <Cut />}
      {answer.text && (
        <Part title={t("turns.answer")}>
          <TurnText text={answer.text} />
        </Part>
      )}
      {answer.refusal && (
        <Part title={t("turns.refusal")}>
          <TurnText text={answer.refusal} />
        </Part>
      )}
      <WantedCalls calls={answer.calls} />
      {answer.reasoning && (
        <Details title={t("turns.reasoning")}>
          <TurnText text={answer.reasoning} />
        </Details>
      )}
    </>
  );
}

function WantedCalls({ calls = [] }: Pick<NonNullable<InspectedCall["answer"]>, "calls">) {
  const { t } = useTranslation();
  return calls.map((call, at) => (
    <Part key={at} title={t("turns.wants", { name: call.name })}>
      {call.invalid && <Badge look="danger">{call.invalid}</Badge>}
      <TurnJSON value={call.arguments} />
    </Part>
  ));
}

/** One tool call as it was carried out. */
export function ToolCallStep({ call }: { call: Inspection["toolCalls"][number] }) {
  const { t } = useTranslation();
  const duration = useDuration();
  return (
    <Panel title={t("turns.tool", { name: call.name })}>
      <Facts
        items={[
          [t("turns.status"), t(`toolStatus.${call.status}`)],
          [t("turns.duration"), duration(call.ms)],
        ]}
      />
      {call.summary && <p className="text-sm">{call.summary}</p>}
      <Part title={t("turns.arguments")}>
        <TurnJSON value={call.args} />
      </Part>
      {call.error !== undefined && (
        <Part title={t("turns.error")}>
          <TurnJSON value={call.error} />
        </Part>
      )}
      {call.result !== undefined && (
        <Details title={t("turns.result")}>
          <TurnJSON value={call.result} />
        </Details>
      )}
    </Panel>
  );
}

function Cut() {
  const { t } = useTranslation();
  return <p className="text-sm text-warn">{t("turns.cut")}</p>;
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="space-y-1">
      <h3 className="text-xs font-medium text-muted">{title}</h3>
      {children}
    </div>
  );
}

function Details({ title, children }: { title: string; children: ReactNode }) {
  return (
    <details className="rounded-lg border border-line p-3">
      <summary className="cursor-pointer text-sm font-medium">{title}</summary>
      <div className="mt-3 space-y-3">{children}</div>
    </details>
  );
}
