import { useTranslation } from "react-i18next";

import { Button } from "@/components/ui/Button";
import { Icon } from "@/components/ui/Icon";
import { cn } from "@/lib/cn";
import { useStill } from "@/lib/hooks";

import type { Run } from "./streamReducer";

/** After this long without an event the panel says that it is still at work. */
export const SLOW_MS = 10_000;

type Props = {
  run: Run | null;
  /** Something else on screen says that the answer takes long. */
  quiet?: boolean;
  onStop: () => Promise<void>;
};

/** The one place that speaks: the thread itself is silent, or every token would be read out. */
export function PanelStatus({ run, quiet = false, onStop }: Props) {
  const { t } = useTranslation();
  const progress = run && !run.end ? `${run.runId} ${String(run.lastSeq)} ${run.phase}` : undefined;
  const slow = useStill(progress, SLOW_MS);
  const key = run && (slow && run.phase !== "reconnecting" ? "slow" : statusKey(run));
  const visible = (key === "slow" && !quiet) || key === "reconnecting";
  return (
    <div className={cn(visible && "flex min-h-9 items-center gap-2 border-t border-line px-3 text-xs text-muted")}>
      {visible && <Icon name="clock" />}
      <p role="status" className={cn(visible ? "flex-1" : "sr-only")}>
        {key ? t(`assistant.status.${key}`) : ""}
      </p>
      {visible && run?.turnId && (
        <Button look="quiet" size="small" onClick={() => void onStop().catch(() => undefined)}>
          <Icon name="stop" />
          {t("assistant.stop")}
        </Button>
      )}
    </div>
  );
}

function statusKey({ phase, end }: Run): string {
  if (phase === "reconnecting") return "reconnecting";
  if (!end) return "answering";
  if (end.kind !== "done") return "failed";
  if (end.reason === "awaiting_confirmation") return "waiting";
  return end.reason === "stopped" ? "stopped" : "complete";
}
