import { useEffect, useSyncExternalStore } from "react";

export type ShownRecord = { type: string; id: string; name: string };

// One page is on screen at a time, so one place holds what it shows. The assistant is above the pages and
// reads it from here.
let shown: ShownRecord | undefined;
let dismissed = false;
const subscribers = new Set<() => void>();

/** The record on screen, unless the person does not want the assistant to be told of it. */
export function currentRecord(): ShownRecord | undefined {
  return dismissed ? undefined : shown;
}

/** Keeps the record on screen from the assistant, until another page shows one. */
export function dismissRecord(): void {
  dismissed = true;
  tell();
}

export function useCurrentRecord(): ShownRecord | undefined {
  return useSyncExternalStore(subscribe, currentRecord);
}

/** Makes the record of a page the one on screen for as long as the page shows it; none while it loads. */
export function useShowRecord(type: string, record: { id: string; name: string } | undefined): void {
  const { id, name } = record ?? {};
  useEffect(() => {
    if (id === undefined || name === undefined) return;
    shown = { type, id, name };
    tell();
  }, [type, id, name]);
  // A new name is still the same record: what was dismissed stays so.
  useEffect(
    () => () => {
      shown = undefined;
      dismissed = false;
      tell();
    },
    [type, id],
  );
}

function subscribe(changed: () => void): () => void {
  subscribers.add(changed);
  return () => subscribers.delete(changed);
}

function tell(): void {
  for (const changed of subscribers) changed();
}
