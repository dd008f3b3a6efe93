import type { ReactNode } from "react";

import { markedNode } from "@/lib/unseen";

type PageProps = { title: ReactNode; actions?: ReactNode; children: ReactNode };

/** The frame of a page: one heading, its actions, the content. */
export function Page({ title, actions, children }: PageProps) {
  return (
    <div className="mx-auto w-full max-w-6xl space-y-5 p-4 md:p-6">
      <div className="flex flex-wrap items-start justify-between gap-3">
        <h1 className="min-w-0 text-xl font-semibold break-words md:text-2xl">{markedNode(title)}</h1>
        {actions}
      </div>
      {children}
    </div>
  );
}

export function Panel({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="space-y-3 rounded-xl border border-line bg-surface p-4">
      <h2 className="text-sm font-semibold">{title}</h2>
      {children}
    </section>
  );
}

/** Label and value pairs; pairs without a value are left out. */
export function Facts({ items }: { items: readonly (readonly [label: string, value: ReactNode])[] }) {
  return (
    <dl className="grid grid-cols-[repeat(auto-fill,minmax(min(11rem,100%),1fr))] gap-x-6 gap-y-4">
      {items.map(
        ([label, value]) =>
          value !== undefined &&
          value !== null &&
          value !== "" && (
            <div key={label} className="min-w-0">
              <dt className="text-xs text-muted">{label}</dt>
              <dd className="text-sm break-words">{markedNode(value)}</dd>
            </div>
          ),
      )}
    </dl>
  );
}
