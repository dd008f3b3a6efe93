import { fireEvent, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it, vi } from "vitest";

import { renderApp } from "@/test/render";
import { json, playServer } from "@/test/server";

import { RecordPicker } from "./RecordPicker";

const onChange = vi.fn();
const field = () => screen.getByRole<HTMLInputElement>("combobox", { name: "Company" });

beforeEach(() => {
  onChange.mockClear();
  const candidates = ["Acme", "Acorn"].map((name, index) => ({ type: "company", id: `c${String(index)}`, name }));
  playServer({
    "GET /api/companies": () => json({ items: [{ id: "c9", name: "Any" }], total: 1 }),
    "GET /api/resolve/company": () => json({ candidates }),
  });
  renderApp(<RecordPicker kind="company" label="Company" name="Ballet Co" onChange={onChange} />);
});

it("offers what fits, and takes it by arrow keys and Enter", async () => {
  await userEvent.clear(field());
  await userEvent.type(field(), "ac");
  await screen.findByRole("option", { name: "Acme" });
  await userEvent.keyboard("{ArrowDown}");
  const active = screen.getByRole("option", { name: "Acorn" });
  expect(field().getAttribute("aria-activedescendant")).toBe(active.id);
  await userEvent.keyboard("{Enter}");
  expect([field().value, onChange.mock.lastCall]).toEqual(["Acorn", ["c1"]]);
  expect(screen.queryByRole("listbox")).toBeNull();
});

it("changes nothing by words that were not chosen", async () => {
  await userEvent.type(field(), "x");
  await screen.findByRole("option", { name: "Acme" });
  await userEvent.keyboard("{Escape}");
  expect(screen.queryByRole("listbox")).toBeNull();
  await userEvent.tab();
  expect(field().value).toBe("Ballet Co");
  expect(onChange).not.toHaveBeenCalled();
});

it("clears the record when it is emptied", async () => {
  await userEvent.clear(field());
  expect(onChange.mock.calls).toEqual([[""]]);
  await userEvent.tab();
  expect(field().value).toBe("");
});

it("leaves the keys of a composition to the input method", async () => {
  await userEvent.clear(field());
  await userEvent.type(field(), "ac");
  await screen.findByRole("option", { name: "Acme" });
  fireEvent.keyDown(field(), { key: "Enter", keyCode: 229 });
  fireEvent.keyDown(field(), { key: "Escape", isComposing: true });
  expect(onChange.mock.calls).toEqual([[""]]);
  expect(screen.getByRole("listbox")).toBeTruthy();
});
