import type { ComponentProps, ReactNode } from "react";

import { cn } from "@/lib/cn";

const LOOKS = {
  primary: "bg-accent text-on-accent hover:bg-accent-strong border-transparent",
  plain: "bg-surface text-text border-control hover:bg-raised",
  quiet: "bg-transparent text-text border-transparent hover:bg-raised",
  danger: "bg-surface text-danger border-danger hover:bg-danger-soft",
} as const;

const SIZES = {
  normal: "min-h-9 px-3 py-1.5 text-sm",
  small: "min-h-7 px-2 py-0.5 text-xs",
  icon: "min-h-9 min-w-9 px-2 py-1.5 text-sm pointer-coarse:min-w-11",
} as const;

type Props = ComponentProps<"button"> & {
  look?: keyof typeof LOOKS;
  size?: keyof typeof SIZES;
  busy?: boolean;
};

export function Button(props: Props) {
  const { look = "plain", size = "normal", busy = false, className, disabled, type = "button", ...rest } = props;
  return (
    <button
      type={type}
      disabled={disabled || busy}
      aria-busy={busy || undefined}
      className={cn(
        "inline-flex items-center justify-center gap-2 rounded-lg border font-medium",
        "transition-colors disabled:opacity-60 pointer-coarse:min-h-11",
        SIZES[size],
        LOOKS[look],
        className,
      )}
      {...rest}
    />
  );
}

/** A button of one symbol; the label is its accessible name and tooltip. */
export function IconButton({ label, children, ...rest }: Omit<Props, "size"> & { label: string; children: ReactNode }) {
  return (
    <Button look="quiet" size="icon" aria-label={label} title={label} {...rest}>
      {children}
    </Button>
  );
}
