import type { JSONSchema, ToolInfo } from "@/api/types";

/** What the person is typing at the caret of a command; [from, to) is what a completion replaces. */
export type SlashSpot =
  | { kind: "command"; query: string; from: number; to: number }
  | { kind: "argument"; tool: ToolInfo; used: string[]; query: string; from: number; to: number }
  | { kind: "value"; tool: ToolInfo; argument: string; query: string; from: number; to: number };

type Token = { from: number; to: number; text: string };

/** Finds what can be completed at the caret, or undefined when the text is no command. */
export function slashSpot(text: string, caret: number, tools: readonly ToolInfo[]): SlashSpot | undefined {
  const head = /^\/([^\s]*)/.exec(text);
  if (!head) return undefined;
  if (caret <= head[0].length) return { kind: "command", query: text.slice(1, caret), from: 0, to: head[0].length };
  const tool = findTool(head[1] ?? "", tools);
  return tool && argumentSpot(text, caret, tool, head[0].length);
}

/** Finds a command by its name or one of its short forms. */
export function findTool(name: string, tools: readonly ToolInfo[]): ToolInfo | undefined {
  const wanted = name.toLowerCase();
  return tools.find((tool) => tool.name === wanted || tool.shortForms.includes(wanted));
}

function argumentSpot(text: string, caret: number, tool: ToolInfo, start: number): SlashSpot {
  const tokens = tokenize(text, start);
  const used = tokens.flatMap((token) => /^([\w]+)=/.exec(token.text)?.[1] ?? []);
  const token = tokens.find(({ from, to }) => caret >= from && caret <= to) ?? { from: caret, to: caret, text: "" };
  const typed = token.text.slice(0, caret - token.from);
  const pair = /^(\w+)=("?)([^"]*)/.exec(typed);
  if (pair) {
    const [, argument = "", , query = ""] = pair;
    return { kind: "value", tool, argument, query, from: token.from + argument.length + 1, to: token.to };
  }
  const fresh = tool.main !== undefined && used.length === 0 && typed !== "" && !matchesArgument(tool, typed);
  if (fresh && tool.main) {
    const quoted = typed.startsWith('"') ? typed.slice(1) : text.slice(tokens[0]?.from ?? caret, caret);
    return { kind: "value", tool, argument: tool.main, query: quoted, from: tokens[0]?.from ?? caret, to: token.to };
  }
  return { kind: "argument", tool, used, query: typed, from: token.from, to: token.to };
}

function matchesArgument(tool: ToolInfo, typed: string): boolean {
  return argumentNames(tool).some((name) => name.startsWith(typed));
}

// Values hold spaces inside double quotes; an open quote reaches to the end.
function tokenize(text: string, start: number): Token[] {
  const found = text.slice(start).matchAll(/(?:[^\s"]|"[^"]*(?:"|$))+/g);
  return [...found].map((match) => ({
    from: start + match.index,
    to: start + match.index + match[0].length,
    text: match[0],
  }));
}

/** The arguments of a tool, required ones first. */
export function argumentNames(tool: ToolInfo): string[] {
  const names = Object.keys(tool.parameters.properties ?? {});
  const required = new Set(tool.parameters.required ?? []);
  return [...names.filter((name) => required.has(name)), ...names.filter((name) => !required.has(name))];
}

export function argumentSchema(tool: ToolInfo, argument: string): JSONSchema | undefined {
  return tool.parameters.properties?.[argument];
}

/** The value that another argument of the command has so far, without its quotes. */
export function argumentValue(text: string, argument: string): string {
  const match = new RegExp(`(?:^|\\s)${argument}=(?:"([^"]*)"?|(\\S*))`).exec(text);
  return match?.[1] ?? match?.[2] ?? "";
}

/** A value as it must stand in a command, or undefined when no quoting can express it. */
export function quoteValue(value: string): string | undefined {
  if (value === "" || value.includes('"')) return undefined;
  return /[\s=]/.test(value) ? `"${value}"` : value;
}

/** Replaces the spot by the completion and says where the caret goes. */
export function complete(text: string, spot: SlashSpot, insert: string): { text: string; caret: number } {
  const after = text.slice(spot.to);
  const gap = insert.endsWith("=") || after.startsWith(" ") ? "" : " ";
  const caret = spot.from + insert.length + (insert.endsWith("=") ? 0 : 1);
  return { text: text.slice(0, spot.from) + insert + gap + after, caret };
}
