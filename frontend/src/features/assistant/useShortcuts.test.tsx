import { fireEvent, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { renderApp } from "@/test/render";

import { ShortcutsDialog } from "./ShortcutsDialog";
import { useShortcuts } from "./useShortcuts";

const act = vi.fn();

function Harness({ open }: { open: boolean }) {
  const { on, turn } = useShortcuts(act);
  return <ShortcutsDialog open={open} onOpenChange={() => undefined} on={on} onTurn={turn} />;
}

beforeEach(() => {
  act.mockReset();
});
afterEach(() => {
  localStorage.clear();
});

it.each([
  [{ key: "j", ctrlKey: true }, ["panel"]],
  [{ key: ".", metaKey: true }, ["newest"]],
  [{ key: "/", ctrlKey: true, shiftKey: true }, ["help"]],
  [{ key: "j" }, []],
  [{ key: "j", ctrlKey: true, altKey: true }, []],
  [{ key: "j", ctrlKey: true, isComposing: true }, []],
  [{ key: "/", ctrlKey: true, keyCode: 229 }, []],
])("%j does %j", (event, want) => {
  renderApp(<Harness open={false} />);
  const untouched = fireEvent.keyDown(document.body, event);
  expect(act.mock.calls.flat()).toEqual(want);
  expect(untouched).toBe(want.length === 0);
});

it("leaves what is behind a dialog alone", () => {
  renderApp(<Harness open />);
  fireEvent.keyDown(document.body, { key: "j", ctrlKey: true });
  expect(act).not.toHaveBeenCalled();
});

it("can be switched off for good, all but the list", async () => {
  const { unmount } = renderApp(<Harness open />);
  await userEvent.click(screen.getByRole("checkbox", { name: "Use these shortcuts" }));
  unmount();
  renderApp(<Harness open={false} />);
  for (const key of ["j", ".", "/"]) fireEvent.keyDown(document.body, { key, ctrlKey: true });
  expect(act.mock.calls.flat()).toEqual(["help"]);
});
