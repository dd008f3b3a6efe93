import { useFormat } from "@/lib/format";
import type { UsageFigures } from "@/api/types";

/** What an unknown number is shown as: it is not zero. */
export const UNKNOWN = "–";

/** The costs of figures in all their currencies. */
export function useCostText() {
  const format = useFormat();
  return ({ costs }: Pick<UsageFigures, "costs">) => (costs?.length ? costs.map(format.cost).join(" + ") : UNKNOWN);
}
