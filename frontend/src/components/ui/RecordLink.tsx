import { Link } from "react-router-dom";

import type { RecordRef } from "@/api/types";
import { recordPath } from "@/lib/routes";

/** A record's name as a link to its page; plain text where there is no page. */
export function RecordLink({ record: { type, id, name }, className }: { record: RecordRef; className?: string }) {
  const to = recordPath(type, id);
  if (!to) return <span className={className}>{name}</span>;
  return (
    <Link to={to} className={className ?? "font-medium text-accent underline-offset-2 hover:underline"}>
      {name}
    </Link>
  );
}
