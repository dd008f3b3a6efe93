import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useId, useState, type KeyboardEvent } from "react";
import { useTranslation } from "react-i18next";

import { suggestNames } from "@/api/chat";
import type { Candidate } from "@/api/types";
import { cn } from "@/lib/cn";
import { useDebounced } from "@/lib/hooks";
import { isComposing, isEnter } from "@/lib/ime";
import { marked } from "@/lib/unseen";

import { controlClass, Field, type FieldProps } from "./Field";

type Props = FieldProps & {
  kind: "company" | "contact" | "deal" | "person" | "product";
  /** The name of the record that the field begins with; empty for none. */
  name: string;
  onChange: (id: string) => void;
};

const PAUSE_MS = 150;

/** A field for one record: typing searches, choosing sets it, emptying clears it. Other words change nothing. */
export function RecordPicker({ kind, name, onChange, ...field }: Props) {
  const { t } = useTranslation();
  const [chosen, setChosen] = useState(name);
  const [text, setText] = useState(name);
  const [open, setOpen] = useState(false);
  const [active, setActive] = useState(0);
  const listId = useId();
  const options = useSuggestions(kind, open, text === chosen ? "" : text);
  const shown = open && options.length > 0;
  const choose = ({ id, name: next }: Pick<Candidate, "id" | "name">) => {
    setChosen(next);
    setText(next);
    setOpen(false);
    onChange(id);
  };
  const type = (next: string) => {
    setText(next);
    setActive(0);
    setOpen(true);
    if (next !== "") return;
    setChosen("");
    onChange("");
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event)) return;
    const option = options[active];
    if (event.key === "ArrowDown" && !shown) setOpen(true);
    else if (shown && event.key === "ArrowDown") setActive((active + 1) % options.length);
    else if (shown && event.key === "ArrowUp") setActive((active - 1 + options.length) % options.length);
    else if (shown && event.key === "Escape") setOpen(false);
    else if (shown && option && isEnter(event)) choose(option);
    else return;
    event.preventDefault();
  };
  return (
    <Field {...field}>
      {(described) => (
        <div className="relative">
          <input
            {...described}
            role="combobox"
            aria-autocomplete="list"
            aria-expanded={shown}
            aria-controls={listId}
            {...(shown && { "aria-activedescendant": optionId(listId, active) })}
            autoComplete="off"
            placeholder={t("common.typeName")}
            className={controlClass}
            value={text}
            onChange={(event) => {
              type(event.target.value);
            }}
            onKeyDown={onKeyDown}
            onClick={() => {
              setOpen(true);
            }}
            onBlur={() => {
              setOpen(false);
              setText(chosen);
            }}
          />
          {shown && <Options id={listId} label={field.label} options={options} active={active} onChoose={choose} />}
        </div>
      )}
    </Field>
  );
}

const NONE: Candidate[] = [];

function useSuggestions(kind: string, open: boolean, text: string): Candidate[] {
  const q = useDebounced(text.trim(), PAUSE_MS);
  const { data } = useQuery({
    queryKey: ["suggest", kind, q, ""],
    queryFn: ({ signal }) => suggestNames(kind, q, "", signal),
    enabled: open,
    retry: false,
    staleTime: 30_000,
    placeholderData: keepPreviousData,
  });
  return data ?? NONE;
}

const optionId = (listId: string, index: number) => `${listId}-${String(index)}`;

type OptionsProps = {
  id: string;
  label: string;
  options: readonly Candidate[];
  active: number;
  onChoose: (option: Candidate) => void;
};

function Options({ id, label, options, active, onChoose }: OptionsProps) {
  const { t } = useTranslation();
  return (
    <div
      id={id}
      role="listbox"
      aria-label={t("common.choices", { label })}
      className="absolute inset-x-0 top-full z-10 mt-1 max-h-64 overflow-y-auto rounded-xl border border-line bg-surface p-1 shadow-xl"
    >
      {options.map((option, index) => (
        // The keyboard works through the text field, which names the active option.
        // eslint-disable-next-line jsx-a11y/click-events-have-key-events
        <div
          key={option.id}
          id={optionId(id, index)}
          role="option"
          // Never in the tab order: the text field keeps the focus.
          tabIndex={-1}
          aria-selected={index === active}
          ref={(node) => {
            if (index === active) node?.scrollIntoView({ block: "nearest" });
          }}
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
          <span className="font-medium break-words">{marked(option.name)}</span>{" "}
          {option.detail && <span className="text-xs text-muted">{marked(option.detail)}</span>}
        </div>
      ))}
    </div>
  );
}
