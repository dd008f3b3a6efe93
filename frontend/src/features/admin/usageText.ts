import { useTranslation } from "react-i18next";

import { useFormat } from "@/lib/format";
import type { UsageFigures } from "@/api/types";

/** What an unknown number is shown as: it is not zero. */
export const UNKNOWN = "–";

/** The costs of figures in all their currencies. */
export function useCostText() {
  const format = useFormat();
  return ({ costs }: Pick<UsageFigures, "costs">) => (costs?.length ? costs.map(format.cost).join(" + ") : UNKNOWN);
}

/** A time in milliseconds as a person reads it: from one second on in seconds. */
export function useDuration() {
  const { t } = useTranslation();
  const format = useFormat();
  return (ms: number | undefined) => {
    if (ms === undefined) return UNKNOWN;
    if (ms < 1_000) return t("usage.ms", { ms: format.number(ms) });
    return t("usage.seconds", { seconds: format.number(Math.round(ms / 100) / 10) });
  };
}
