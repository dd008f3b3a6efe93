import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";

import { cn } from "@/lib/cn";

import type { SlashOption } from "./useSlash";

type Props = {
  id: string;
  options: readonly SlashOption[];
  active: number;
  onChoose: (option: SlashOption) => void;
};

export const optionId = (menuId: string, index: number) => `${menuId}-${String(index)}`;

/** The completion list of the composer. The focus stays in the text; this only shows what is active. */
export function SlashMenu({ id, options, active, onChoose }: Props) {
  const { t } = useTranslation();
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.children[active]?.scrollIntoView({ block: "nearest" });
  }, [active]);
  return (
    <div
      ref={list}
      id={id}
      role="listbox"
      aria-label={t("assistant.suggestions")}
      className="absolute inset-x-3 bottom-full z-10 mb-1 max-h-64 overflow-y-auto rounded-xl border border-line bg-surface p-1 shadow-xl"
    >
      {options.map((option, index) => (
        // The keyboard works through the text field, which names the active option.
        // eslint-disable-next-line jsx-a11y/click-events-have-key-events
        <div
          key={option.insert}
          id={optionId(id, index)}
          role="option"
          // Never in the tab order: the text field keeps the focus.
          tabIndex={-1}
          aria-selected={index === active}
          className={cn(
            "min-h-8 cursor-pointer rounded-lg px-2.5 py-1 text-sm pointer-coarse:min-h-11",
            index === active ? "bg-accent-soft" : "hover:bg-raised",
          )}
          onMouseDown={(event) => {
            event.preventDefault();
          }}
          onClick={() => {
            onChoose(option);
          }}
        >
          <span className="font-medium break-words">{option.title}</span>{" "}
          {option.detail && <span className="text-xs text-muted">{option.detail}</span>}
        </div>
      ))}
    </div>
  );
}
