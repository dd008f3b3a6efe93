/** Copies text, also over plain http on a local network, where the clipboard API is absent. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyThroughSelection(text);
  }
}

/** Copies a text together with its HTML form, or the text alone where the browser takes no more. */
export async function copyRich(text: string, html: string): Promise<boolean> {
  try {
    const part = (type: string, content: string) => [type, new Blob([content], { type })] as const;
    const item = new ClipboardItem(Object.fromEntries([part("text/plain", text), part("text/html", html)]));
    await navigator.clipboard.write([item]);
    return true;
  } catch {
    return copyText(text);
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
