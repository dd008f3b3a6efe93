import { recall, remember } from "@/lib/storage";

/** The languages shipped; also the values of Accept-Language for zh-HK (English is sent as en-HK). */
export type Language = "en" | "zh-HK";

export const LANGUAGES: readonly Language[] = ["en", "zh-HK"];

const STORAGE_KEY = "language";

/**
 * Chooses the language: the person's stored setting, else the first of the browser's languages that is
 * shipped. Any Chinese gives Traditional Chinese, the only Chinese there is; anything else English.
 */
export function chooseLanguage(stored: string | null, browser: readonly string[]): Language {
  const setting = LANGUAGES.find((language) => language === stored);
  if (setting) return setting;
  const first = browser.map((tag) => tag.toLowerCase()).find((tag) => /^(zh|en)(-|$)/.test(tag));
  return first?.startsWith("zh") ? "zh-HK" : "en";
}

export function startLanguage(): Language {
  return chooseLanguage(recall(STORAGE_KEY), navigator.languages);
}

export function storeLanguage(language: Language): void {
  remember(STORAGE_KEY, language);
}

/** The tag for <html lang>. */
export function htmlLang(language: string): string {
  return language === "zh-HK" ? "zh-Hant-HK" : "en-HK";
}

/** The tag for the Accept-Language header. */
export function acceptLanguage(language: string): string {
  return language === "zh-HK" ? "zh-HK" : "en-HK";
}
