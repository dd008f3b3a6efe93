import { createParser, type EventSourceMessage } from "eventsource-parser";

/** Reads server-sent events. A connection that breaks, or is aborted, ends the reading like one that closes. */
export async function readEvents(response: Response, onEvent: (message: EventSourceMessage) => void): Promise<void> {
  if (!response.body) return;
  const parser = createParser({ onEvent });
  // A decoder stream in between would drop what it still holds when the connection breaks.
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  try {
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
      parser.feed(decoder.decode(chunk.value, { stream: true }));
    }
  } catch {
    // A dropped connection or an abort.
  }
}
