// As many characters as are searched for.
const MAX_QUERY = 300;

/** The command that needs no model and searches all records for a text. */
export function searchFor(text: string): string {
  return `/find "${text.replace(/[\s"\\]+/g, " ").trim().slice(0, MAX_QUERY)}"`;
}
