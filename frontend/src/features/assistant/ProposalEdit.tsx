import { useEffect, useRef, useState, type ComponentProps, type SubmitEvent } from "react";
import { useTranslation } from "react-i18next";

import { fieldError } from "@/api/errors";
import type { Editable, Proposal, ProposalChange } from "@/api/types";
import { Button } from "@/components/ui/Button";
import { SelectField, TextArea, TextField } from "@/components/ui/Field";
import { isComposing } from "@/lib/ime";
import { marked } from "@/lib/unseen";

import { ProposalChanges } from "./ProposalChanges";

const LONG = 60;

type Props = {
  proposal: Proposal;
  busy: boolean;
  error: unknown;
  /** Gets what differs from the proposal, by argument. */
  onConfirm: (edits: Record<string, unknown>) => void;
  onLeave: () => void;
};

/** A pending card with what can be edited as fields. Nothing is kept of it until it is confirmed. */
export function ProposalEdit({ proposal, busy, error, onConfirm, onLeave }: Props) {
  const { t } = useTranslation();
  const editable = proposal.editable ?? [];
  const [texts, setTexts] = useState(() => Object.fromEntries(editable.map((one) => [one.arg, textOf(one.value)])));
  const form = useFocusOnWrong(error);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const changed = editable.filter(({ arg, value }) => texts[arg] !== textOf(value));
    onConfirm(Object.fromEntries(changed.map((one) => [one.arg, valueOf(one, texts[one.arg] ?? "")])));
  };
  const wholes = editable.flatMap((one) => wholeOf(one, proposal.changes, texts[one.arg] ?? ""));
  const fixed = proposal.changes.filter((change) => !editable.some(({ field }) => field === change.field));
  return (
    // Escape leaves it from anywhere inside.
    // eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <form
      ref={form}
      noValidate
      className="space-y-3"
      onSubmit={submit}
      onKeyDown={(event) => {
        if (event.key === "Escape" && !isComposing(event)) onLeave();
      }}
    >
      {fixed.length > 0 && <ProposalChanges changes={fixed} />}
      {editable.map((one, index) => (
        <Input
          key={one.arg}
          editable={one}
          first={index === 0}
          text={texts[one.arg] ?? ""}
          error={fieldError(error, one.arg)}
          onChange={(text) => {
            setTexts({ ...texts, [one.arg]: text });
          }}
        />
      ))}
      {wholes.length > 0 && <ProposalChanges changes={wholes} />}
      <div className="flex flex-wrap items-center gap-2">
        <Button type="submit" look="primary" busy={busy}>
          {t(busy ? "proposal.applying" : "proposal.edit.confirm")}
        </Button>
        <Button disabled={busy} onClick={onLeave}>
          {t("proposal.edit.leave")}
        </Button>
      </div>
    </form>
  );
}

type InputProps = {
  editable: Editable;
  first: boolean;
  text: string;
  error: string | undefined;
  onChange: (text: string) => void;
};

function Input({ editable, first, text, error, onChange }: InputProps) {
  const { t } = useTranslation();
  const { label, type, value, choices = [] } = editable;
  const common = {
    label,
    error,
    value: text,
    // The person has just asked to type here.
    autoFocus: first,
    onChange: (event: { target: { value: string } }) => {
      onChange(event.target.value);
    },
  } satisfies ComponentProps<typeof TextField>;
  if (type === "choice") {
    return (
      <SelectField {...common}>
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.label}
          </option>
        ))}
      </SelectField>
    );
  }
  if (type === "date") return <TextField type="date" {...common} />;
  if (type === "money") return <TextField inputMode="decimal" {...common} />;
  if (type === "list") return <TextField hint={t("proposal.edit.listHint")} {...common} />;
  return type === "multiline" || textOf(value).length > LONG ? <TextArea rows={4} {...common} /> : <TextField {...common} />;
}

/** The text of which only some words can be edited, with those as they are by now. */
function wholeOf({ field, type, value }: Editable, changes: readonly ProposalChange[], text: string): ProposalChange[] {
  if (type !== "multiline" || typeof value !== "string" || value === "") return [];
  return changes
    .filter((change) => change.field === field && change.after !== value)
    .map((change) => ({ ...change, afterDisplay: change.afterDisplay.replace(marked(value), () => marked(text.trim())) }));
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.join(", ");
  return typeof value === "string" ? value : JSON.stringify(value);
}

function valueOf({ type }: Editable, text: string): unknown {
  if (type !== "list") return text.trim();
  return text
    .split(/[,，、]/)
    .map((item) => item.trim())
    .filter(Boolean);
}

// What was refused is where the person goes on.
function useFocusOnWrong(error: unknown) {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (error) form.current?.querySelector<HTMLElement>("[aria-invalid]")?.focus();
  }, [error]);
  return form;
}
