import type { Element, Root } from "hast";

import { marked } from "@/lib/unseen";

/** A plugin of rehype that spells out what nobody sees in a text. */
export function spellOut() {
  return spellOutIn;
}

function spellOutIn(parent: Root | Element) {
  for (const child of parent.children) {
    if (child.type === "text") child.value = marked(child.value);
    if (child.type === "element") spellOutIn(child);
  }
}
