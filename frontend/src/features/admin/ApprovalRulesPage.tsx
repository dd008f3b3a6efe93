import { useRef } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";

import { useApprovalRuleOptions, useApprovalRules } from "@/api/approvalRules";
import { useErrorText } from "@/api/errors";
import { useDeleteRecord } from "@/api/records";
import { can, useMe } from "@/api/session";
import type { ApprovalRule, ApprovalRuleOptions } from "@/api/types";
import { Button } from "@/components/ui/Button";
import { ConfirmDialog } from "@/components/ui/ConfirmDialog";
import { LinkButton } from "@/components/ui/LinkButton";
import { Page } from "@/components/ui/Page";
import { Empty, ErrorNote, Loading } from "@/components/ui/States";
import { useToast } from "@/components/ui/Toast";

import { useRuleText } from "./useRuleText";

/** The rules that ask for more than the code does, in sentences and in the order in which they are asked. */
export function ApprovalRulesPage() {
  const { t } = useTranslation();
  const me = useMe();
  const rules = useApprovalRules();
  const options = useApprovalRuleOptions();
  const error = rules.error ?? options.error;
  const mayChange = can(me.data, "approval-rule:update");
  const retry = () => {
    void rules.refetch();
    void options.refetch();
  };
  return (
    <Page
      title={t("rules.title")}
      actions={mayChange && <LinkButton to="/admin/approval-rules/new">{t("rules.new")}</LinkButton>}
    >
      {error && <ErrorNote error={error} onRetry={retry} />}
      {!error && (rules.isPending || options.isPending) && <Loading />}
      {rules.data && options.data && (
        <RuleList
          rules={rules.data.items}
          options={options.data}
          mayChange={mayChange}
          onDeleted={() => void rules.refetch()}
        />
      )}
    </Page>
  );
}

type ListProps = {
  rules: readonly ApprovalRule[];
  options: ApprovalRuleOptions;
  mayChange: boolean;
  onDeleted: () => void;
};

function RuleList({ rules, options, mayChange, onDeleted }: ListProps) {
  const { t } = useTranslation();
  const { sentence, waiting } = useRuleText(options);
  const home = useRef<HTMLDivElement>(null);
  const remove = useRemoveRule(() => {
    home.current?.focus();
    onDeleted();
  });
  return (
    <div ref={home} tabIndex={-1} className="space-y-3 outline-none">
      {rules.length === 0 ? (
        <Empty title={t("rules.none")}>
          <p className="text-sm text-muted">{t("rules.purpose")}</p>
        </Empty>
      ) : (
        <>
          <p className="text-sm text-muted">{t("rules.order")}</p>
          <ul className="divide-y divide-line rounded-xl border border-line bg-surface px-4">
            {rules.map((rule) => (
              <li key={rule.id} className="flex flex-wrap items-center justify-between gap-3 py-3">
                <div className="min-w-0 flex-1 basis-64">
                  <p className="text-sm font-medium break-words">{sentence(rule)}</p>
                  <p className="text-xs text-muted">{waiting(rule)}</p>
                </div>
                {mayChange && (
                  <RuleActions
                    rule={rule}
                    name={sentence(rule)}
                    onDelete={() => {
                      remove(rule);
                    }}
                  />
                )}
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

type ActionsProps = { rule: ApprovalRule; name: string; onDelete: () => void };

function RuleActions({ rule, name, onDelete }: ActionsProps) {
  const { t } = useTranslation();
  return (
    <div className="flex items-center gap-3">
      <Link
        to={`/admin/approval-rules/${encodeURIComponent(rule.id)}`}
        aria-label={t("rules.editOne", { name })}
        className="py-1 text-sm text-accent hover:underline"
      >
        {t("common.edit")}
      </Link>
      <ConfirmDialog
        trigger={
          <Button look="danger" size="small" aria-label={t("rules.deleteOne", { name })}>
            {t("common.delete")}
          </Button>
        }
        title={t("rules.deleteTitle")}
        description={t("rules.deleteText", { name })}
        action={t("rules.delete")}
        onConfirm={onDelete}
      />
    </div>
  );
}

/** Deletes a rule as it is on screen, and says how that went. */
function useRemoveRule(onSettled: () => void) {
  const { t } = useTranslation();
  const toast = useToast();
  const errorText = useErrorText();
  const remove = useDeleteRecord("approval-rule");
  return (rule: ApprovalRule) => {
    remove.mutate(rule, {
      onSuccess: () => {
        toast({ text: t("rules.deleted") });
      },
      onError: (error) => {
        toast({ text: errorText(error) });
      },
      onSettled,
    });
  };
}
