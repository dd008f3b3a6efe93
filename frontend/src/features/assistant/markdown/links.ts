import type { RecordRef } from "@/api/types";
import { recordOfPath } from "@/lib/routes";

export type LinkTarget =
  { kind: "record"; record: RecordRef } | { kind: "external"; href: string; host: string } | { kind: "none" };

/**
 * Where a link of an answer may lead: to a record that a tool has returned in this turn, or out of this
 * site by http(s). Anything else, such as an id that the model made up, is no link.
 */
export function linkTarget(href: string | undefined, refs: readonly RecordRef[], origin: string): LinkTarget {
  const url = href && URL.canParse(href, origin) ? new URL(href, origin) : undefined;
  if (!url) return { kind: "none" };
  if (url.origin === origin) {
    const at = url.search || url.hash ? undefined : recordOfPath(url.pathname);
    const record = at && refs.find(({ type, id }) => type === at.type && id === at.id);
    return record ? { kind: "record", record } : { kind: "none" };
  }
  const external = url.protocol === "https:" || url.protocol === "http:";
  return external ? { kind: "external", href: url.href, host: url.host } : { kind: "none" };
}
