import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";

import { suggestNames } from "@/api/chat";
import type { Candidate, ToolInfo } from "@/api/types";
import { useDebounced } from "@/lib/hooks";

import { argumentNames, argumentSchema, argumentValue, quoteValue, slashSpot, type SlashSpot } from "./slash";

/** One line of the completion list: what it inserts and what it says. */
export type SlashOption = { insert: string; title: string; detail?: string };

export type Slash = { spot: SlashSpot; options: SlashOption[]; dismiss: () => void };

const PAUSE_MS = 150;

/** Completes commands, their arguments and the names of records at the caret. */
export function useSlash(
  text: string,
  caret: number,
  tools: readonly ToolInfo[],
  toolLabel: (tool: ToolInfo) => string,
) {
  const [dismissed, setDismissed] = useState<string>();
  const spot = useMemo(() => slashSpot(text, caret, tools), [text, caret, tools]);
  const names = useNames(text, spot);
  const options = useMemo(
    () => (spot ? optionsOf(spot, tools, names, toolLabel) : []),
    [spot, tools, names, toolLabel],
  );
  if (!spot || options.length === 0 || dismissed === text) return undefined;
  return {
    spot,
    options,
    dismiss: () => {
      setDismissed(text);
    },
  } satisfies Slash;
}

function useNames(text: string, spot: SlashSpot | undefined): Candidate[] | undefined {
  const schema = spot?.kind === "value" ? argumentSchema(spot.tool, spot.argument) : undefined;
  const kind = schema?.["x-kind"] ?? "";
  const q = useDebounced(spot?.kind === "value" ? spot.query : "", PAUSE_MS);
  const deal = useDebounced(kind === "stage" ? argumentValue(text, "deal") : "", PAUSE_MS);
  const { data, isPlaceholderData } = useQuery({
    queryKey: ["suggest", kind, q, deal],
    queryFn: ({ signal }) => suggestNames(kind, q, deal, signal),
    enabled: kind !== "",
    retry: false,
    staleTime: 30_000,
    placeholderData: keepPreviousData,
  });
  if (!kind || !data || spot?.kind !== "value") return undefined;
  if (q === spot.query && !isPlaceholderData) return data;
  // Until the names of what is typed are there, those of before that fit it: a key may choose one at any time.
  const typed = spot.query.toLowerCase();
  return data.filter(({ name }) => name.toLowerCase().includes(typed));
}

function optionsOf(
  spot: SlashSpot,
  tools: readonly ToolInfo[],
  names: readonly Candidate[] | undefined,
  toolLabel: (tool: ToolInfo) => string,
): SlashOption[] {
  switch (spot.kind) {
    case "command":
      return commandOptions(spot.query, tools, toolLabel);
    case "argument":
      return argumentNames(spot.tool)
        .filter((name) => !spot.used.includes(name) && name.startsWith(spot.query))
        .map((name) => argumentOption(spot.tool, name));
    case "value":
      return names ? nameOptions(names) : enumOptions(spot);
  }
}

function commandOptions(
  query: string,
  tools: readonly ToolInfo[],
  toolLabel: (tool: ToolInfo) => string,
): SlashOption[] {
  const q = query.toLowerCase();
  const hits = tools.flatMap((tool) => {
    const label = toolLabel(tool);
    const short = q && tool.shortForms.find((form) => form.startsWith(q));
    const found = tool.name.includes(q) || label.toLowerCase().includes(q) || short;
    const command = short && !tool.name.startsWith(q) ? short : tool.name;
    return found ? [{ insert: `/${command}`, title: `/${command}`, detail: label }] : [];
  });
  const starts = ({ title }: SlashOption) => Number(!title.startsWith(`/${q}`));
  return hits.sort((a, b) => starts(a) - starts(b));
}

function argumentOption(tool: ToolInfo, name: string): SlashOption {
  const description = argumentSchema(tool, name)?.description;
  return { insert: `${name}=`, title: `${name}=`, ...(description && { detail: description }) };
}

function enumOptions(spot: Extract<SlashSpot, { kind: "value" }>): SlashOption[] {
  const schema = argumentSchema(spot.tool, spot.argument);
  const values = schema?.enum ?? (schema?.type === "boolean" ? [true, false] : []);
  return values
    .map(String)
    .filter((value) => value.toLowerCase().startsWith(spot.query.toLowerCase()))
    .flatMap((value) => optionOf(value, value));
}

// Two records of one name can only be told apart by their ids.
function nameOptions(names: readonly Candidate[]): SlashOption[] {
  return names.flatMap(({ type, id, name, detail }) => {
    const twins = names.filter((other) => other.name === name).length > 1;
    return optionOf(name, (twins && type !== "stage") || name.includes('"') ? id : name, detail);
  });
}

function optionOf(title: string, value: string, detail?: string): SlashOption[] {
  const insert = quoteValue(value);
  return insert === undefined ? [] : [{ insert, title, ...(detail && { detail }) }];
}
