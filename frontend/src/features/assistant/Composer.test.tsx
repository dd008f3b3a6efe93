import { act, fireEvent, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useRef, useState } from "react";
import { beforeEach, describe, expect, it, vi } from "vitest";

import { ApiError } from "@/api/client";
import { renderApp } from "@/test/render";
import { json, playServer, problem, type Call } from "@/test/server";

import { Composer, MESSAGE_LIMIT } from "./Composer";
import type { Phase } from "./streamReducer";
import type { Queue } from "./useQueue";

const tools = {
  items: [
    {
      name: "update_deal_stage",
      label: "Change deal stage",
      effect: "sensitive",
      main: "deal",
      shortForms: [],
      parameters: {
        required: ["deal", "stage"],
        properties: { deal: { "x-kind": "deal" }, stage: { "x-kind": "stage" } },
      },
    },
    { name: "search_records", label: "Search", effect: "read", shortForms: ["find"], parameters: {} },
  ],
};
const candidates = [
  { type: "deal", id: "d1", name: "Acme renewal", detail: "Acme Ltd" },
  { type: "deal", id: "d2", name: "Twin" },
  { type: "deal", id: "d3", name: "Twin" },
];
const onSend = vi.fn<(text: string, onAccepted: () => void) => Promise<void>>();
const onStop = vi.fn<() => Promise<void>>();
let calls: Call[];

type HarnessProps = { phase?: Phase | undefined; conversationId?: string | undefined; lastOwn?: string };

function Harness({ phase, conversationId, lastOwn = "" }: HarnessProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  const [queued, setQueued] = useState("");
  const take = () => {
    setQueued("");
    return queued;
  };
  const queue: Queue = { text: queued, error: undefined, put: setQueued, take };
  const fixed = { userId: "u1", field, searching: false, onSend, onStop };
  return <Composer {...fixed} conversationId={conversationId} phase={phase} queue={queue} lastOwn={lastOwn} />;
}

function show(phase?: Phase, conversationId?: string) {
  return renderApp(<Harness phase={phase} conversationId={conversationId} />);
}

const field = () => screen.getByLabelText<HTMLTextAreaElement>("Message to the assistant");
const options = () => screen.queryAllByRole("option").map((option) => option.textContent.trim());

beforeEach(() => {
  onSend.mockReset().mockResolvedValue();
  onStop.mockReset().mockResolvedValue();
  calls = playServer({
    "GET /api/tools": () => json(tools),
    "GET /api/resolve/deal": () => json({ how: "contains", candidates }),
  });
});

describe("sending", () => {
  it("is Enter; Shift+Enter makes a new line; Ctrl+Enter sends too", async () => {
    show();
    await userEvent.type(field(), "one{Shift>}{Enter}{/Shift}two");
    expect(field().value).toBe("one\ntwo");
    expect(onSend).not.toHaveBeenCalled();
    await userEvent.type(field(), "{Enter}");
    expect(onSend).toHaveBeenLastCalledWith("one\ntwo", expect.any(Function));
    await userEvent.type(field(), "{Control>}{Enter}{/Control}");
    expect(onSend).toHaveBeenCalledTimes(2);
  });

  it.each([
    ["composing", { isComposing: true }],
    ["key code 229", { keyCode: 229 }],
  ])("is never an Enter of an input method (%s)", async (_, init) => {
    show();
    await userEvent.type(field(), "你好");
    fireEvent.keyDown(field(), { key: "Enter", ...init });
    expect(onSend).not.toHaveBeenCalled();
  });

  it("needs a text that is not blank and not too long", async () => {
    show();
    const send = () => screen.getByRole("button", { name: "Send" });
    await userEvent.type(field(), "  {Enter}");
    expect(send()).toHaveProperty("disabled", true);
    fireEvent.change(field(), { target: { value: "字".repeat(MESSAGE_LIMIT) } });
    expect(send()).toHaveProperty("disabled", false);
    expect(screen.getByText("8,000 / 8,000")).toBeTruthy();
    fireEvent.change(field(), { target: { value: "字".repeat(MESSAGE_LIMIT + 1) } });
    expect(screen.getByText("8,001 / 8,000: too long")).toBeTruthy();
    expect(send()).toHaveProperty("disabled", true);
    await userEvent.type(field(), "{Enter}");
    expect(onSend).not.toHaveBeenCalled();
  });

  it("becomes Stop while a reply runs, also by Escape", async () => {
    show("streaming");
    expect(screen.queryByRole("button", { name: "Send" })).toBeNull();
    await userEvent.click(screen.getByRole("button", { name: "Stop" }));
    await userEvent.type(field(), "next{Escape}");
    expect(onSend).not.toHaveBeenCalled();
    expect(onStop).toHaveBeenCalledTimes(2);
  });
});

