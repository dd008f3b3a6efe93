import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { Conversation } from "@/api/types";
import { renderApp } from "@/test/render";
import { json, playServer, problem, type Call } from "@/test/server";

import { groupByAge, holdsText } from "./conversationGroups";
import { ConversationList } from "./ConversationList";
import { UNDO_MS, useDeletions } from "./useDeletions";

const DAY = 86_400_000;
const conversation = (id: string, title: string, daysAgo = 0): Conversation => {
  const at = new Date(Date.now() - daysAgo * DAY).toISOString();
  return { id, title, channel: "web", createdAt: at, updatedAt: at };
};

let calls: Call[];
let items: Conversation[];
const onOpen = vi.fn<(id: string, sought: string) => void>();

function Harness() {
  const { hidden, remove } = useDeletions();
  return <ConversationList current="c1" hidden={hidden} onOpen={onOpen} onDelete={remove} />;
}

beforeEach(() => {
  onOpen.mockReset();
  items = [conversation("c1", "Acme renewal"), conversation("c2", "永明商機", 1), conversation("c3", "Ｗon deals", 40)];
  calls = playServer({
    "GET /api/conversations": () => json({ items, total: items.length }),
    "PATCH /api/conversations/c1": ({ body }) => {
      items = items.map((each) => (each.id === "c1" ? { ...each, ...(body as object) } : each));
      return json(items[0]);
    },
    "DELETE /api/conversations/c1": () => {
      items = items.filter(({ id }) => id !== "c1");
      return new Response(null, { status: 204 });
    },
  });
});
afterEach(() => {
  vi.useRealTimers();
});

const writes = () => calls.filter(({ method }) => method !== "GET").map(({ method, path }) => `${method} ${path}`);
const titles = () =>
  screen
    .queryAllByRole("listitem")
    .map((row) => within(row).getAllByRole("button")[0]?.querySelector("span")?.textContent);

it("stands under the days of the last activity, newest first", () => {
  const now = Date.parse("2026-11-29T04:00:00Z");
  const at = (id: string, updatedAt: string) => ({ ...conversation(id, id), updatedAt });
  const groups = groupByAge(
    [
      at("a", "2026-11-29T03:00:00Z"),
      at("b", "2026-11-28T16:00:00Z"),
      at("c", "2026-11-28T15:59:00Z"),
      at("d", "2026-11-27T04:00:00Z"),
      at("e", "2026-11-22T04:00:00Z"),
      at("f", "2026-11-21T04:00:00Z"),
    ],
    now,
  );
  expect(groups.map(({ age, items: found }) => [age, found.map(({ id }) => id).join("")])).toEqual([
    ["today", "ab"],
    ["yesterday", "c"],
    ["week", "de"],
    ["older", "f"],
  ]);
});

it.each([
  ["acme", "Acme renewal", true],
  ["商機", "永明商機", true],
  ["won", "Ｗon deals", true],
  ["lost", "Ｗon deals", false],
])("a search for %s in %s: %s", (q, title, want) => {
  expect(holdsText(title, q)).toBe(want);
});

it("shows groups, searches on the server, and opens a hit at what was sought", async () => {
  playServer({
    "GET /api/conversations": ({ path }) => {
      const q = new URL(path, "http://x").searchParams.get("q") ?? "";
      const found = items.filter(({ title }) => holdsText(title, q));
      return json({ items: found, total: found.length });
    },
  });
  renderApp(<Harness />);
  await screen.findByRole("heading", { name: "Today" });
  expect(screen.getAllByRole("heading").map((each) => each.textContent)).toEqual(["Today", "Yesterday", "Older"]);
  expect(titles()).toEqual(["Acme renewal", "永明商機", "Ｗon deals"]);
  await userEvent.type(screen.getByLabelText("Search titles and messages"), "商機{Enter}");
  await waitFor(() => {
    expect(titles()).toEqual(["永明商機"]);
  });
  await userEvent.click(screen.getByRole("button", { name: /^永明商機/ }));
  expect(onOpen).toHaveBeenCalledWith("c2", "商機");
  await userEvent.clear(screen.getByLabelText("Search titles and messages"));
  await userEvent.type(screen.getByLabelText("Search titles and messages"), "zzz{Enter}");
  expect(await screen.findByText("Nothing found.")).toBeTruthy();
});

