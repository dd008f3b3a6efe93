import { useTranslation } from "react-i18next";

import { usePipelines, type DealFilter } from "@/api/deals";
import { SelectField } from "@/components/ui/Field";
import { SearchField } from "@/components/ui/SearchField";

type Props = { filter: DealFilter; onChange: (next: Partial<DealFilter>) => void };

export function DealFilters({ filter, onChange }: Props) {
  const { t } = useTranslation();
  const pipelines = usePipelines().data?.items ?? [];
  const shown = filter.pipelineId ? pipelines.filter(({ id }) => id === filter.pipelineId) : pipelines;
  return (
    <div role="search" className="grid grid-cols-1 gap-3 sm:grid-cols-[1fr_12rem_12rem]">
      <SearchField
        label={t("common.search")}
        value={filter.q}
        onSearch={(q) => {
          onChange({ q });
        }}
      />
      <SelectField
        label={t("field.pipeline")}
        value={filter.pipelineId}
        onChange={(event) => {
          // A stage belongs to one pipeline.
          onChange({ pipelineId: event.target.value, stageId: "" });
        }}
      >
        <option value="">{t("common.all")}</option>
        {pipelines.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </SelectField>
      <SelectField
        label={t("field.stage")}
        value={filter.stageId}
        onChange={(event) => {
          onChange({ stageId: event.target.value });
        }}
      >
        <option value="">{t("common.all")}</option>
        {shown.map((pipeline) => (
          <optgroup key={pipeline.id} label={pipeline.name}>
            {pipeline.stages.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </optgroup>
        ))}
      </SelectField>
    </div>
  );
}
