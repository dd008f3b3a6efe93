import type { ReactNode } from "react";
import { Link } from "react-router-dom";

import type { RecordRef } from "@/api/types";
import { recordPath } from "@/lib/routes";
import { markedNode } from "@/lib/unseen";

type Props = { record: RecordRef; className?: string; children?: ReactNode };

/** A record's name, or other words for it, as a link to its page; plain text where there is no page, or no record yet. */
export function RecordLink({ record: { type, id, name }, className, children = name }: Props) {
  const to = id && recordPath(type, id);
  if (!to) return <span className={className}>{markedNode(children)}</span>;
  return (
    <Link to={to} className={className ?? "font-medium text-accent underline-offset-2 hover:underline"}>
      {markedNode(children)}
    </Link>
  );
}
