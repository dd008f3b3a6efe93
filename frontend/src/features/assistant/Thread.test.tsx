import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";

import { renderApp } from "@/test/render";

import { Thread } from "./Thread";
import type { MessageView } from "./view";

const view = (fields: Partial<MessageView>): MessageView => ({
  key: "reply",
  role: "assistant",
  text: "An **answer**.",
  status: "complete",
  tools: [],
  proposals: [],
  refs: [],
  notices: [],
  ...fields,
});
const question = view({ key: "question", role: "user", text: "What is **due**?" });
const usage = { promptTokens: 1_200, completionTokens: 34, cachedTokens: 0, known: true, rounds: 2 };

function show(reply: Partial<MessageView>, more: MessageView[] = []) {
  const onSend = vi.fn<(text: string) => void>();
  const onCarryOver = vi.fn<(answer: string) => void>();
  const ui = (fields: Partial<MessageView>) => (
    <Thread
      messages={[question, view(fields), ...more]}
      sent={0}
      opened={{ times: 0, sought: "" }}
      onSend={onSend}
      onCarryOver={onCarryOver}
    />
  );
  const { rerender } = renderApp(ui(reply));
  return {
    onSend,
    onCarryOver,
    rerender: (fields: Partial<MessageView>) => {
      rerender(ui(fields));
    },
  };
}

it("says that it works until there is something to read", () => {
  const { rerender } = show({ status: "running", text: "" });
  expect(screen.getByText("Working…")).toBeTruthy();
  rerender({ status: "running", text: "| Deal | Am" });
  expect(screen.getByText("Working…")).toBeTruthy();
  rerender({ status: "running", text: "Deals:\n\n| Deal | Am" });
  expect(screen.queryByText("Working…")).toBeNull();
});

it("takes the last answer along out of a full conversation", async () => {
  const notices = [{ code: "CONVERSATION_FULL", text: "It can be taken along." }];
  const full = view({ key: "full", text: "This conversation is full.", notices });
  const { onCarryOver } = show({}, [{ ...full, key: "before", notices: [] }, full]);
  await userEvent.click(screen.getByRole("button", { name: "Start a new conversation with the last answer" }));
  expect(onCarryOver).toHaveBeenCalledWith("An **answer**.");
});

it("carries the summary over where there is one", async () => {
  const full = view({ text: "This conversation is full.", notices: [{ code: "CONVERSATION_FULL", text: "Full." }] });
  const onCarrySummary = vi.fn();
  const rest = { sent: 0, opened: { times: 0, sought: "" }, onSend: vi.fn(), onCarryOver: vi.fn() };
  renderApp(<Thread messages={[full]} {...rest} onCarrySummary={onCarrySummary} />);
  await userEvent.click(screen.getByRole("button", { name: "Carry a summary over into a new conversation" }));
  expect(onCarrySummary).toHaveBeenCalledOnce();
});

const button = (name: string) => screen.queryByRole("button", { name });

describe("an answer", () => {
  it("is markdown; what the person wrote is not", () => {
    show({});
    expect(screen.getByText("answer").tagName).toBe("STRONG");
    expect(screen.getByText("What is **due**?")).toBeTruthy();
  });

  it("can be copied with its markdown once it is finished", async () => {
    const user = userEvent.setup();
    const { rerender } = show({ status: "running" });
    expect(button("Copy")).toBeNull();
    rerender({ status: "complete" });
    await user.click(screen.getByRole("button", { name: "Copy" }));
    expect(await navigator.clipboard.readText()).toBe("An **answer**.");
  });

  it.each([
    ["what is known", usage, "1,234 tokens"],
    ["with its price", { ...usage, cost: "0.02", currency: "HKD" }, "1,234 tokens · HK$0.02"],
    ["with a price far below a cent", { ...usage, cost: "0.00105", currency: "USD" }, "1,234 tokens · US$0.00105"],
    ["what is estimated", { ...usage, known: false }, "about 1,234 tokens (estimated)"],
    ["that nothing is known", { ...usage, promptTokens: 0, completionTokens: 0, known: false }, "Tokens unknown"],
  ])("says quietly what it has used: %s", (_, used, words) => {
    show({ usage: used });
    expect(screen.getByText(words)).toBeTruthy();
  });

  it("says nothing of tokens when no model was asked", () => {
    show({ usage: { ...usage, promptTokens: 0, completionTokens: 0 } });
    expect(screen.queryByText(/token/i)).toBeNull();
  });

  it("shows a record once: linked in the text, or below it", () => {
    const refs = [
      { type: "deal", id: "d1", name: "Acme renewal" },
      { type: "deal", id: "d2", name: "Beta" },
    ];
    show({ text: "See [Acme renewal](/deals/d1).", refs });
    expect(screen.getAllByRole("link").map((link) => link.textContent)).toEqual(["Acme renewal", "Beta"]);
  });
});

