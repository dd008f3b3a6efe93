import type { ReactNode } from "react";

import { cn } from "@/lib/cn";

const LOOKS = {
  info: "bg-accent-soft text-text border-accent",
  warn: "bg-warn-soft text-warn border-warn",
  danger: "bg-danger-soft text-danger border-danger",
  good: "bg-good-soft text-good border-good",
} as const;

type Props = { look?: keyof typeof LOOKS; children: ReactNode; className?: string };

/** A framed sentence. Trouble is an alert, so that it is announced when it appears. */
export function Notice({ look = "info", children, className }: Props) {
  return (
    <div
      role={look === "danger" ? "alert" : undefined}
      className={cn("rounded-lg border-l-4 px-3 py-2 text-sm break-words", LOOKS[look], className)}
    >
      {children}
    </div>
  );
}
