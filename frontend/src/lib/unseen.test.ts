import { expect, it } from "vitest";

import { marked } from "./unseen";

it.each([
  ["\u202E", "202E"],
  ["\u200B", "200B"],
  ["\u200D", "200D"],
  ["\u2066", "2066"],
  ["\u00AD", "00AD"],
  ["\uFEFF", "FEFF"],
  ["\u0007", "0007"],
  ["\u2028", "2028"],
  ["\u{E0041}", "E0041"],
])("spells %j out", (character, code) => {
  expect(marked(`Ac${character}me`)).toBe(`Ac⟨U+${code}⟩me`);
});

it.each(["Acme\n\t海港", "👩‍💻 🏴󠁧󠁢󠁥󠁮󠁧󠁿 ❤️ 1️⃣ 🤦🏽‍♂️", "می‌خواهم", "क्‍ष", "مرحبا", "שלום"])("leaves %s as it is", (text) => {
  expect(marked(text)).toBe(text);
});
