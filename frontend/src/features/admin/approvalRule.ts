import type { ApprovalRule, ApprovalRuleOptions } from "@/api/types";
import { z } from "@/lib/zod";

export const METRICS = ["amount", "discount", "count"] as const;
export const EFFECTS = ["approve", "confirm"] as const;
const MAX_HOURS = 168;
const MAX_RECORDS = 10_000;

const fields = z.object({
  tool: z.string(),
  role: z.string(),
  effect: z.string(),
  metric: z.string(),
  threshold: z.string().trim(),
  currency: z.string().trim().toUpperCase(),
  approverRole: z.string(),
  expiresAfterHours: z.string().trim(),
  escalationRole: z.string(),
  escalatesAfterHours: z.string().trim(),
});
export type RuleValues = z.infer<typeof fields>;

export const NEW_RULE: RuleValues = {
  tool: "",
  role: "",
  effect: "approve",
  metric: "",
  threshold: "",
  currency: "HKD",
  approverRole: "",
  expiresAfterHours: "24",
  escalationRole: "",
  escalatesAfterHours: "",
};

/** What the form demands before the server is asked. Fields that are not on screen count as empty. */
export function ruleSchema(tools: ApprovalRuleOptions["tools"]) {
  return fields.transform(onScreen).superRefine((values, context) => {
    for (const [field, message] of wrongWith(values, tools)) {
      context.addIssue({ code: "custom", path: [field], message });
    }
  });
}

// Only an approval has a limit, approvers and hours; each of the narrower fields needs the wider one before it.
function onScreen({ tool, role, effect, ...rest }: RuleValues): RuleValues {
  if (effect === "confirm") {
    const none = { threshold: "", currency: "", approverRole: "", escalationRole: "", escalatesAfterHours: "" };
    return { tool, role, effect, metric: "", expiresAfterHours: "", ...none };
  }
  return {
    ...{ tool, role, effect, ...rest },
    threshold: rest.metric && rest.threshold.replaceAll(",", ""),
    currency: rest.metric === "amount" ? rest.currency : "",
    escalatesAfterHours: rest.escalationRole && rest.escalatesAfterHours,
  };
}

type Wrong = [field: keyof RuleValues, message: string];

function wrongWith(values: RuleValues, tools: ApprovalRuleOptions["tools"]): Wrong[] {
  if (values.effect === "confirm") {
    const asks = tools.some(({ name, runsAtOnce }) => name === values.tool && !runsAtOnce);
    return asks ? [["effect", "rules.asksAlready"]] : [];
  }
  return [...wrongLimit(values), ...wrongApprovers(values)];
}

function wrongLimit({ metric, threshold, currency }: RuleValues): Wrong[] {
  const wrong: Wrong[] = [];
  if (metric === "amount") {
    if (!/^\d+(\.\d+)?$/.test(threshold)) wrong.push(["threshold", "rules.amountInvalid"]);
    if (!/^[A-Z]{3}$/.test(currency)) wrong.push(["currency", "rules.currencyInvalid"]);
  }
  const percent = /^\d+(\.\d{1,2})?$/.test(threshold) && Number(threshold) <= 100;
  if (metric === "discount" && !percent) wrong.push(["threshold", "rules.percentInvalid"]);
  if (metric === "count" && !wholeBetween(threshold, 1, MAX_RECORDS)) wrong.push(["threshold", "rules.countInvalid"]);
  return wrong;
}

function wrongApprovers(values: RuleValues): Wrong[] {
  const { approverRole, expiresAfterHours, escalationRole, escalatesAfterHours } = values;
  const wrong: Wrong[] = [];
  if (!approverRole) wrong.push(["approverRole", "rules.approverMissing"]);
  if (!wholeBetween(expiresAfterHours, 1, MAX_HOURS)) wrong.push(["expiresAfterHours", "rules.hoursInvalid"]);
  if (escalationRole && escalationRole === approverRole) wrong.push(["escalationRole", "rules.sameRole"]);
  if (escalationRole && !wholeBetween(escalatesAfterHours, 1, Number(expiresAfterHours) - 1)) {
    wrong.push(["escalatesAfterHours", "rules.escalatesInvalid"]);
  }
  return wrong;
}

function wholeBetween(text: string, least: number, most: number): boolean {
  return /^\d+$/.test(text) && Number(text) >= least && Number(text) <= most;
}

/** A rule as the fields hold it. Hours are empty where there are none. */
export function ruleValues(rule: ApprovalRule): RuleValues {
  const { tool, role, effect, metric, threshold, currency, approverRole, escalationRole } = rule;
  return {
    ...{ tool, role, effect, metric, threshold, currency, approverRole, escalationRole },
    expiresAfterHours: hoursText(rule.expiresAfterHours),
    escalatesAfterHours: hoursText(rule.escalatesAfterHours),
  };
}

const hoursText = (hours: number) => (hours ? String(hours) : "");

/** Changed values as the server takes them: hours are numbers, and what is empty stays a text. */
export function ruleBody({ expiresAfterHours, escalatesAfterHours, ...texts }: Partial<RuleValues>): object {
  return {
    ...texts,
    ...(expiresAfterHours !== undefined && { expiresAfterHours: Number(expiresAfterHours) }),
    ...(escalatesAfterHours !== undefined && { escalatesAfterHours: Number(escalatesAfterHours) }),
  };
}
