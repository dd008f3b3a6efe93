const PREFIX = "countersign.";

/** Reads a remembered value. Storage may be switched off by the browser: then nothing is remembered. */
export function recall(key: string): string | null {
  try {
    return localStorage.getItem(PREFIX + key);
  } catch {
    return null;
  }
}

/** Remembers a value over reloads; an empty one is forgotten. */
export function remember(key: string, value: string): void {
  try {
    if (value) localStorage.setItem(PREFIX + key, value);
    else localStorage.removeItem(PREFIX + key);
  } catch {
    // A full or forbidden storage costs the convenience, nothing else.
  }
}
