import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";

import { useAIConfig } from "@/api/aiConfig";
import { Icon } from "@/components/ui/Icon";

/** Tells somebody who may set up a model that there is none or that it fails, and where to see to it. */
export function SetUpBar() {
  const { t } = useTranslation();
  const { data } = useAIConfig();
  if (!data || (data.configured && !data.failing)) return null;
  return (
    <p className="flex flex-wrap items-center gap-x-2 border-t border-line bg-warn-soft px-3 py-1.5 text-sm text-warn">
      <Icon name="warn" />
      <span className="flex-1">{t(data.failing ? "assistant.modelFails" : "assistant.noModel")}</span>
      <Link to="/admin/ai-config" className="inline-flex min-h-8 items-center font-medium underline">
        {t("assistant.setUp")}
      </Link>
    </p>
  );
}
