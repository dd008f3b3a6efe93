import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";

/** A figure that no result of the conversation confirms: underlined with dots, and called so in words. */
export function Unverified({ children }: { children?: ReactNode }) {
  const { t } = useTranslation();
  return (
    <mark
      title={t("assistant.unverifiedHint")}
      className="bg-warn-soft text-inherit underline decoration-warn decoration-dotted decoration-2 underline-offset-2"
    >
      {children}
      <small className="ml-0.5 text-warn">{t("assistant.unverified")}</small>
    </mark>
  );
}
