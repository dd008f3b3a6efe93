import type { ButtonHTMLAttributes, ReactNode } from "react";

import { cn } from "@/lib/cn";

const LOOKS = {
  primary: "bg-accent text-on-accent hover:bg-accent-strong border-transparent",
  plain: "bg-surface text-text border-control hover:bg-raised",
  quiet: "bg-transparent text-text border-transparent hover:bg-raised",
  danger: "bg-surface text-danger border-danger hover:bg-danger-soft",
} as const;

type Props = ButtonHTMLAttributes<HTMLButtonElement> & { look?: keyof typeof LOOKS; busy?: boolean };

export function Button({ look = "plain", busy = false, className, disabled, type = "button", ...rest }: Props) {
  return (
    <button
      type={type}
      disabled={disabled || busy}
      aria-busy={busy || undefined}
      className={cn(
        "inline-flex min-h-9 items-center justify-center gap-2 rounded-lg border px-3 py-1.5 text-sm font-medium",
        "transition-colors disabled:opacity-60 pointer-coarse:min-h-11",
        LOOKS[look],
        className,
      )}
      {...rest}
    />
  );
}

/** A button of one symbol; the label is its accessible name and tooltip. */
export function IconButton({ label, className, children, ...rest }: Props & { label: string; children: ReactNode }) {
  return (
    <Button
      look="quiet"
      aria-label={label}
      title={label}
      className={cn("min-w-9 px-2 pointer-coarse:min-w-11", className)}
      {...rest}
    >
      {children}
    </Button>
  );
}
