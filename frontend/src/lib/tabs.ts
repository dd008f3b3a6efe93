const channel = new BroadcastChannel("countersign.proposals");

/** Tells the person's other tabs of proposals, by their ids, that are new or have changed. */
export function tellOtherTabs(ids: readonly string[]): void {
  channel.postMessage(ids);
}

/** Hears what other tabs tell; returns the end of it. */
export function hearOtherTabs(listener: (ids: readonly string[]) => void): () => void {
  const hear = ({ data }: MessageEvent<string[]>) => {
    listener(data);
  };
  channel.addEventListener("message", hear);
  return () => {
    channel.removeEventListener("message", hear);
  };
}
