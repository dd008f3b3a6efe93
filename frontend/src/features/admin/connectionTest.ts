import { createParser } from "eventsource-parser";

import { send } from "@/api/client";
import type { AIConfigTrial } from "@/api/types";

/** What a test of the connection looks at, in this order. */
export const STEPS = ["connect", "auth", "model", "completion", "streaming", "tools", "usage"] as const;
export type StepName = (typeof STEPS)[number];
export type Step = { step: StepName; status: "ok" | "failed" | "skipped"; ms?: number; message?: string };

/**
 * Tests the values on screen without saving them; the stored key stands in for an empty one. Tells each
 * step as soon as the server does.
 */
export async function testConnection(
  body: AIConfigTrial,
  onStep: (step: Step) => void,
  signal: AbortSignal,
): Promise<void> {
  const response = await send("/api/ai/config/test", {
    method: "POST",
    body,
    accept: "text/event-stream",
    signal,
  });
  const parser = createParser({
    onEvent: ({ data }) => {
      const step: unknown = JSON.parse(data);
      if (isStep(step)) onStep(step);
    },
  });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  for (let chunk = await reader?.read(); chunk && !chunk.done; chunk = await reader?.read()) parser.feed(chunk.value);
}

function isStep(value: unknown): value is Step {
  return typeof value === "object" && value !== null && STEPS.includes((value as Step).step);
}

export type Verdict = "connected" | "noTools" | "failed";

/** Connected means that a completion worked; without tool calls the assistant can only talk. */
export function verdictOf(steps: readonly Step[]): Verdict {
  const passed = (name: StepName) => steps.some(({ step, status }) => step === name && status === "ok");
  if (!passed("completion")) return "failed";
  return passed("tools") ? "connected" : "noTools";
}
