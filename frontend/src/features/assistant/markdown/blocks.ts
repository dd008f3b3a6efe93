import remend from "remend";

const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/;
const LIST_ITEM = /^(?:[-*+]|\d{1,9}[.)])(?:\s|$)/;
const DEFINITION = /^ {0,3}\[[^\]]+\]:\s/m;

/**
 * Cuts markdown into pieces that mean the same alone as together, so that a settled piece is parsed once
 * while the text below it grows. Text that defines references stays whole.
 */
export function splitBlocks(text: string): string[] {
  if (DEFINITION.test(text)) return [text];
  const blocks: string[][] = [[]];
  let fence: string | undefined;
  let afterBlank = false;
  for (const line of text.split("\n")) {
    const block = blocks.at(-1) ?? [];
    if (!fence && afterBlank && startsBlock(line, block)) blocks.push([line]);
    else block.push(line);
    fence = fenceAfter(line, fence);
    afterBlank = line.trim() === "";
  }
  return blocks.map((lines) => lines.join("\n"));
}

// What is indented, and the next item of a loose list, belongs to what is above it.
function startsBlock(line: string, block: readonly string[]): boolean {
  if (!/^\S/.test(line) || block.every((above) => above.trim() === "")) return false;
  return !(LIST_ITEM.test(line) && LIST_ITEM.test(block[0] ?? ""));
}

/** The fence that is open after a line, or undefined outside of code. */
function fenceAfter(line: string, fence: string | undefined): string | undefined {
  const [, marks = "", rest = ""] = FENCE.exec(line) ?? [];
  if (!marks) return fence;
  if (!fence) return marks.startsWith("`") && rest.includes("`") ? undefined : marks;
  return marks.startsWith(fence) && rest.trim() === "" ? undefined : fence;
}

/**
 * Closes what the last block of a growing text has opened, and holds back what cannot be told yet: the
 * reader never sees a raw marker turn into something else.
 */
export function repair(block: string): string {
  if (isInFence(block)) return holdClosingFence(block);
  const held = HOLD.reduce((text, hold) => hold(text), block);
  return remend(held, {
    linkMode: "text-only",
    htmlTags: false,
    comparisonOperators: false,
    katex: false,
    singleTilde: false,
  });
}

/** Reports whether nothing of a growing text can be shown yet. */
export const isHeldBack = (text: string) => splitBlocks(text).length === 1 && repair(text).trim() === "";

function isInFence(block: string): boolean {
  return (
    block.split("\n").reduce<string | undefined>((fence, line) => fenceAfter(line, fence), undefined) !== undefined
  );
}

const holdClosingFence = (block: string) => block.replace(/\n {0,3}(`+|~+)$/, "");

// In this order: a table first, or its delimiter row would pass for other markers.
const HOLD: readonly ((text: string) => string)[] = [
  holdTableHead,
  // A line of nothing but marks may become a heading, a rule, a list or a fence.
  (text) => text.replace(/(^|\n) {0,3}(?:-+|\*+|_+|=+|#{1,6}|`+|~+|\+|\d{1,9}[.)]?) *$/, "$1"),
  // Half of a closing pair.
  (text) =>
    text
      .replace(/(\*\*[^*\n]+)\*$/, "$1")
      .replace(/(__[^_\n]+)_$/, "$1")
      .replace(/(~~[^~\n]+)~$/, "$1"),
  // A mark that opens something, before its first letter; an escape before what it escapes.
  (text) =>
    text.replace(/(^|[^*_~`\\])(?:[*_~]{1,3}|`+)$/, (all, before: string) => (isOpening(text, all) ? before : all)),
  (text) => text.replace(/(^|[^\\])\\$/, "$1"),
  // An image is never shown; a bracketed link shows its words until its address is known.
  (text) => text.replace(/!(?:\[[^\]]*)?$/, (mark) => (mark === "!" ? "!" : "")),
  (text) => text.replace(/(!?)\[([^[\]\n]*)\]$/, (_, image: string, words: string) => (image ? "" : words)),
  holdAddress,
  (text) => text.replace(/<(?:h|ht|htt|https?|https?:[^\s>]*)?$/, ""),
];

// An address may hold brackets of its own.
function holdAddress(text: string): string {
  const at = text.lastIndexOf("](");
  const address = text.slice(at + 1);
  if (at < 0 || address.includes("\n") || address.split("(").length <= address.split(")").length) return text;
  return text
    .slice(0, at + 1)
    .replace(/(!?)\[([^[\]\n]*)\]$/, (_, image: string, words: string) => (image ? "" : words));
}

// A run of marks at the end closes what the text before it has left open; otherwise it opens something.
function isOpening(text: string, match: string): boolean {
  const marks = match.replace(/^[^*_~`]/, "");
  const before = text.slice(0, text.length - marks.length);
  return before.split(marks).length % 2 === 1;
}

const DELIMITER_CHARS = /^[\s:|-]+$/;

/** Holds the head of a table back until its delimiter row says that it is one. */
function holdTableHead(text: string): string {
  const lines = text.replace(/\n$/, "").split("\n");
  const start = lines.findLastIndex((line) => line.trim() === "") + 1;
  const last = lines.at(-1) ?? "";
  const chunk = lines.slice(start);
  const head = chunk.length > 1 && DELIMITER_CHARS.test(last) ? chunk.at(-2) : last;
  if (!head?.includes("|") || head.includes("`") || hasTable(chunk.slice(0, -1))) return text;
  if (head !== last && cells(last) === cells(head) && /-/.test(last.trim().split("|").filter(Boolean).at(-1) ?? "")) {
    return text;
  }
  return lines.slice(0, head === last ? -1 : -2).join("\n");
}

function hasTable(lines: readonly string[]): boolean {
  return lines.some((line, index) => index > 0 && isDelimiter(line) && cells(line) === cells(lines[index - 1] ?? ""));
}

const isDelimiter = (line: string) => DELIMITER_CHARS.test(line) && line.includes("-");

const cells = (line: string) => line.trim().replace(/^\|/, "").replace(/\|$/, "").split("|").length;
