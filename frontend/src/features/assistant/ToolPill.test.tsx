import { act, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";

import type { ToolStatus } from "@/api/types";
import { renderApp } from "@/test/render";

import { ToolPills } from "./ToolPills";

const call = { callId: "c1", name: "get_deal", label: "server label", args: { deal: "Acme" } };

it.each<[ToolStatus, string]>([
  ["preparing", "preparing"],
  ["running", "running"],
  ["ok", "done"],
  ["failed", "failed"],
  ["denied", "not allowed"],
  ["stopped", "stopped"],
  ["proposed", "proposed a change"],
])("says %s in words, with a translated name", (status, words) => {
  renderApp(<ToolPills calls={[{ ...call, status }]} />);
  expect(screen.getByRole("button").textContent).toBe(`Look up deal ${words}`);
});

it("falls back to the server's label, and shows long durations only", () => {
  renderApp(<ToolPills calls={[{ ...call, name: "new_tool", status: "ok", ms: 1_240 }]} />);
  expect(screen.getByRole("button").textContent).toBe("server label done · 1.2 s");
});

it("shows arguments and result behind its caret", async () => {
  renderApp(<ToolPills calls={[{ ...call, status: "ok", result: { id: "deal-1" } }]} />);
  expect(screen.queryByText(/"deal": "Acme"/)).toBeNull();
  await userEvent.click(screen.getByRole("button"));
  expect(screen.getByText(/"deal": "Acme"/)).toBeTruthy();
  expect(screen.getByText(/"id": "deal-1"/)).toBeTruthy();
  expect(screen.getAllByRole("button", { name: "Copy" })).toHaveLength(2);
});

it("spells out what nobody sees", async () => {
  renderApp(<ToolPills calls={[{ ...call, args: { deal: "Ac\u202Eme" }, status: "ok", summary: "Ac\u200Bme" }]} />);
  expect(screen.getByText("Ac⟨U+200B⟩me")).toBeTruthy();
  await userEvent.click(screen.getByRole("button"));
  expect(screen.getByText(/"deal": "Ac⟨U\+202E⟩me"/)).toBeTruthy();
});

it("lists the candidates of an ambiguous name", () => {
  const candidates = [{ type: "deal", id: "1", name: "Acme renewal", detail: "Acme Ltd" }];
  const error = { kind: "ambiguous", message: "Which deal do you mean?", retry: true, candidates };
  renderApp(<ToolPills calls={[{ ...call, status: "failed", error }]} />);
  expect(screen.getByText("Which deal do you mean?")).toBeTruthy();
  expect(screen.getAllByRole("list").at(-1)?.textContent).toContain("Acme Ltd");
});

describe("calls of one tool right after each other", () => {
  const calls = (...statuses: ToolStatus[]) =>
    statuses.map((status, index) => ({ ...call, callId: `c${String(index)}`, status }));

  it("fold into one line that says how many, and runs while one of them does", () => {
    const { rerender } = renderApp(<ToolPills calls={calls("ok", "running", "ok")} />);
    expect(screen.getByRole("button").textContent).toBe("Look up deal × 3 running");
    rerender(<ToolPills calls={calls("ok", "ok", "ok")} />);
    expect(screen.getByRole("button").textContent).toBe("Look up deal × 3 done");
  });

  it.each<[string, ToolStatus[], number]>([
    ["a failed one stays in sight", ["ok", "failed", "ok", "ok"], 3],
    ["a denied one stays in sight", ["denied", "denied"], 2],
  ])("%s", (_, statuses, lines) => {
    renderApp(<ToolPills calls={calls(...statuses)} />);
    expect(screen.getAllByRole("button")).toHaveLength(lines);
  });

  it("do not fold across another tool", () => {
    const [a, b, c] = calls("ok", "ok", "ok");
    renderApp(<ToolPills calls={[a, { ...b, name: "get_company" }, c] as (typeof call & { status: ToolStatus })[]} />);
    expect(screen.getAllByRole("button")).toHaveLength(3);
  });

  it("keep open what was open before they were more than one", async () => {
    const { rerender } = renderApp(<ToolPills calls={calls("running")} />);
    await userEvent.click(screen.getByRole("button", { expanded: false }));
    rerender(<ToolPills calls={calls("ok", "running")} />);
    expect(screen.getByText(/"deal": "Acme"/)).toBeTruthy();
    const group = screen.getByRole("button", { name: /× 2/ });
    await userEvent.click(group);
    expect(group.getAttribute("aria-expanded")).toBe("false");
    await userEvent.click(group);
    const items = within(screen.getAllByRole("list").at(-1) as HTMLElement).getAllByRole("button", {
      name: /^Look up deal (done|running)/,
    });
    await userEvent.click(items[1] as HTMLElement);
    expect(group.getAttribute("aria-expanded")).toBe("true");
  });
});

it("counts the seconds of a call that runs, from the first on", () => {
  vi.useFakeTimers();
  try {
    renderApp(<ToolPills calls={[{ ...call, status: "running" }]} />);
    expect(screen.getByRole("button").textContent).toBe("Look up deal running");
    act(() => {
      vi.advanceTimersByTime(3_000);
    });
    expect(screen.getByRole("button").textContent).toBe("Look up deal running · 3 s");
  } finally {
    vi.useRealTimers();
  }
});
