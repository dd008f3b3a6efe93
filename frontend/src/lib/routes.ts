const PAGES: Partial<Record<string, string>> = {
  deal: "/deals",
  company: "/companies",
  contact: "/contacts",
  task: "/tasks",
  quotation: "/quotations",
  activity: "/activities",
  product: "/products",
};

/** The page of a record, or undefined for a kind that has no page. */
export function recordPath(type: string, id: string): string | undefined {
  const page = PAGES[type];
  return page && `${page}/${encodeURIComponent(id)}`;
}

/** A path inside this UI, or "/deals": keeps ?next= from leading to another site. */
export function safeNext(next: string | null): string {
  return next && /^\/(?![/\\])/.test(next) ? next : "/deals";
}

/** The record that a path is the page of. */
export function recordOfPath(path: string): { type: string; id: string } | undefined {
  for (const [type, page] of Object.entries(PAGES)) {
    const id = path.startsWith(`${page}/`) ? path.slice(`${page}/`.length) : "";
    if (id && !id.includes("/")) return { type, id: decodeURIComponent(id) };
  }
  return undefined;
}
