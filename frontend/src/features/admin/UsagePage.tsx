import { useTranslation } from "react-i18next";

import { can, useMe } from "@/api/session";
import type { Usage, UsageFigures } from "@/api/types";
import { GROUPINGS, usageTableUrl, useUsage, type UsageQuery } from "@/api/usage";
import { SelectField, TextField } from "@/components/ui/Field";
import { Facts, Page } from "@/components/ui/Page";
import { Empty, ErrorNote, Loading } from "@/components/ui/States";
import { useFormat } from "@/lib/format";

import { UsageBudgets } from "./UsageBudgets";
import { UsageLimits } from "./UsageLimits";
import { UsageOutcomes } from "./UsageOutcomes";
import { UsagePrices } from "./UsagePrices";
import { UsageTable } from "./UsageTable";
import { useCostText } from "./usageText";
import { useUsageQuery } from "./useUsageQuery";

/** What the assistant has used: one's own, one's team's or everybody's, and for administrators what it may use. */
export function UsagePage() {
  const { t } = useTranslation();
  const me = useMe();
  const { query, outcomes, change } = useUsageQuery();
  const usage = useUsage(query);
  const mayChange = can(me.data, "ai-config:update");
  return (
    <Page title={t("usage.title")}>
      {usage.isPending && <Loading />}
      {usage.error && <ErrorNote error={usage.error} onRetry={() => void usage.refetch()} />}
      {usage.data && <Report usage={usage.data} query={query} stale={usage.isPlaceholderData} change={change} />}
      <UsageOutcomes
        query={outcomes}
        onGroup={(by) => {
          change({ outcomes: by });
        }}
      />
      {can(me.data, "ai-config:read") && (
        <>
          <UsageBudgets mayChange={mayChange} />
          {mayChange && <UsageLimits />}
          <UsagePrices mayChange={mayChange} />
        </>
      )}
    </Page>
  );
}

type ReportProps = {
  usage: Usage;
  query: UsageQuery;
  stale: boolean;
  change: (next: Partial<Record<keyof UsageQuery, string>>) => void;
};

function Report({ usage, query, stale, change }: ReportProps) {
  const { t } = useTranslation();
  const sumOf = useSum(usage.costShown);
  const day = (name: "from" | "to") => (
    <TextField
      key={`${name} ${usage[name]}`}
      label={t(`usage.${name}`)}
      type="date"
      defaultValue={usage[name]}
      onBlur={(event) => {
        if (event.target.value !== usage[name]) change({ [name]: event.target.value });
      }}
    />
  );
  return (
    <>
      <p className="text-sm text-muted">{t(`usage.scope.${usage.scope}`)}</p>
      <Facts
        items={[
          [t("usage.month"), sumOf(usage.month)],
          [t("usage.ever"), sumOf(usage.ever)],
          [t("usage.period"), sumOf(usage.total)],
        ]}
      />
      <div className="flex flex-wrap items-end gap-3">
        {day("from")}
        {day("to")}
        <SelectField
          label={t("usage.by")}
          value={query.by}
          onChange={(event) => {
            change({ by: event.target.value });
          }}
        >
          {GROUPINGS.map((by) => (
            <option key={by} value={by}>
              {t(`usage.group.${by}`)}
            </option>
          ))}
        </SelectField>
        <a className="py-2 text-sm text-accent hover:underline" href={usageTableUrl(query)} download>
          {t("usage.download")}
        </a>
      </div>
      {usage.lines.length === 0 ? <Empty title={t("usage.none")} /> : <UsageTable usage={usage} stale={stale} />}
    </>
  );
}

/** Tokens and cost in one line. */
function useSum(costShown: boolean) {
  const { t } = useTranslation();
  const format = useFormat();
  const costText = useCostText();
  return (figures: UsageFigures) => {
    const tokens = t("usage.tokens", { tokens: format.number(figures.promptTokens + figures.completionTokens) });
    return costShown ? `${tokens} · ${costText(figures)}` : tokens;
  };
}