describe("renaming", () => {
  const start = async () => {
    renderApp(<Harness />);
    await userEvent.click(await screen.findByRole("button", { name: "Rename “Acme renewal”" }));
    const field = screen.getByLabelText<HTMLInputElement>("Title");
    await userEvent.clear(field);
    await userEvent.type(field, "Acme 續約");
    return field;
  };

  it.each([
    ["Enter", (field: HTMLElement) => fireEvent.keyDown(field, { key: "Enter" })],
    ["leaving the field", (field: HTMLElement) => fireEvent.blur(field)],
  ])("is kept by %s, once", async (_, act) => {
    act(await start());
    await waitFor(() => {
      expect(titles()[0]).toBe("Acme 續約");
    });
    expect(writes()).toEqual(["PATCH /api/conversations/c1"]);
    expect(calls.find(({ method }) => method === "PATCH")?.body).toEqual({ title: "Acme 續約" });
  });

  it("is given up by Escape, and not kept by the Enter of an input method", async () => {
    const field = await start();
    fireEvent.keyDown(field, { key: "Enter", keyCode: 229 });
    fireEvent.keyDown(field, { key: "Escape", isComposing: true });
    expect(screen.getByLabelText("Title")).toBe(field);
    await userEvent.keyboard("{Escape}");
    expect([titles()[0], writes()]).toEqual(["Acme renewal", []]);
  });
});

describe("deleting", () => {
  const remove = async () => {
    fireEvent.click(await screen.findByRole("button", { name: "Delete “Acme renewal”" }));
    fireEvent.click(within(screen.getByRole("alertdialog")).getByRole("button", { name: "Delete" }));
  };

  it("asks once, and then waits ten seconds for Undo", async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    renderApp(<Harness />);
    await remove();
    expect(titles()).toEqual(["永明商機", "Ｗon deals"]);
    act(() => {
      vi.advanceTimersByTime(UNDO_MS - 2_000);
    });
    fireEvent.click(screen.getByRole("button", { name: "Undo" }));
    expect(titles()[0]).toBe("Acme renewal");
    act(() => {
      vi.advanceTimersByTime(UNDO_MS);
    });
    expect(writes()).toEqual([]);
  });

  it("is done when nobody undoes it, and its Undo goes away", async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    renderApp(<Harness />);
    await remove();
    act(() => {
      vi.advanceTimersByTime(UNDO_MS);
    });
    await waitFor(() => {
      expect(writes()).toEqual(["DELETE /api/conversations/c1"]);
    });
    expect(screen.queryByRole("button", { name: "Undo" })).toBeNull();
    expect(titles()).toEqual(["永明商機", "Ｗon deals"]);
  });

  it("is done at once when the page is left", async () => {
    renderApp(<Harness />);
    await remove();
    window.dispatchEvent(new Event("pagehide"));
    expect(writes()).toEqual(["DELETE /api/conversations/c1"]);
  });

  it("that fails brings the conversation back and says why", async () => {
    calls = playServer({
      "GET /api/conversations": () => json({ items, total: 3 }),
      "DELETE /api/conversations/c1": () => problem(500, "INTERNAL"),
    });
    vi.useFakeTimers({ shouldAdvanceTime: true });
    renderApp(<Harness />);
    await remove();
    act(() => {
      vi.advanceTimersByTime(UNDO_MS);
    });
    expect(await screen.findByText(/Something went wrong on the server/)).toBeTruthy();
    expect(titles()[0]).toBe("Acme renewal");
  });

  it("takes several at once, and gives all of them back", async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    renderApp(<Harness />);
    fireEvent.click(await screen.findByRole("button", { name: "Choose several" }));
    fireEvent.click(screen.getByRole("checkbox", { name: /Acme renewal/ }));
    fireEvent.click(screen.getByRole("checkbox", { name: /永明商機/ }));
    const several = async () => {
      fireEvent.click(await screen.findByRole("button", { name: "Delete 2" }));
      fireEvent.click(within(screen.getByRole("alertdialog")).getByRole("button", { name: "Delete" }));
    };
    await several();
    expect(titles()).toEqual(["Ｗon deals"]);
    fireEvent.click(screen.getByRole("button", { name: "Undo" }));
    expect(titles()).toEqual(["Acme renewal", "永明商機", "Ｗon deals"]);
    act(() => {
      vi.advanceTimersByTime(UNDO_MS);
    });
    expect(writes()).toEqual([]);
  });
});
