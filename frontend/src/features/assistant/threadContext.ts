import { createContext, use } from "react";

export type ThreadActions = {
  /** Keeps the text where it is while something in it opens or closes. */
  hold: () => void;
  /** Sends a message as if the person had typed it. */
  send: (text: string) => void;
};

export const ThreadContext = createContext<ThreadActions>({ hold: () => undefined, send: () => undefined });

export const useThread = () => use(ThreadContext);
