/** The words of a table, row by row. */
export function rowsOf(table: HTMLTableElement): string[][] {
  return [...table.rows].map((row) => [...row.cells].map((cell) => cell.textContent.trim()));
}

/** Comma-separated values that a spreadsheet opens as text, in Chinese too. */
export function toCSV(rows: readonly string[][]): string {
  const lines = rows.map((row) => row.map((cell) => `"${harmless(cell).replaceAll('"', '""')}"`).join(","));
  return `\uFEFF${lines.join("\r\n")}\r\n`;
}

export function toTSV(rows: readonly string[][]): string {
  return rows.map((row) => row.map((cell) => harmless(cell).replace(/\s+/g, " ")).join("\t")).join("\n");
}

/** A table of plain cells: what a document takes from the clipboard. */
export function toHTML(rows: readonly string[][]): string {
  const cells = (row: readonly string[]) => row.map((cell) => `<td>${escapeHTML(harmless(cell))}</td>`).join("");
  return `<table>${rows.map((row) => `<tr>${cells(row)}</tr>`).join("")}</table>`;
}

// A spreadsheet runs what looks like a formula; a plain number is none.
function harmless(cell: string): string {
  return /^[=+\-@\t\r]/.test(cell) && !/^[+-]?[\d.,]+%?$/.test(cell) ? `'${cell}` : cell;
}

function escapeHTML(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
