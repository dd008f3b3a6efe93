import { expect, it } from "vitest";

import { sources, type Source } from "@/test/sources";

const all = sources();

// What each folder may import besides itself and packages.
const MAY_IMPORT: Record<string, RegExp> = {
  lib: /^lib\//,
  i18n: /^(lib|i18n)\//,
  api: /^(lib|i18n|api)\//,
  components: /^(lib|i18n|api|components)\//,
  features: /^(lib|i18n|api|components|features)\//,
  app: /^(lib|i18n|api|components|features|app)\//,
};

const isOwn = (specifier: string) => specifier.startsWith("@/") || specifier.startsWith(".");

/** Imports as paths below src. */
function importsOf({ path, text }: Source): string[] {
  const specifiers = [...text.matchAll(/(?:from|import)\s+"([^"]+)"/g)].map((match) => match[1] ?? "");
  return specifiers.filter(isOwn).map((specifier) => {
    if (specifier.startsWith("@/")) return `${specifier.slice(2)}/`;
    return new URL(specifier, `http://src/${path}`).pathname.slice(1);
  });
}

it("keeps the folders in order", () => {
  const wrong = all.flatMap((source) => {
    const allowed = MAY_IMPORT[source.path.split("/")[0] ?? ""];
    if (!allowed || !source.path.includes("/")) return [];
    return importsOf(source)
      .filter((target) => !allowed.test(target))
      .map((target) => `${source.path} imports ${target}`);
  });
  expect(all.length).toBeGreaterThan(40);
  expect(wrong).toEqual([]);
});

it("keeps the features apart", () => {
  const wrong = all.flatMap((source) => {
    const own = /^features\/[^/]+\//.exec(source.path)?.[0];
    if (!own) return [];
    return importsOf(source)
      .filter((target) => target.startsWith("features/") && !target.startsWith(own))
      .map((target) => `${source.path} imports ${target}`);
  });
  expect(wrong).toEqual([]);
});

it("asks one helper whether a key is Enter", () => {
  const raw = all.filter(({ path, text }) => path !== "lib/ime.ts" && /["']Enter["']/.test(text));
  expect(raw.map(({ path }) => path)).toEqual([]);
});

it("formats in the locales of Hong Kong only, in one place", () => {
  const raw = all.filter(
    ({ path, text }) => path !== "lib/format.ts" && /\bIntl\.|toLocale(String|Date|Time)/.test(text),
  );
  expect(raw.map(({ path }) => path)).toEqual([]);
});

it("puts no HTML of others on the page", () => {
  expect(all.filter(({ text }) => /dangerouslySetInnerHTML|\.innerHTML/.test(text))).toEqual([]);
});
