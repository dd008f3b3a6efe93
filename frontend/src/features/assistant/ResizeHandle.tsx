import { useTranslation } from "react-i18next";

export const MIN_WIDTH = 320;
export const MAX_WIDTH = 640;
const STEP = 16;

export function clampWidth(width: number): number {
  return Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, Math.round(width)));
}

type Props = { width: number; onResize: (width: number) => void };

/** The left edge of the panel: dragged by pointer, moved by arrow keys, Home and End. */
export function ResizeHandle({ width, onResize }: Props) {
  const { t } = useTranslation();
  const keys: Partial<Record<string, number>> = {
    ArrowLeft: width + STEP,
    ArrowRight: width - STEP,
    Home: MIN_WIDTH,
    End: MAX_WIDTH,
  };
  return (
    // A separator with a value is a widget, which the rules do not know.
    // eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <div
      role="separator"
      aria-orientation="vertical"
      aria-label={t("assistant.resize")}
      aria-valuenow={width}
      aria-valuemin={MIN_WIDTH}
      aria-valuemax={MAX_WIDTH}
      // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      className="absolute inset-y-0 -left-1 z-10 w-2 cursor-col-resize touch-none hover:bg-accent/30 focus-visible:bg-accent/30"
      onPointerDown={(event) => {
        event.preventDefault();
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={(event) => {
        if (event.currentTarget.hasPointerCapture(event.pointerId)) onResize(window.innerWidth - event.clientX);
      }}
      onKeyDown={(event) => {
        const next = keys[event.key];
        if (next === undefined) return;
        event.preventDefault();
        onResize(next);
      }}
    />
  );
}
