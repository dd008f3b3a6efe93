import { createContext, use } from "react";

export type ThreadActions = {
  /** Keeps the text where it is while something in it opens or closes. */
  hold: () => void;
  /** Sends a message as if the person had typed it. */
  send: (text: string) => void;
  /** Begins a new conversation that quotes the last answer of this one. */
  carryOver: () => void;
  /** Begins a new conversation with the summary of this one; undefined while it has none. */
  carrySummary: (() => void) | undefined;
};

const nothing = () => undefined;

export const ThreadContext = createContext<ThreadActions>({
  hold: nothing,
  send: nothing,
  carryOver: nothing,
  carrySummary: undefined,
});

export const useThread = () => use(ThreadContext);
