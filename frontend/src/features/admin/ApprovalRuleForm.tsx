import type { ChangeEvent } from "react";
import { useWatch } from "react-hook-form";
import { useTranslation } from "react-i18next";

import type { ApprovalRule, ApprovalRuleOptions } from "@/api/types";
import { SelectField, TextField } from "@/components/ui/Field";
import { RecordFormFrame } from "@/components/ui/RecordFormFrame";
import { useRecordForm } from "@/components/ui/useRecordForm";

import { EFFECTS, METRICS, NEW_RULE, ruleBody, ruleSchema, ruleValues, type RuleValues } from "./approvalRule";
import { useRuleText } from "./useRuleText";

type Props = {
  rule?: ApprovalRule;
  options: ApprovalRuleOptions;
  onSaved: () => void;
  onCancel: () => void;
};

export function ApprovalRuleForm({ rule, options, onSaved, onCancel }: Props) {
  const { t } = useTranslation();
  const text = useRuleText(options);
  const { form, submit, set, errorOf, storedOf, ...state } = useRecordForm({
    type: "approval-rule",
    schema: ruleSchema(options.tools),
    record: rule,
    start: NEW_RULE,
    valuesOf: ruleValues,
    displayOf: useDisplay(text),
    bodyOf: ruleBody,
    onSaved,
  });
  const values = useWatch({ control: form.control });
  const { tool, effect, metric, escalationRole } = values;
  const about = (name: keyof RuleValues, hint?: string) => ({
    label: t(`rules.field.${name}`),
    error: errorOf(name),
    hint: storedOf(name) ?? hint,
  });
  const field = (name: keyof RuleValues, hint?: string) => ({ ...about(name, hint), ...form.register(name) });
  const choice = (name: keyof RuleValues, hint?: string) => ({
    ...about(name, hint),
    value: values[name],
    onChange: (event: ChangeEvent<HTMLSelectElement>) => {
      set(name, event.target.value);
    },
  });
  const roles = options.roles.map(({ slug }) => [slug, text.roleName(slug)] as const);
  // One that is chosen already stays to be seen, and is refused with the reason.
  const approvers = (chosen: string | undefined) =>
    roles.filter(([slug]) => slug === chosen || mayApprove(options, slug, tool ?? ""));
  const hours = { inputMode: "numeric", className: "max-w-28" } as const;
  return (
    <RecordFormFrame
      {...state}
      action={t(rule ? "common.save" : "rules.add")}
      onSubmit={submit}
      onCancel={onCancel}
    >
      <SelectField {...choice("tool")}>
        <option value="">{t("rules.anything")}</option>
        <Options of={options.tools.map(({ name }) => [name, text.what(name)])} />
      </SelectField>
      <SelectField {...choice("role")}>
        <option value="">{t("rules.everybody")}</option>
        <Options of={roles} />
      </SelectField>
      <SelectField {...choice("effect", effect === "confirm" ? t("rules.confirmHint") : undefined)}>
        <Options of={EFFECTS.map((name) => [name, t(`rules.effect.${name}`)])} />
      </SelectField>
      {effect === "approve" && (
        <>
          <SelectField {...choice("approverRole", t("rules.approverHint"))}>
            <option value="">{t("rules.choose")}</option>
            <Options of={approvers(values.approverRole)} />
          </SelectField>
          <SelectField {...choice("metric")}>
            <option value="">{t("rules.always")}</option>
            <Options of={METRICS.map((name) => [name, t(`rules.metric.${name}`)])} />
          </SelectField>
          {metric && (
            <TextField {...field("threshold")} label={t(`rules.limit.${metric}`)} inputMode="decimal" />
          )}
          {metric === "amount" && (
            <TextField {...field("currency", t("rules.currencyHint"))} className="max-w-28" maxLength={3} />
          )}
          <TextField {...field("expiresAfterHours", t("rules.expiresHint"))} {...hours} />
          <SelectField {...choice("escalationRole")}>
            <option value="">{t("rules.nobody")}</option>
            <Options of={approvers(escalationRole)} />
          </SelectField>
          {escalationRole && <TextField {...field("escalatesAfterHours")} {...hours} />}
        </>
      )}
    </RecordFormFrame>
  );
}

/** Whether the server lets a role approve what a tool changes; for all tools together, what any of them changes. */
function mayApprove({ roles }: ApprovalRuleOptions, slug: string, tool: string): boolean {
  const approves = roles.find((role) => role.slug === slug)?.approves ?? [];
  return tool ? approves.includes(tool) : approves.length > 0;
}

function Options({ of }: { of: readonly (readonly [value: string, label: string])[] }) {
  return of.map(([value, label]) => (
    <option key={value} value={value}>
      {label}
    </option>
  ));
}

/** The fields of a rule as a person reads them. */
function useDisplay({ what, roleName }: ReturnType<typeof useRuleText>) {
  const { t } = useTranslation();
  return (rule: ApprovalRule): Record<keyof RuleValues, string> => ({
    ...ruleValues(rule),
    tool: what(rule.tool),
    role: rule.role ? roleName(rule.role) : t("rules.everybody"),
    effect: t(`rules.effect.${rule.effect}`),
    metric: rule.metric ? t(`rules.metric.${rule.metric}`) : t("rules.always"),
    approverRole: rule.approverRole && roleName(rule.approverRole),
    escalationRole: rule.escalationRole ? roleName(rule.escalationRole) : t("rules.nobody"),
  });
}
