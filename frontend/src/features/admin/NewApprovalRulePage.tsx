import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router-dom";

import { useApprovalRuleOptions } from "@/api/approvalRules";
import { Page, Panel } from "@/components/ui/Page";
import { ErrorNote, Loading } from "@/components/ui/States";
import { useToast } from "@/components/ui/Toast";

import { ApprovalRuleForm } from "./ApprovalRuleForm";

const LIST = "/admin/approval-rules";

export function NewApprovalRulePage() {
  const { t } = useTranslation();
  const toast = useToast();
  const navigate = useNavigate();
  const options = useApprovalRuleOptions();
  return (
    <Page title={t("rules.new")}>
      <Panel title={t("rules.one")}>
        <p className="text-sm text-muted">{t("rules.purpose")}</p>
        {options.isPending && <Loading />}
        {options.error && <ErrorNote error={options.error} onRetry={() => void options.refetch()} />}
        {options.data && (
          <ApprovalRuleForm
            options={options.data}
            onSaved={() => {
              toast({ text: t("rules.added") });
              void navigate(LIST, { replace: true });
            }}
            onCancel={() => void navigate(LIST)}
          />
        )}
      </Panel>
    </Page>
  );
}
