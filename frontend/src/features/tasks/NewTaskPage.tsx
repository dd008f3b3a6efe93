import { useTranslation } from "react-i18next";
import { useNavigate, useSearchParams } from "react-router-dom";

import { useCompany } from "@/api/companies";
import { useContact } from "@/api/contacts";
import { useDeal } from "@/api/deals";
import { Page, Panel } from "@/components/ui/Page";
import { Loading } from "@/components/ui/States";
import { useToast } from "@/components/ui/Toast";
import { recordPath } from "@/lib/routes";

import { TaskForm, type Links } from "./TaskForm";

/** Adds a task, about the record that the address names: ?deal=, ?company= or ?contact=. */
export function NewTaskPage() {
  const { t } = useTranslation();
  const toast = useToast();
  const navigate = useNavigate();
  const { about, loading, from } = useAbout();
  return (
    <Page title={t("tasks.new")}>
      <Panel title={t("tasks.one")}>
        {loading ? (
          <Loading />
        ) : (
          <TaskForm
            about={about}
            onSaved={({ id, title }) => {
              toast({ text: t("form.added", { name: title }) });
              void navigate(from ?? recordPath("task", id) ?? "", { replace: true });
            }}
            onCancel={() => void navigate(from ?? "/tasks")}
          />
        )}
      </Panel>
    </Page>
  );
}

/** What the task is about. A record that cannot be seen is left out. */
function useAbout(): { about: Links; loading: boolean; from: string | undefined } {
  const [params] = useSearchParams();
  const idOf = (kind: string) => params.get(kind) ?? "";
  const deal = useDeal(idOf("deal"));
  const company = useCompany(idOf("company"));
  const contact = useContact(idOf("contact"));
  const about: Links = {
    ...(deal.data && { deal: { id: deal.data.id, name: deal.data.title } }),
    ...(company.data && { company: company.data }),
    ...(contact.data && { contact: contact.data }),
  };
  const kind = (["deal", "company", "contact"] as const).find((each) => idOf(each));
  const loading = deal.isLoading || company.isLoading || contact.isLoading;
  return { about, loading, from: kind && recordPath(kind, idOf(kind)) };
}
