import type { ReactNode } from "react";
import { Link } from "react-router-dom";

import { Icon } from "./Icon";

/** A link to where something new is made, with the look of a button. */
export function LinkButton({ to, children }: { to: string; children: ReactNode }) {
  return (
    <Link
      to={to}
      className="inline-flex min-h-9 items-center gap-2 rounded-lg border border-control bg-surface px-3 py-1.5 text-sm font-medium hover:bg-raised pointer-coarse:min-h-11"
    >
      <Icon name="plus" />
      {children}
    </Link>
  );
}
