import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";

import { Page } from "@/components/ui/Page";

export function NotFoundPage() {
  const { t } = useTranslation();
  return (
    <Page title={t("notFound.title")}>
      <p>{t("notFound.text")}</p>
      <Link className="text-accent underline" to="/deals">
        {t("notFound.link")}
      </Link>
    </Page>
  );
}
