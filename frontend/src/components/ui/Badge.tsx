import type { ReactNode } from "react";

const LOOKS = {
  neutral: "bg-raised text-text",
  good: "bg-good-soft text-good",
  danger: "bg-danger-soft text-danger",
  warn: "bg-warn-soft text-warn",
} as const;

export type BadgeLook = keyof typeof LOOKS;

export function Badge({ look = "neutral", children }: { look?: BadgeLook; children: ReactNode }) {
  return (
    <span className={`inline-block rounded-full px-2 py-0.5 text-xs font-medium whitespace-nowrap ${LOOKS[look]}`}>
      {children}
    </span>
  );
}
