import { useId, type ComponentProps, type ReactNode } from "react";

import { cn } from "@/lib/cn";

export const controlClass =
  "w-full min-h-9 rounded-lg border border-control bg-surface px-3 py-1.5 text-sm text-text placeholder:text-muted pointer-coarse:min-h-11 aria-invalid:border-danger";

export type FieldProps = { label: string; hint?: ReactNode; error?: string | undefined };
type Described = { id: string; "aria-invalid"?: true; "aria-describedby"?: string };

/** A labelled control; hint and error are announced with it. */
export function Field({ label, hint, error, children }: FieldProps & { children: (props: Described) => ReactNode }) {
  const id = useId();
  const describedBy = cn(Boolean(hint) && `${id}-hint`, Boolean(error) && `${id}-error`);
  return (
    <div className="space-y-1">
      <label htmlFor={id} className="block text-sm font-medium">
        {label}
      </label>
      {children({
        id,
        ...(error && { "aria-invalid": true as const }),
        ...(describedBy && { "aria-describedby": describedBy }),
      })}
      {hint && (
        <p id={`${id}-hint`} className="text-xs text-muted">
          {hint}
        </p>
      )}
      {error && (
        <p id={`${id}-error`} className="text-xs font-medium text-danger">
          {error}
        </p>
      )}
    </div>
  );
}

export function TextField({ label, hint, error, className, ...rest }: FieldProps & ComponentProps<"input">) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(props) => <input className={cn(controlClass, className)} {...rest} {...props} />}
    </Field>
  );
}

export function TextArea({ label, hint, error, className, ...rest }: FieldProps & ComponentProps<"textarea">) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(props) => <textarea className={cn(controlClass, className)} {...rest} {...props} />}
    </Field>
  );
}

export function SelectField({ label, hint, error, className, ...rest }: FieldProps & ComponentProps<"select">) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(props) => <select className={cn(controlClass, className)} {...rest} {...props} />}
    </Field>
  );
}
