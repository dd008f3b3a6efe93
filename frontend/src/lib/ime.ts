import type { KeyboardEvent as ReactKeyboardEvent } from "react";

type AnyKeyboardEvent = KeyboardEvent | ReactKeyboardEvent;

// WKWebView fires compositionend before the keydown of the Enter that ended it.
const GRACE_MS = 100;
let compositionEndedAt = Number.NEGATIVE_INFINITY;

/** Watches the end of compositions on the whole document. Call once at start; returns the undo. */
export function watchComposition(target: Document = document): () => void {
  const remember = (event: Event) => {
    compositionEndedAt = event.timeStamp;
  };
  target.addEventListener("compositionend", remember, true);
  return () => {
    target.removeEventListener("compositionend", remember, true);
  };
}

/** True while the key belongs to an input method: arrows, Escape and Enter must not be acted upon. */
export function isComposing(event: AnyKeyboardEvent): boolean {
  const native = "nativeEvent" in event ? event.nativeEvent : event;
  return native.isComposing || native.keyCode === 229;
}

/** True for an Enter that the person meant as Enter. Every Enter handler of the UI asks this. */
export function isEnter(event: AnyKeyboardEvent): boolean {
  if (event.key !== "Enter" || isComposing(event)) return false;
  return event.timeStamp - compositionEndedAt > GRACE_MS;
}
