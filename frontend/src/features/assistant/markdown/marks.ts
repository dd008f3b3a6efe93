import type { Element, ElementContent, Root, Text } from "hast";

import type { Mark, ReplyNotice } from "@/api/types";

/** A figure in a text, at a code unit. */
export type Place = { at: number; text: string };

const NONE: readonly Place[] = [];
const NO_MARKS: readonly Mark[] = [];

/** The marks of all notices of a reply. */
export function marksOf(notices: readonly ReplyNotice[]): readonly Mark[] {
  const marks = notices.flatMap(({ marks: some }) => some ?? []);
  return marks.length === 0 ? NO_MARKS : marks;
}

/** Where the marks stand in a text. Each is looked for where it says, or else anywhere. */
export function placesOf(text: string, marks: readonly Mark[]): readonly Place[] {
  if (marks.length === 0) return NONE;
  const characters = Array.from(text);
  return marks
    .map((mark) => {
      const at = characters.slice(0, mark.start).join("").length;
      return { at: text.startsWith(mark.text, at) ? at : text.indexOf(mark.text), text: mark.text };
    })
    .filter(({ at, text: figure }) => at >= 0 && figure !== "");
}

/** The places within one of the blocks that a text was cut into, counted from the block's own beginning. */
export function withinBlock(places: readonly Place[], blocks: readonly string[], index: number): readonly Place[] {
  if (places.length === 0) return NONE;
  const start = blocks.slice(0, index).reduce((length, block) => length + block.length + 1, 0);
  const end = start + (blocks[index] ?? "").length;
  const within = places.filter(({ at }) => at >= start && at < end).map(({ at, text }) => ({ at: at - start, text }));
  return within.length === 0 ? NONE : within;
}

/** A plugin of rehype that wraps figures into mark elements. */
export function markFigures(places: readonly Place[]) {
  return (root: Root) => {
    markIn(root, places);
  };
}

function markIn(parent: Root | Element, places: readonly Place[]) {
  // A doctype, which alone makes the children of a root differ, never comes of markdown.
  const children = parent.children as ElementContent[];
  parent.children = children.flatMap((child) => {
    if (child.type === "text") return split(child, places);
    if (child.type === "element") markIn(child, places);
    return [child];
  });
}

function split(node: Text, places: readonly Place[]): ElementContent[] {
  const start = node.position?.start.offset;
  const end = node.position?.end.offset;
  if (start === undefined || end === undefined) return [node];
  const parts: ElementContent[] = [];
  let from = 0;
  for (const { at, text } of [...places].sort((a, b) => a.at - b.at)) {
    if (at < start || at >= end) continue;
    // Escapes make the source longer than what is shown, never shorter.
    const found = node.value.lastIndexOf(text, at - start);
    if (found < from) continue;
    parts.push({ type: "text", value: node.value.slice(from, found) }, marked(text));
    from = found + text.length;
  }
  return parts.length === 0 ? [node] : [...parts, { type: "text", value: node.value.slice(from) }];
}

function marked(text: string): Element {
  return { type: "element", tagName: "mark", properties: {}, children: [{ type: "text", value: text }] };
}
