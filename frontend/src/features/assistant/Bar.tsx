import type { ReactNode } from "react";

import { Icon } from "@/components/ui/Icon";

type Props = { text: string; children?: ReactNode };

/** A line above the composer that says what does not work, and the way on. */
export function Bar({ text, children }: Props) {
  return (
    <p className="flex flex-wrap items-center gap-x-2 border-t border-line bg-warn-soft px-3 py-1.5 text-sm text-warn">
      <Icon name="warn" />
      <span className="min-w-40 flex-1">{text}</span>
      {children}
    </p>
  );
}
