const PATHS = {
  check: "M5 12.5l4.5 4.5L19 7.5",
  cross: "M6 6l12 12M18 6L6 18",
  hand: "M12 3v10M8 6v8M16 6v8M4.5 11v4a7 7 0 0014 0v-3",
  stop: "M7 7h10v10H7z",
  ban: "M12 4a8 8 0 100 16 8 8 0 000-16zM6.5 6.5l11 11",
  dots: "M6 12h.01M12 12h.01M18 12h.01",
  spin: "M12 4a8 8 0 108 8",
  caret: "M8 10l4 4 4-4",
  plus: "M12 5v14M5 12h14",
  list: "M5 7h14M5 12h14M5 17h14",
  back: "M14 6l-6 6 6 6",
  chat: "M5 5h14v10H11l-4 4v-4H5z",
  send: "M12 19V6M6 11l6-6 6 6",
  copy: "M9 9h10v10H9zM5 15V5h10",
  clock: "M12 4a8 8 0 100 16 8 8 0 000-16zM12 8v4l3 2",
  arrow: "M5 12h14M13 6l6 6-6 6",
  warn: "M12 4l9 16H3zM12 10v4M12 17h.01",
  pencil: "M5 19l1-4L16 5l3 3L9 18z",
  bin: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13",
  down: "M12 5v13M6 12l6 6 6-6",
  circle: "M12 4a8 8 0 100 16 8 8 0 000-16z",
  done: "M12 4a8 8 0 100 16 8 8 0 000-16zM8.5 12.5l2.5 2.5 4.5-5",
  keys: "M3.5 7h17v10h-17zM7 10.5h.01M10.5 10.5h.01M14 10.5h.01M17 10.5h.01M8.5 13.5h7",
} as const;

export type IconName = keyof typeof PATHS;

/** A decorative symbol: the words beside it say the same. */
export function Icon({ name, className = "size-4" }: { name: IconName; className?: string }) {
  return (
    <svg
      aria-hidden="true"
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="2"
      strokeLinecap="round"
      strokeLinejoin="round"
      className={`shrink-0 ${className}`}
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
