import { useMemo } from "react";
import { useTranslation } from "react-i18next";

export type MoneyValue = { amount: string; currency: string };

/** The locales of Intl: never zh-TW or zh-Hant, which print HK$123萬 and 中午. */
export type IntlLocale = "en-HK" | "zh-HK";

// People of one organisation share its wall clock, wherever the browser happens to be.
const TIME_ZONE = "Asia/Hong_Kong";

export type Formatter = {
  money: (value: MoneyValue | null | undefined) => string;
  /** A cost, which may be a small part of a cent: all its digits. */
  cost: (value: MoneyValue) => string;
  number: (value: number) => string;
  /** A calendar date such as "2026-11-29". */
  date: (value: string | null | undefined) => string;
  /** A moment in RFC 3339. */
  dateTime: (value: string | null | undefined) => string;
  time: (value: string) => string;
  relative: (value: string, now?: number) => string;
};

const STEPS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

/** Builds the formatters of one locale. Money goes in as a decimal string, so no digit is lost. */
export function formatterFor(locale: IntlLocale): Formatter {
  const day = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeZone: "UTC" });
  const moment = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short", timeZone: TIME_ZONE });
  const clock = new Intl.DateTimeFormat(locale, { timeStyle: "short", timeZone: TIME_ZONE });
  const momentDay = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeZone: TIME_ZONE });
  const ago = new Intl.RelativeTimeFormat(locale, { numeric: "auto" });
  const plain = new Intl.NumberFormat(locale);
  return {
    money: (value) => (value ? formatMoney(locale, value) : ""),
    cost: (value) => formatMoney(locale, value, { maximumFractionDigits: 6 }),
    number: (value) => plain.format(value),
    date: (value) => (value ? day.format(new Date(`${value}T00:00:00Z`)) : ""),
    dateTime: (value) => (value ? moment.format(new Date(value)) : ""),
    time: (value) => clock.format(new Date(value)),
    relative: (value, now = Date.now()) => {
      const seconds = (new Date(value).getTime() - now) / 1000;
      if (Math.abs(seconds) >= 7 * 86_400) return momentDay.format(new Date(value));
      const step = STEPS.find(([, size]) => Math.abs(seconds) >= size);
      return step ? ago.format(Math.trunc(seconds / step[1]), step[0]) : ago.format(0, "second");
    },
  };
}

/** The number of the calendar day of a moment, on the wall clock: days can be told apart by subtraction. */
export function calendarDay(moment: string | number): number {
  const parts = DAY_PARTS.formatToParts(new Date(moment));
  const part = (type: string) => Number(parts.find((each) => each.type === type)?.value);
  return Date.UTC(part("year"), part("month") - 1, part("day")) / 86_400_000;
}

// Hong Kong keeps one offset all year.
const OFFSET = "+08:00";
const OFFSET_MS = 8 * 3_600_000;

/** A moment on the wall clock, as an input of the type datetime-local has it. */
export function toWallClock(moment: string | undefined): string {
  return moment ? new Date(Date.parse(moment) + OFFSET_MS).toISOString().slice(0, 16) : "";
}

/** The moment that such an input means. */
export function fromWallClock(local: string): string {
  return new Date(`${local}${OFFSET}`).toISOString();
}

const DAY_PARTS = new Intl.DateTimeFormat("en-HK", {
  timeZone: TIME_ZONE,
  year: "numeric",
  month: "numeric",
  day: "numeric",
});

function formatMoney(
  locale: IntlLocale,
  { amount, currency }: MoneyValue,
  digits: Intl.NumberFormatOptions = {},
): string {
  try {
    const style = new Intl.NumberFormat(locale, { style: "currency", currency, ...digits });
    return style.format(amount as Intl.StringNumericLiteral);
  } catch {
    return `${currency} ${amount}`;
  }
}

/** The formatters of the language on screen. */
export function useFormat(): Formatter {
  const { i18n } = useTranslation();
  const locale: IntlLocale = i18n.language === "zh-HK" ? "zh-HK" : "en-HK";
  return useMemo(() => formatterFor(locale), [locale]);
}
