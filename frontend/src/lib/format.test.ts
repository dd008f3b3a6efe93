import { expect, it } from "vitest";

import { calendarDay, formatterFor, fromWallClock, toWallClock } from "./format";

const en = formatterFor("en-HK");
const zh = formatterFor("zh-HK");

it("shows money with its currency and every digit", () => {
  expect(en.money({ amount: "1234.50", currency: "HKD" })).toBe("HK$1,234.50");
  expect(zh.money({ amount: "1234.50", currency: "HKD" })).toBe("HK$1,234.50");
  expect(en.money({ amount: "74073.00", currency: "USD" })).toBe("US$74,073.00");
  expect(en.money({ amount: "90071992547409931.25", currency: "HKD" })).toBe("HK$90,071,992,547,409,931.25");
  expect(en.money(undefined)).toBe("");
});

it("falls back to code and amount for a currency that Intl refuses", () => {
  expect(en.money({ amount: "5.00", currency: "??" })).toBe("?? 5.00");
});

it("shows a calendar date as that date, wherever the browser is", () => {
  expect(en.date("2026-11-29")).toBe("29 Nov 2026");
  expect(zh.date("2026-11-29")).toBe("2026年11月29日");
});

it("shows moments in Hong Kong time, noon as 下午", () => {
  expect(zh.time("2026-11-29T04:05:00Z")).toBe("下午12:05");
  expect(en.dateTime("2026-11-28T17:00:00Z")).toContain("29 Nov 2026");
});

it("shows recent moments relative to now, older ones as a date", () => {
  const now = Date.parse("2026-11-29T12:00:00Z");
  expect(en.relative("2026-11-29T11:57:30Z", now)).toBe("2 minutes ago");
  expect(zh.relative("2026-11-28T11:00:00Z", now)).toBe("昨日");
  expect(en.relative("2026-11-29T12:00:00Z", now)).toBe("now");
  expect(en.relative("2026-11-01T12:00:00Z", now)).toBe("1 Nov 2026");
});

it("counts days by the clock of Hong Kong", () => {
  const evening = calendarDay("2026-11-29T15:59:59Z");
  expect(calendarDay("2026-11-29T16:00:00Z") - evening).toBe(1);
  expect(calendarDay("2026-11-28T16:00:00Z")).toBe(evening);
  expect(calendarDay("2027-01-01T00:00:00Z") - calendarDay("2026-12-31T00:00:00Z")).toBe(1);
});

it("gives fields for a time the clock of Hong Kong, and takes it from them", () => {
  expect(toWallClock("2026-11-29T16:30:00Z")).toBe("2026-11-30T00:30");
  expect(toWallClock(undefined)).toBe("");
  expect(fromWallClock("2026-11-30T00:30")).toBe("2026-11-29T16:30:00.000Z");
});
