import { useTranslation } from "react-i18next";

import { usePipelines } from "@/api/deals";
import type { Money } from "@/api/types";
import { useFormat } from "@/lib/format";
import { marked } from "@/lib/unseen";

/** Shows raw values of record fields: ids of stages become names, money and dates are formatted. */
export function useFieldValue(): (value: unknown) => string {
  const { t } = useTranslation();
  const format = useFormat();
  const pipelines = usePipelines().data?.items ?? [];
  const named = pipelines.flatMap((pipeline) => [pipeline, ...pipeline.stages]);
  const names = new Map(named.map(({ id, name }) => [id, name]));
  return (value) => {
    if (value === null || value === undefined || value === "") return t("common.emptyValue");
    if (isMoney(value)) return format.money(value);
    if (isTexts(value)) return marked(value.join(" · "));
    if (typeof value !== "string") return marked(JSON.stringify(value));
    if (/^\d{4}-\d\d-\d\d$/.test(value)) return format.date(value);
    if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) return format.dateTime(value);
    return marked(names.get(value) ?? value);
  };
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}

function isMoney(value: unknown): value is Money {
  return typeof value === "object" && value !== null && "amount" in value && "currency" in value;
}
