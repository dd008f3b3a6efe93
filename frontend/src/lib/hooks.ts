import { useEffect, useState, useSyncExternalStore } from "react";

/** Follows a media query. */
export function useMediaQuery(query: string): boolean {
  return useSyncExternalStore(
    (changed) => {
      const list = window.matchMedia(query);
      list.addEventListener("change", changed);
      return () => {
        list.removeEventListener("change", changed);
      };
    },
    () => window.matchMedia(query).matches,
  );
}

/** The value once it has stopped changing for ms. */
export function useDebounced<T>(value: T, ms: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => {
      setSettled(value);
    }, ms);
    return () => {
      clearTimeout(timer);
    };
  }, [value, ms]);
  return settled;
}

/** Turns true when the moment has come; no timer runs without a moment. */
export function useHasPassed(moment: string | undefined): boolean {
  const at = moment ? new Date(moment).getTime() : undefined;
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (at === undefined || now >= at) return;
    // A timer longer than 24.8 days fires at once.
    const wait = Math.min(Math.max(at - Date.now(), 0), 2_000_000_000);
    const timer = setTimeout(() => {
      setNow(Date.now());
    }, wait);
    return () => {
      clearTimeout(timer);
    };
  }, [at, now]);
  return at !== undefined && now >= at;
}
