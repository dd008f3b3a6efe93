import { readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { sources } from "@/test/sources";

import en from "./en.json";
import { acceptLanguage, chooseLanguage, htmlLang } from "./locale";
import zhHK from "./zh-HK.json";

type Tree = { [key: string]: string | Tree };

function flat(tree: Tree, prefix = ""): Map<string, string> {
  const entries = Object.entries(tree).flatMap(([key, value]) =>
    typeof value === "string" ? [[prefix + key, value] as const] : [...flat(value, `${prefix}${key}.`)],
  );
  return new Map(entries);
}

// Chinese has one plural form, English two.
const base = (key: string) => key.replace(/_(one|other)$/, "");
const catalogues = { en: flat(en), "zh-HK": flat(zhHK) };
const keys = new Set([...catalogues.en.keys()].map(base));
const placeholders = (text: string) => [...text.matchAll(/\{\{(\w+)\}\}/g)].map((match) => match[1]).sort();

describe("the catalogues", () => {
  it("have the same keys, and no empty text", () => {
    expect(new Set([...catalogues["zh-HK"].keys()].map(base))).toEqual(keys);
    for (const catalogue of Object.values(catalogues)) {
      for (const [key, text] of catalogue) expect(text.trim(), key).not.toBe("");
    }
  });

  it("have the same placeholders", () => {
    for (const [key, text] of catalogues["zh-HK"]) {
      expect(placeholders(text), key).toEqual(placeholders(catalogues.en.get(key) ?? ""));
    }
  });

  it("have a sentence for every failure of a model that the server can tell of", () => {
    const codes = [...readFileSync("../agent/failure.go", "utf8").matchAll(/"(MODEL_[A-Z_]+)"/g)];
    expect(codes.length).toBeGreaterThan(10);
    expect(codes.map(([, code]) => `errors.${code ?? ""}`).filter((key) => !keys.has(key))).toEqual([]);
  });

  it("have a name for every tool of the server", () => {
    const labels = JSON.parse(readFileSync("../i18n/active.en.json", "utf8")) as Record<string, unknown>;
    const tools = Object.keys(labels).flatMap((key) => /^tool\.(\w+)\.label$/.exec(key)?.[1] ?? []);
    expect(tools.length).toBeGreaterThan(20);
    expect(tools.filter((name) => !keys.has(`tool.${name}`))).toEqual([]);
  });

  it("write Traditional Chinese only", () => {
    const simplified = /[们这说发将为对时会样关开设计务确认过还请输选择总类联网]/;
    for (const [key, text] of catalogues["zh-HK"]) expect(simplified.test(text), key).toBe(false);
  });
});

describe("the sources", () => {
  const all = sources()
    .map(({ text }) => text)
    .join("\n");
  const quoted = new Set([...all.matchAll(/["'`]([a-zA-Z]+(?:\.[\w]+)+)["'`]/g)].map((match) => match[1] ?? ""));
  const prefixes = [...all.matchAll(/`([a-zA-Z]+(?:\.[\w]+)*\.)\$\{/g)].map((match) => match[1] ?? "");

  it("use no key that is missing", () => {
    const used = [...all.matchAll(/\bt\(\s*"([^"]+)"/g)].map((match) => match[1] ?? "");
    expect(used.length).toBeGreaterThan(50);
    expect(used.filter((key) => !keys.has(key))).toEqual([]);
    expect(prefixes.filter((prefix) => ![...keys].some((key) => key.startsWith(prefix)))).toEqual([]);
  });

  it("use every key that there is", () => {
    const unused = [...keys].filter((key) => !quoted.has(key) && !prefixes.some((prefix) => key.startsWith(prefix)));
    expect(unused).toEqual([]);
  });
});

describe("the language", () => {
  it.each([
    ["a stored setting wins", "en", ["zh-HK"], "en"],
    ["any Chinese is Traditional Chinese", null, ["zh-CN", "en"], "zh-HK"],
    ["also without a region", null, ["zh"], "zh-HK"],
    ["the first shipped one counts", null, ["fr-FR", "en-GB", "zh-TW"], "en"],
    ["else English", null, ["fr-FR"], "en"],
    ["a setting of another time is ignored", "fr", ["zh-Hant-TW"], "zh-HK"],
    ["a browser that says nothing", null, [], "en"],
  ])("%s", (_, stored, browser, want) => {
    expect(chooseLanguage(stored, browser)).toBe(want);
  });

  it("has its tags", () => {
    expect([htmlLang("en"), htmlLang("zh-HK")]).toEqual(["en-HK", "zh-Hant-HK"]);
    expect([acceptLanguage("en"), acceptLanguage("zh-HK")]).toEqual(["en-HK", "zh-HK"]);
  });
});
