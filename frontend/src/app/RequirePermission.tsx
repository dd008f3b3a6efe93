import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";

import { can, useMe } from "@/api/session";
import { Notice } from "@/components/ui/Notice";
import { Page } from "@/components/ui/Page";

/** Shows a page to those who may read it. The server refuses the data either way. */
export function RequirePermission({ permission, children }: { permission: string; children: ReactNode }) {
  const { t } = useTranslation();
  const me = useMe();
  if (can(me.data, permission)) return children;
  return (
    <Page title={t("forbidden.title")}>
      <Notice look="warn">{t("errors.FORBIDDEN")}</Notice>
    </Page>
  );
}
