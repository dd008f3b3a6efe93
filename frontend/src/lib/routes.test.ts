import { expect, it } from "vitest";

import { recordOfPath, recordPath, safeNext } from "./routes";

it("links only kinds that have a page", () => {
  expect(recordPath("deal", "1")).toBe("/deals/1");
  expect(recordPath("company", "a/b")).toBe("/companies/a%2Fb");
  expect(recordPath("contact", "1")).toBe("/contacts/1");
  expect(recordPath("task", "1")).toBe("/tasks/1");
  expect(recordPath("quotation", "1")).toBe("/quotations/1");
  expect(recordPath("proposal", "1")).toBeUndefined();
});

it("finds the record that a path is the page of", () => {
  expect(recordOfPath("/deals/0199")).toEqual({ type: "deal", id: "0199" });
  expect(recordOfPath("/tasks/0199")).toEqual({ type: "task", id: "0199" });
  expect(recordOfPath("/deals")).toBeUndefined();
  expect(recordOfPath("/admin/ai-config")).toBeUndefined();
});

it.each([
  ["/deals/1?q=x", "/deals/1?q=x"],
  ["//evil.test", "/deals"],
  ["/\\evil.test", "/deals"],
  ["https://evil.test", "/deals"],
  [null, "/deals"],
])("goes on to %s only inside this UI", (next, want) => {
  expect(safeNext(next)).toBe(want);
});
