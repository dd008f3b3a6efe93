import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";

import type { AIConfigTrial } from "@/api/types";
import { Button } from "@/components/ui/Button";
import { Icon, type IconName } from "@/components/ui/Icon";
import { Notice } from "@/components/ui/Notice";
import { ErrorNote } from "@/components/ui/States";
import { useFormat } from "@/lib/format";

import { STEPS, testConnection, verdictOf, type Step } from "./connectionTest";

/** A test that takes longer has failed. The server ends it sooner, and says where. */
export const TEST_LIMIT_MS = 15_000;

type State =
  | { phase: "idle" }
  | { phase: "running" | "done" | "cancelled" | "tooSlow"; steps: Step[] }
  | { phase: "error"; steps: Step[]; error: unknown };

type Props = {
  /** The values on screen, or undefined while they are not valid. */
  input: () => Promise<AIConfigTrial | undefined>;
};

/** Tries the values on screen, step by step, without saving them. */
export function ConnectionTest({ input }: Props) {
  const { t } = useTranslation();
  const { state, start, cancel } = useTest(input);
  const running = state.phase === "running";
  return (
    <div className="space-y-2">
      <div className="flex flex-wrap items-center gap-2">
        <Button busy={running} onClick={() => void start()}>
          {t("ai.test.start")}
        </Button>
        {running && <Button onClick={cancel}>{t("common.cancel")}</Button>}
        <p className="text-xs text-muted">{t("ai.test.hint")}</p>
      </div>
      {state.phase !== "idle" && <Steps steps={state.steps} running={running} />}
      <div role="status">{state.phase !== "idle" && <Outcome state={state} />}</div>
    </div>
  );
}

function useTest(input: Props["input"]) {
  const [state, setState] = useState<State>({ phase: "idle" });
  const abort = useRef<AbortController>(undefined);
  useEffect(() => () => abort.current?.abort(), []);
  const start = async () => {
    const values = await input();
    if (!values) return;
    abort.current?.abort();
    const cancelled = new AbortController();
    abort.current = cancelled;
    const limit = AbortSignal.timeout(TEST_LIMIT_MS);
    const steps: Step[] = [];
    setState({ phase: "running", steps: [] });
    const tell = (next: State) => {
      if (abort.current === cancelled) setState(next);
    };
    try {
      await testConnection(
        values,
        (step) => {
          steps.push(step);
          tell({ phase: "running", steps: [...steps] });
        },
        AbortSignal.any([cancelled.signal, limit]),
      );
      tell({ phase: "done", steps });
    } catch (error) {
      if (cancelled.signal.aborted) tell({ phase: "cancelled", steps });
      else if (limit.aborted) tell({ phase: "tooSlow", steps });
      else tell({ phase: "error", steps, error });
    }
  };
  return { state, start, cancel: () => abort.current?.abort() };
}

const ICONS: Record<Step["status"], { icon: IconName; className: string }> = {
  ok: { icon: "check", className: "text-good" },
  failed: { icon: "cross", className: "text-danger" },
  skipped: { icon: "dots", className: "text-muted" },
};

/** The steps that have been told, and the one that is being tried. */
function Steps({ steps, running }: { steps: readonly Step[]; running: boolean }) {
  const { t } = useTranslation();
  const format = useFormat();
  const next = running ? STEPS.find((name) => !steps.some(({ step }) => step === name)) : undefined;
  return (
    <ol className="space-y-1 text-sm">
      {steps.map(({ step, status, ms, message }) => (
        <li key={step} className="flex items-start gap-2" data-step={step} data-status={status}>
          <Icon name={ICONS[status].icon} className={`mt-0.5 size-4 ${ICONS[status].className}`} />
          <span className="min-w-0 break-words">
            {t(`ai.test.step.${step}`)} <span className="text-muted">{t(`ai.test.status.${status}`)}</span>
            {ms !== undefined && <span className="text-muted"> · {t("ai.test.ms", { ms: format.number(ms) })}</span>}
            {message && <span className="block text-muted">{message}</span>}
          </span>
        </li>
      ))}
      {next && (
        <li className="flex items-center gap-2 text-muted">
          <Icon name="spin" className="size-4 animate-spin motion-reduce:animate-none" />
          {t(`ai.test.step.${next}`)}
        </li>
      )}
    </ol>
  );
}

function Outcome({ state }: { state: Exclude<State, { phase: "idle" }> }) {
  const { t } = useTranslation();
  if (state.phase === "running") return null;
  if (state.phase === "error") return <ErrorNote error={state.error} />;
  if (state.phase !== "done") return <Notice look="warn">{t(`ai.test.${state.phase}`)}</Notice>;
  const verdict = verdictOf(state.steps);
  const look = { connected: "good", noTools: "warn", failed: "danger" } as const;
  return <Notice look={look[verdict]}>{t(`ai.test.verdict.${verdict}`)}</Notice>;
}
