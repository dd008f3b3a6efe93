import i18next from "i18next";
import { initReactI18next } from "react-i18next";

import en from "./en.json";
import { htmlLang, LANGUAGES, startLanguage, storeLanguage, type Language } from "./locale";
import zhHK from "./zh-HK.json";

export const i18n = i18next.createInstance();

/** Makes the catalogues ready before the first render, so that no key is ever on screen. */
export function startI18n(language: Language = startLanguage()): void {
  i18n.on("languageChanged", (lng) => {
    document.documentElement.lang = htmlLang(lng);
  });
  void i18n.use(initReactI18next).init({
    resources: { en: { translation: en }, "zh-HK": { translation: zhHK } },
    lng: language,
    fallbackLng: "en",
    supportedLngs: [...LANGUAGES],
    initAsync: false,
    interpolation: { escapeValue: false },
  });
}

/** Switches the language and remembers it as the person's setting. */
export async function setLanguage(language: Language): Promise<void> {
  storeLanguage(language);
  await i18n.changeLanguage(language);
}
