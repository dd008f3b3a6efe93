import type { ReactNode } from "react";

// The server marks the same characters on cards. What belongs to an emoji, to a word of a script that joins its letters
// or to a number in Arabic is not among them.
const JOINING = String.raw`[[\p{L}\p{M}]--[\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{sc=Han}\p{sc=Hangul}\p{sc=Hiragana}\p{sc=Katakana}]]`;
const UNSEEN = new RegExp(
  String.raw`\p{RGI_Emoji}|(?<=${JOINING})[\u200C\u200D](?=${JOINING})|` +
    String.raw`([[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}\u2028\u2029]--[\n\t\u0600-\u0605\u06DD\u070F\u0890\u0891\u08E2]])`,
  "gv",
);

/** What is shown, marked where it is a text of its own. */
export function markedNode(node: ReactNode): ReactNode {
  return typeof node === "string" ? marked(node) : node;
}

/** A text with every character in it that nobody sees spelled out, as ⟨U+202E⟩. */
export function marked(text: string): string {
  return text.replace(UNSEEN, (found, unseen?: string) => {
    if (unseen === undefined) return found;
    return `⟨U+${(unseen.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`;
  });
}
