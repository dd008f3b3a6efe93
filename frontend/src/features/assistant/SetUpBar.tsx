import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";

import { useAIConfig } from "@/api/aiConfig";

import { Bar } from "./Bar";

/** Tells somebody who may set up a model that there is none or that it fails, and where to see to it. Hidden while
 * something else says so. */
export function SetUpBar({ hidden = false }: { hidden?: boolean }) {
  const { t } = useTranslation();
  const { data } = useAIConfig();
  if (hidden || !data || (data.configured && !data.failing)) return null;
  return (
    <Bar text={t(data.failing ? "assistant.modelFails" : "assistant.noModel")}>
      <SetUpLink />
    </Bar>
  );
}

export function SetUpLink() {
  const { t } = useTranslation();
  return (
    <Link to="/admin/ai-config" className="inline-flex min-h-8 items-center font-medium underline">
      {t("assistant.setUp")}
    </Link>
  );
}
