import { useEffect, useId, useState } from "react";
import { useTranslation } from "react-i18next";

import type { ToolCall, ToolStatus } from "@/api/types";
import { CopyButton } from "@/components/ui/CopyButton";
import { Icon, type IconName } from "@/components/ui/Icon";
import { cn } from "@/lib/cn";
import { useFormat } from "@/lib/format";
import { marked } from "@/lib/unseen";

const LOOKS: Record<ToolStatus, { icon: IconName; className: string }> = {
  preparing: { icon: "dots", className: "text-muted" },
  running: { icon: "spin", className: "text-accent" },
  ok: { icon: "check", className: "text-good" },
  failed: { icon: "cross", className: "text-danger" },
  denied: { icon: "ban", className: "text-danger" },
  stopped: { icon: "stop", className: "text-warn" },
  proposed: { icon: "hand", className: "text-warn" },
};

type Props = { call: ToolCall; open: boolean; onToggle: () => void };

/** One tool call: what it does, how it stands, and behind the caret what went in and came out. */
export function ToolPill({ call, open, onToggle }: Props) {
  const id = useId();
  const label = useToolLabel(call);
  return (
    <li className="rounded-lg border border-line bg-surface text-sm" data-tool={call.name} data-status={call.status}>
      <PillHead label={label} status={call.status} ms={call.ms} open={open} controls={id} onToggle={onToggle} />
      <ToolSummary call={call} />
      <div id={id} hidden={!open} className="space-y-2 border-t border-line p-2.5">
        {open && <ToolDetails call={call} />}
      </div>
    </li>
  );
}

/** What a tool does, in the language on screen; a tool that the client does not know in the server's words. */
export function useToolLabel(call: ToolCall | undefined): string {
  const { t } = useTranslation();
  return call ? t(`tool.${call.name}`, { defaultValue: call.label }) : "";
}

type HeadProps = {
  label: string;
  status: ToolStatus;
  ms: number | undefined;
  open: boolean;
  controls?: string;
  onToggle: () => void;
};

/** The line of a pill that opens it: a sign, words and, after a second, how long it takes. */
export function PillHead({ label, status, ms, open, controls, onToggle }: HeadProps) {
  const { t } = useTranslation();
  const { icon, className } = LOOKS[status];
  const runs = status === "running";
  return (
    <button
      type="button"
      aria-expanded={open}
      aria-controls={controls}
      className="flex min-h-8 w-full items-center gap-2 rounded-lg px-2.5 py-1 text-left hover:bg-raised pointer-coarse:min-h-11"
      onClick={onToggle}
    >
      <Icon name={icon} className={cn("size-4", className, runs && "animate-spin motion-reduce:animate-none")} />
      <span className="min-w-0 flex-1">
        <span className="font-medium">{label}</span> <span className="text-muted">{t(`toolStatus.${status}`)}</span>
        {runs ? <Elapsed /> : <Duration ms={ms} />}
      </span>
      <Icon name="caret" className={cn("size-4 text-muted transition-transform", open && "rotate-180")} />
    </button>
  );
}

/** Counts the seconds from now on. */
function Elapsed() {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => {
      setSeconds((before) => before + 1);
    }, 1_000);
    return () => {
      clearInterval(timer);
    };
  }, []);
  return <Duration ms={seconds * 1_000} />;
}

function Duration({ ms }: { ms: number | undefined }) {
  const { t } = useTranslation();
  const format = useFormat();
  if (!ms || ms < 1000) return null;
  return (
    <span className="text-muted">
      {" "}
      · {t("assistant.seconds", { seconds: format.number(Math.round(ms / 100) / 10) })}
    </span>
  );
}

function ToolSummary({ call: { status, summary, error } }: { call: ToolCall }) {
  const candidates = error?.candidates;
  const text = error?.message ?? summary;
  // The card of a proposal says the same, and more.
  if (!text || status === "proposed") return null;
  const bad = status === "failed" || status === "denied";
  return (
    <div className="px-2.5 pb-2 pl-8.5 text-sm break-words">
      <p className={cn("whitespace-pre-wrap", bad ? "text-danger" : "text-muted")}>{marked(text)}</p>
      {candidates && candidates.length > 0 && (
        <ul className="mt-1 list-disc pl-4">
          {candidates.map(({ id, name, detail }) => (
            <li key={id}>
              {marked(name)} {detail && <span className="text-muted">– {marked(detail)}</span>}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function ToolDetails({ call }: { call: ToolCall }) {
  const { t } = useTranslation();
  return (
    <>
      <p className="font-mono text-xs text-muted">{call.name}</p>
      <JSONBlock label={t("assistant.arguments")} value={call.args} />
      <JSONBlock label={t("assistant.result")} value={call.result} />
    </>
  );
}

function JSONBlock({ label, value }: { label: string; value: unknown }) {
  if (value === undefined || value === null) return null;
  const text = JSON.stringify(value, null, 2);
  return (
    <div>
      <div className="flex items-center justify-between">
        <p className="text-xs font-medium">{label}</p>
        <CopyButton text={text} />
      </div>
      {/* A scroll box must be reachable by keyboard. */}
      <pre
        // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        aria-label={label}
        role="group"
        className="max-h-60 overflow-auto rounded bg-raised p-2 font-mono text-xs"
      >
        {marked(text)}
      </pre>
    </div>
  );
}
