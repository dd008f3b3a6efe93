import { useTranslation } from "react-i18next";
import { useNavigate, useParams } from "react-router-dom";

import { useApprovalRuleOptions, useApprovalRules } from "@/api/approvalRules";
import { Notice } from "@/components/ui/Notice";
import { Page, Panel } from "@/components/ui/Page";
import { ErrorNote, Loading } from "@/components/ui/States";
import { useToast } from "@/components/ui/Toast";

import { ApprovalRuleForm } from "./ApprovalRuleForm";

const LIST = "/admin/approval-rules";

/** Changes the rule that the address names. */
export function ApprovalRulePage() {
  const { id = "" } = useParams();
  const { t } = useTranslation();
  return (
    <Page title={t("rules.edit")}>
      <Panel title={t("rules.one")}>
        <Content key={id} id={id} />
      </Panel>
    </Page>
  );
}

function Content({ id }: { id: string }) {
  const { t } = useTranslation();
  const toast = useToast();
  const navigate = useNavigate();
  const rules = useApprovalRules();
  const options = useApprovalRuleOptions();
  const error = rules.error ?? options.error;
  if (error) return <ErrorNote error={error} onRetry={() => void Promise.all([rules.refetch(), options.refetch()])} />;
  if (!rules.data || !options.data) return <Loading />;
  const rule = rules.data.items.find((each) => each.id === id);
  if (!rule) return <Notice look="danger">{t("errors.NOT_FOUND")}</Notice>;
  return (
    <ApprovalRuleForm
      rule={rule}
      options={options.data}
      onSaved={() => {
        toast({ text: t("rules.saved") });
        void navigate(LIST, { replace: true });
      }}
      onCancel={() => void navigate(LIST)}
    />
  );
}
