import { useTranslation } from "react-i18next";

export function DemoBanner() {
  const { t } = useTranslation();
  return <p className="bg-warn-soft px-4 py-1.5 text-center text-xs font-medium text-warn">{t("demo.banner")}</p>;
}
