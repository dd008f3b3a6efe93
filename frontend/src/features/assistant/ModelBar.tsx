import { useTranslation } from "react-i18next";

import type { ModelStatus } from "@/api/types";
import { Button } from "@/components/ui/Button";

import { Bar } from "./Bar";
import { SetUpLink } from "./SetUpBar";

type Props = {
  /** Undefined while the model can be asked. */
  down: ModelStatus | undefined;
  /** The model keeps the person waiting. */
  overdue: boolean;
  canSetUp: boolean;
  onStopAndSearch: () => void;
};

/** Tells everybody that the model does not answer and what works instead. */
export function ModelBar({ down, overdue, canSetUp, onStopAndSearch }: Props) {
  const { t } = useTranslation();
  // The region is there before its words, or they would not be read out.
  return (
    <div role="status" data-testid="model-bar">
      {overdue ? (
        <Bar text={t("assistant.overdue")}>
          <Button size="small" onClick={onStopAndSearch}>
            {t("assistant.stopAndSearch")}
          </Button>
        </Bar>
      ) : (
        down && (
          <Bar text={t(down.code === "BUDGET_REACHED" ? "assistant.downBudget" : "assistant.down")}>
            {canSetUp && <SetUpLink />}
          </Bar>
        )
      )}
    </div>
  );
}