describe("the end of an answer", () => {
  const error = { kind: "error", code: "UPSTREAM_SLOW", message: "It took too long.", requestId: "r1" } as const;

  it.each<[string, Partial<MessageView>, string, string | null]>([
    ["an error", { status: "failed", end: { ...error, retryable: true } }, "It took too long.", "Try again"],
    [
      "an error that trying again cannot help",
      { status: "failed", end: { ...error, retryable: false } },
      "Request id: r1",
      null,
    ],
    ["a lost connection", { status: "failed", end: { kind: "lost" } }, "The connection was lost.", "Try again"],
    ["a failure that was stored", { status: "failed" }, "This answer did not finish.", "Try again"],
    ["Stop", { status: "stopped" }, "Stopped", "Try again"],
    ["the limit of rounds", { end: { kind: "done", reason: "max_rounds" } }, "limit of rounds", null],
    ["the limit of length", { end: { kind: "done", reason: "length" } }, "length limit", "Continue"],
  ])("by %s is told, with the way on", async (_, fields, words, next) => {
    const { onSend } = show(fields);
    expect(screen.getByText((text) => text.includes(words))).toBeTruthy();
    expect([button("Try again"), button("Continue")].map((each) => each?.textContent).filter(Boolean)).toEqual(
      next ? [next] : [],
    );
    if (!next) return;
    await userEvent.click(screen.getByRole("button", { name: next }));
    expect(onSend).toHaveBeenCalledWith(next === "Continue" ? "Please continue." : "What is **due**?");
  });

  it("offers to try again for the last answer only", () => {
    show({ status: "failed" }, [view({ key: "q2", role: "user", text: "Next" }), view({ key: "r2" })]);
    expect(button("Try again")).toBeNull();
  });
});

it("offers a search in place of a model that fails", async () => {
  const end = { kind: "error" as const, code: "MODEL_UNAUTHORIZED", message: "The key is wrong.", requestId: "r", retryable: false };
  const { onSend } = show({ status: "failed", end });
  await userEvent.click(screen.getByRole("button", { name: "Search my records instead" }));
  expect(onSend).toHaveBeenCalledExactlyOnceWith(`/find "${question.text}"`);
  // Somebody may have put the key right meanwhile.
  await userEvent.click(screen.getByRole("button", { name: "Try again" }));
  expect(onSend).toHaveBeenLastCalledWith(question.text);
});

it("keeps the error and the search of a model that failed, whatever comes after it", () => {
  const end = { kind: "error" as const, code: "MODEL_UNAUTHORIZED", message: "The key is wrong.", retryable: false };
  const after = [view({ key: "q2", role: "user", text: "Next" }), view({ key: "r2" })];
  show({ status: "failed", end }, after);
  expect(screen.getByRole("alert").textContent).toContain("accept the key");
  expect(button("Search my records instead")).toBeTruthy();
  expect(button("Try again")).toBeNull();
});

it("offers the search beside a budget that is used up", () => {
  const notices = [{ code: "BUDGET_REACHED", text: "No model was asked." }];
  show({ notices });
  expect(button("Search my records instead")).toBeTruthy();
});

describe("scrolling", () => {
  /** Gives the box a size, which this DOM does not draw. */
  function sizes(box: HTMLElement, { height, visible }: { height: number; visible: number }) {
    let top = height - visible;
    Object.defineProperties(box, {
      scrollHeight: { configurable: true, value: height },
      clientHeight: { configurable: true, value: visible },
      scrollTop: {
        configurable: true,
        get: () => top,
        set: (next: number) => {
          top = Math.min(next, height - visible);
        },
      },
    });
  }

  it("away from the end shows the way back and how much is new; the way back follows again", async () => {
    const { rerender } = renderApp(<Thread messages={[question]} sent={0} opened={{ times: 0, sought: "" }} onSend={vi.fn()} onCarryOver={vi.fn()} />);
    const box = screen.getByRole("log");
    sizes(box, { height: 2_000, visible: 500 });
    box.dispatchEvent(new Event("scroll"));
    await waitFor(() => {
      expect(button("Jump to latest")).toBeNull();
    });
    box.scrollTop = 900;
    box.dispatchEvent(new Event("scroll"));
    expect(await screen.findByRole("button", { name: "Jump to latest" })).toBeTruthy();
    rerender(<Thread messages={[question, view({})]} sent={0} opened={{ times: 0, sought: "" }} onSend={vi.fn()} onCarryOver={vi.fn()} />);
    const jump = await screen.findByRole("button", { name: "Jump to latest (1 new)" });
    await userEvent.click(jump);
    await waitFor(() => {
      expect([box.scrollTop, button("Jump to latest")]).toEqual([1_500, null]);
    });
  });

  it.each([
    ["sending", { sent: 1, opened: { times: 0, sought: "" } }],
    ["opening another conversation", { sent: 0, opened: { times: 1, sought: "" } }],
  ])("goes to the end on %s, wherever the reader was", async (_, next) => {
    const ui = (props: { sent: number; opened: { times: number; sought: string } }) => (
      <Thread messages={[question]} {...props} onSend={vi.fn()} onCarryOver={vi.fn()} />
    );
    const { rerender } = renderApp(ui({ sent: 0, opened: { times: 0, sought: "" } }));
    const box = screen.getByRole("log");
    sizes(box, { height: 2_000, visible: 500 });
    box.dispatchEvent(new Event("scroll"));
    box.scrollTop = 300;
    box.dispatchEvent(new Event("scroll"));
    await screen.findByRole("button", { name: "Jump to latest" });
    rerender(ui(next));
    await waitFor(() => {
      expect(box.scrollTop).toBe(1_500);
    });
  });
});
