import { useTranslation } from "react-i18next";

import { Button } from "@/components/ui/Button";
import { setLanguage } from "@/i18n";
import { htmlLang, type Language } from "@/i18n/locale";

// A language is named in itself, for those who cannot read the other.
const NAMES: Record<Language, string> = { en: "English", "zh-HK": "繁體中文" };

export function LanguageSwitch() {
  const { i18n } = useTranslation();
  const other: Language = i18n.language === "zh-HK" ? "en" : "zh-HK";
  return (
    <Button look="quiet" lang={htmlLang(other)} onClick={() => void setLanguage(other)}>
      {NAMES[other]}
    </Button>
  );
}