describe("while a reply runs", () => {
  const waiting = () => screen.queryByRole("group", { name: "Waiting message" });

  it("one message waits above the composer, and can be edited and deleted", async () => {
    show("streaming");
    await userEvent.type(field(), "next{Enter}");
    expect(onSend).not.toHaveBeenCalled();
    expect([field().value, waiting()?.textContent]).toEqual(["", expect.stringContaining("next")]);
    await userEvent.type(field(), "third{Enter}");
    expect(field().value).toBe("third");
    await userEvent.click(screen.getByRole("button", { name: "Edit" }));
    expect([field().value, waiting()]).toEqual(["next\nthird", null]);
    await userEvent.click(screen.getByRole("button", { name: "Send next" }));
    await userEvent.click(screen.getByRole("button", { name: "Delete" }));
    expect([field().value, waiting()]).toEqual(["", null]);
  });

  it("nothing waits before the server has acknowledged the message before it", async () => {
    localStorage.setItem("countersign.draft/u1/new", "Hello");
    show("sending");
    await userEvent.type(field(), "{Enter}");
    expect(waiting()).toBeNull();
  });

  it("a message that still waits after the reply is sent by hand", async () => {
    const { rerender } = show("streaming");
    await userEvent.type(field(), "next{Enter}");
    rerender(<Harness phase="finished" />);
    await userEvent.click(screen.getByRole("button", { name: "Send now" }));
    expect(onSend).toHaveBeenCalledWith("next", expect.any(Function));
    expect(waiting()).not.toBeNull();
    act(() => {
      onSend.mock.lastCall?.[1]();
    });
    expect(waiting()).toBeNull();
  });
});

describe("the field", () => {
  it("recalls the last own message by the up-arrow key, only while it is empty", async () => {
    renderApp(<Harness lastOwn="What is due?" />);
    fireEvent.keyDown(field(), { key: "ArrowUp", keyCode: 229 });
    expect(field().value).toBe("");
    await userEvent.type(field(), "{ArrowUp}");
    expect(field().value).toBe("What is due?");
    await userEvent.clear(field());
    await userEvent.type(field(), "x{ArrowUp}");
    expect(field().value).toBe("x");
  });

  it("warns of a long paste with its size", async () => {
    show();
    await userEvent.click(field());
    await userEvent.paste("字".repeat(1_999));
    expect(screen.queryByText(/^Pasted/)).toBeNull();
    await userEvent.clear(field());
    await userEvent.paste("字".repeat(2_500));
    expect(screen.getByText(/^Pasted 2,500 characters/)).toBeTruthy();
    await userEvent.clear(field());
    expect(screen.queryByText(/^Pasted/)).toBeNull();
  });
});

