import { afterEach, beforeEach, expect, it } from "vitest";

import { isComposing, isEnter, watchComposition } from "./ime";

let unwatch: () => void;
beforeEach(() => {
  unwatch = watchComposition();
});
afterEach(() => {
  unwatch();
});

function key(init: KeyboardEventInit & { keyCode?: number; at?: number }): KeyboardEvent {
  const event = new KeyboardEvent("keydown", init);
  Object.defineProperties(event, {
    keyCode: { value: init.keyCode ?? 13 },
    isComposing: { value: init.isComposing ?? false },
    timeStamp: { value: init.at ?? 10_000 },
  });
  return event;
}

it.each([
  ["a plain Enter", key({ key: "Enter" }), true],
  ["another key", key({ key: "a" }), false],
  ["Enter that confirms a composition", key({ key: "Enter", isComposing: true }), false],
  ["Enter that an input method has taken", key({ key: "Enter", keyCode: 229 }), false],
])("%s", (_, event, want) => {
  expect(isEnter(event)).toBe(want);
});

it.each([
  [50, false],
  [100, false],
  [101, true],
])("Enter %i ms after the composition ended", (ms, want) => {
  const end = new Event("compositionend");
  Object.defineProperty(end, "timeStamp", { value: 5_000 });
  document.dispatchEvent(end);
  expect(isEnter(key({ key: "Enter", at: 5_000 + ms }))).toBe(want);
});

it("arrows and Escape of a composition are the input method's", () => {
  expect(isComposing(key({ key: "Escape", isComposing: true }))).toBe(true);
  expect(isComposing(key({ key: "ArrowDown", keyCode: 229 }))).toBe(true);
  expect(isComposing(key({ key: "ArrowDown" }))).toBe(false);
});
