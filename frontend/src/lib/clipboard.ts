/** Copies text, also over plain http on a local network, where the clipboard API is absent. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyThroughSelection(text);
  }
}

function copyThroughSelection(text: string): boolean {
  const area = document.createElement("textarea");
  area.value = text;
  area.className = "sr-only";
  document.body.append(area);
  area.select();
  try {
    // Deprecated, and the only way without a secure context.
    return document.execCommand("copy");
  } finally {
    area.remove();
  }
}