describe("the draft", () => {
  it("survives until the server has acknowledged the message", async () => {
    const first = show();
    await userEvent.type(field(), "Hello{Enter}");
    expect(field().value).toBe("Hello");
    first.unmount();
    show();
    expect(field().value).toBe("Hello");
    await userEvent.type(field(), "{Enter}");
    act(() => {
      onSend.mock.lastCall?.[1]();
    });
    expect(field().value).toBe("");
  });

  it("belongs to its conversation", async () => {
    const first = show(undefined, "c1");
    await userEvent.type(field(), "for c1");
    first.unmount();
    const second = show(undefined, "c2");
    expect(field().value).toBe("");
    second.unmount();
    show(undefined, "c1");
    expect(field().value).toBe("for c1");
  });

  it.each([
    ["RATE_LIMITED", 429, "Try again in 17 seconds"],
    ["TURN_IN_PROGRESS", 409, "still answering"],
    ["NOT_CONFIGURED", 503, "Ask an admin"],
    ["NETWORK", 0, "cannot be reached"],
    ["SOMETHING_NEW", 400, "The server's own words."],
  ])("stays after a refusal with %s, which is explained", async (code, status, words) => {
    onSend.mockRejectedValue(new ApiError({ status, code, detail: "The server's own words." }, 17));
    show();
    await userEvent.type(field(), "Hello{Enter}");
    expect((await screen.findByRole("alert")).textContent).toContain(words);
    expect(field().value).toBe("Hello");
  });
});

describe("completion", () => {
  it("offers commands, and Enter takes the first while the command is not whole", async () => {
    show();
    await userEvent.type(field(), "/");
    await waitFor(() => {
      expect(options()).toEqual(["/update_deal_stage Change deal stage", "/search_records Search records"]);
    });
    await userEvent.type(field(), "fi");
    expect(options()).toEqual(["/find Search records"]);
    expect(field().getAttribute("role")).toBe("combobox");
    await userEvent.type(field(), "{Enter}");
    expect(field().value).toBe("/find ");
    expect(onSend).not.toHaveBeenCalled();
  });

  it("leaves a whole command to Enter", async () => {
    show();
    await userEvent.type(field(), "/search_records");
    await screen.findAllByRole("option");
    await userEvent.type(field(), "{Enter}");
    expect(onSend).toHaveBeenCalledWith("/search_records", expect.any(Function));
  });

  it("offers arguments and then names, quoted, twins by id; Escape closes", async () => {
    show();
    await userEvent.type(field(), "/update_deal_stage ");
    await screen.findByRole("option", { name: "deal=" });
    expect(options()).toEqual(["deal=", "stage="]);
    await userEvent.type(field(), "{Tab}");
    expect(field().value).toBe("/update_deal_stage deal=");
    await userEvent.type(field(), "Acm");
    await screen.findByRole("option", { name: "Acme renewal Acme Ltd" });
    expect(calls.some(({ path }) => path === "/api/resolve/deal?q=Acm")).toBe(true);
    await userEvent.keyboard("{ArrowDown}{ArrowDown}{Enter}");
    expect(field().value).toBe("/update_deal_stage deal=d2 ");
    await userEvent.keyboard("{Escape}");
    expect(options()).toEqual([]);
  });

  it("takes a name by mouse", async () => {
    show();
    await userEvent.type(field(), "/update_deal_stage deal=Acm");
    await userEvent.click(await screen.findByRole("option", { name: /Acme renewal/ }));
    expect(field().value).toBe('/update_deal_stage deal="Acme renewal" ');
  });

  it("does not choose while an input method composes", async () => {
    show();
    await userEvent.type(field(), "/fi");
    await screen.findAllByRole("option");
    for (const key of ["Enter", "ArrowDown", "Escape"]) fireEvent.keyDown(field(), { key, keyCode: 229 });
    expect([field().value, options().length]).toEqual(["/fi", 1]);
  });

  it("stays out of the way when names cannot be had", async () => {
    calls = playServer({
      "GET /api/tools": () => json(tools),
      "GET /api/resolve/deal": () => problem(500, "INTERNAL"),
    });
    show();
    await userEvent.type(field(), "/update_deal_stage deal=x stage=y{Enter}");
    await waitFor(() => {
      expect(onSend).toHaveBeenCalledWith("/update_deal_stage deal=x stage=y", expect.any(Function));
    });
  });
});
