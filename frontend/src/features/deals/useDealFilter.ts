import type { DealFilter } from "@/api/deals";
import { useUrlFilter } from "@/components/ui/useUrlFilter";

const DEFAULTS = { pipeline: "", stage: "", q: "" };

/** The filter of the deals list, whose pipeline and stage have shorter names in the URL. */
export function useDealFilter() {
  const { values, change, ...rest } = useUrlFilter(DEFAULTS);
  return {
    ...rest,
    filter: { pipelineId: values.pipeline, stageId: values.stage, q: values.q } satisfies DealFilter,
    change: ({ pipelineId, stageId, q }: Partial<DealFilter>) => {
      change({ pipeline: pipelineId, stage: stageId, q });
    },
  };
}
