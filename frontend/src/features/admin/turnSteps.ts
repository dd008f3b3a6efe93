import type { InspectedCall, Inspection } from "@/api/types";

type ToolCall = Inspection["toolCalls"][number];

/** A call of the model with the tool calls that it led to. The last step may have no model call. */
export type TurnStep = { model?: InspectedCall; tools: readonly ToolCall[] };

/**
 * Puts the tool calls of a turn after the answers that asked for them: both are in the order in which they were made,
 * and only an answer that ended has its calls carried out. What no kept answer accounts for comes last.
 */
export function stepsOf({ modelCalls, toolCalls }: Pick<Inspection, "modelCalls" | "toolCalls">): TurnStep[] {
  let next = 0;
  const steps: TurnStep[] = modelCalls.map((model) => {
    const count = model.answer?.finish ? (model.answer.calls?.length ?? 0) : 0;
    const tools = toolCalls.slice(next, next + count);
    next += tools.length;
    return { model, tools };
  });
  const rest = toolCalls.slice(next);
  return rest.length > 0 ? [...steps, { tools: rest }] : steps;
}
