import { useTranslation } from "react-i18next";
import { useNavigate, useSearchParams } from "react-router-dom";

import { useCompany } from "@/api/companies";
import { Page, Panel } from "@/components/ui/Page";
import { Loading } from "@/components/ui/States";
import { useToast } from "@/components/ui/Toast";
import { recordPath } from "@/lib/routes";

import { ContactForm } from "./ContactForm";

/** Adds a contact, at the company of ?company= where there is one. */
export function NewContactPage() {
  const { t } = useTranslation();
  const toast = useToast();
  const navigate = useNavigate();
  const companyId = useSearchParams()[0].get("company") ?? "";
  const company = useCompany(companyId);
  return (
    <Page title={t("contacts.new")}>
      <Panel title={t("contacts.facts")}>
        {companyId && company.isPending ? (
          <Loading />
        ) : (
          <ContactForm
            company={company.data}
            onSaved={({ id, name }) => {
              toast({ text: t("form.added", { name }) });
              void navigate(recordPath("contact", id) ?? "", { replace: true });
            }}
            onCancel={() => void navigate((companyId && recordPath("company", companyId)) || "/contacts")}
          />
        )}
      </Panel>
    </Page>
  );
}
