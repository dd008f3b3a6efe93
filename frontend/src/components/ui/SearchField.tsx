import { useEffect, useRef, useState } from "react";

import { isEnter } from "@/lib/ime";

import { TextField } from "./Field";

type Props = { label: string; value: string; onSearch: (q: string) => void };

const PAUSE_MS = 300;

/** A search box that reports what was typed after a pause or Enter, never half a composition. */
export function SearchField({ label, value, onSearch }: Props) {
  const [text, setText] = useState(value);
  const [seen, setSeen] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // A value from outside (Back, Clear) replaces the text; our own report coming back does not.
  if (value !== seen) {
    setSeen(value);
    if (value !== text.trim()) setText(value);
  }
  useEffect(
    () => () => {
      clearTimeout(timer.current);
    },
    [],
  );
  const report = (next: string, wait: number) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      onSearch(next.trim());
    }, wait);
  };
  return (
    <TextField
      label={label}
      type="search"
      value={text}
      onChange={(event) => {
        setText(event.target.value);
        if (!(event.nativeEvent as InputEvent).isComposing) report(event.target.value, PAUSE_MS);
      }}
      onCompositionEnd={(event) => {
        report(event.currentTarget.value, PAUSE_MS);
      }}
      onKeyDown={(event) => {
        if (isEnter(event)) report(text, 0);
      }}
    />
  );
}
