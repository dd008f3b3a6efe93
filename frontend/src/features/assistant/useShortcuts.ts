import { useEffect, useState } from "react";

import { isComposing } from "@/lib/ime";
import { recall, remember } from "@/lib/storage";

/** What can be done from anywhere by Ctrl or Cmd and a key. */
export const SHORTCUTS = { panel: "J", newest: ".", help: "/" } as const;

export type Shortcut = keyof typeof SHORTCUTS;

const OFF_KEY = "shortcutsOff";

/** Listens for the shortcuts. The one that lists them works also while they are switched off, or they could not be
 * switched on again. */
export function useShortcuts(act: (shortcut: Shortcut) => void) {
  const [on, setOn] = useState(() => recall(OFF_KEY) === null);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const shortcut = shortcutOf(event);
      if (!shortcut || (!on && shortcut !== "help") || asks()) return;
      event.preventDefault();
      act(shortcut);
    };
    document.addEventListener("keydown", onKeyDown);
    return () => {
      document.removeEventListener("keydown", onKeyDown);
    };
  }, [act, on]);
  const turn = (next: boolean) => {
    remember(OFF_KEY, next ? "" : "yes");
    setOn(next);
  };
  return { on, turn };
}

function shortcutOf(event: KeyboardEvent): Shortcut | undefined {
  if (isComposing(event) || event.altKey || !(event.ctrlKey || event.metaKey)) return undefined;
  const found = Object.entries(SHORTCUTS).find(([, key]) => key === event.key.toUpperCase());
  return found?.[0] as Shortcut | undefined;
}

// What is behind a dialog that asks something must stay as it is.
const asks = () => document.querySelector('[role="dialog"], [role="alertdialog"]') !== null;
