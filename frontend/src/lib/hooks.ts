import { useEffect, useLayoutEffect, useState, useSyncExternalStore, type RefObject } from "react";

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
  return usePassed(moment === undefined ? [] : [moment]) === 1;
}

/** How many of the moments have come; counts on by itself as the others do. */
export function usePassed(moments: readonly string[]): number {
  const [now, setNow] = useState(() => Date.now());
  const times = moments.map((moment) => new Date(moment).getTime());
  const next = Math.min(...times.filter((at) => at > now));
  useEffect(() => {
    if (next === Infinity) return;
    // A timer longer than 24.8 days fires at once.
    const wait = Math.min(Math.max(next - Date.now(), 0), 2_000_000_000);
    const timer = setTimeout(() => {
      setNow(Date.now());
    }, wait);
    return () => {
      clearTimeout(timer);
    };
  }, [next, now]);
  return times.filter((at) => at <= now).length;
}

/** Turns true when nothing has changed the value for ms; undefined is never still. */
export function useStill(value: string | undefined, ms: number): boolean {
  const [still, setStill] = useState<string>();
  useEffect(() => {
    if (value === undefined) return;
    const timer = setTimeout(() => {
      setStill(value);
    }, ms);
    return () => {
      clearTimeout(timer);
    };
  }, [value, ms]);
  return value !== undefined && still === value;
}

export type TimeLeft = { unit: "minutes" | "seconds"; count: number };

/** Counts down to a moment in minutes, and in seconds during the last one; undefined once it has come. */
export function useTimeLeft(moment: string): TimeLeft | undefined {
  const [now, setNow] = useState(() => Date.now());
  const left = new Date(moment).getTime() - now;
  const step = left > MINUTE_MS ? MINUTE_MS : 1_000;
  const count = Math.ceil(left / step);
  const next = left - (count - 1) * step;
  useEffect(() => {
    if (left <= 0) return;
    const timer = setTimeout(
      () => {
        setNow(Date.now());
      },
      Math.max(now + next - Date.now(), 0),
    );
    return () => {
      clearTimeout(timer);
    };
  }, [now, left, next]);
  return left > 0 ? { unit: step === MINUTE_MS ? "minutes" : "seconds", count } : undefined;
}

const MINUTE_MS = 60_000;

/**
 * For a button that goes away by the clock, by its own effect or by what another tab does: its focus goes to what it is in,
 * and does not fall back to the page.
 */
export function useLeaveFocus(button: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const own = button.current;
    return () => {
      if (own === document.activeElement) own?.closest<HTMLElement>("[tabindex]")?.focus({ preventScroll: true });
    };
  }, [button]);
}
