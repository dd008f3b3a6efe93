import { useTranslation } from "react-i18next";

import type { ApprovalRule, ApprovalRuleOptions } from "@/api/types";
import { useFormat } from "@/lib/format";

/** Puts approval rules into sentences, with the names of tools and roles that the server gives for unknown ones. */
export function useRuleText({ tools, roles }: ApprovalRuleOptions) {
  const { t } = useTranslation();
  const format = useFormat();
  const what = (tool: string) =>
    tool
      ? t(`rules.what.${tool}`, { defaultValue: tools.find(({ name }) => name === tool)?.label ?? tool })
      : t("rules.anything");
  const roleName = (role: string) =>
    t(`role.${role}`, { defaultValue: roles.find(({ slug }) => slug === role)?.name ?? role });
  const person = (role: string) =>
    t(`rules.person.${role}`, { defaultValue: t("rules.personWith", { role: roleName(role) }) });
  const limit = ({ metric, threshold, currency }: ApprovalRule) =>
    metric === "amount" ? format.money({ amount: threshold, currency }) : format.number(Number(threshold));
  const sentence = (rule: ApprovalRule) => {
    const who = rule.role ? person(rule.role) : t("rules.anybody");
    const named = { what: what(rule.tool), who, approver: person(rule.approverRole) };
    if (rule.effect === "confirm") return t("rules.confirmSentence", named);
    if (!rule.metric) return t("rules.approveSentence", named);
    return t("rules.limitSentence", { ...named, above: t(`rules.above.${rule.metric}`, { limit: limit(rule) }) });
  };
  /** How long a change waits, and who may approve later; empty where nobody is waited for. */
  const waiting = ({ effect, expiresAfterHours, escalationRole, escalatesAfterHours }: ApprovalRule) => {
    if (effect === "confirm") return "";
    const waits = t("rules.waits", { count: expiresAfterHours });
    if (!escalationRole) return waits;
    return `${waits} ${t("rules.escalates", { count: escalatesAfterHours, who: person(escalationRole) })}`;
  };
  return { what, roleName, sentence, waiting };
}
