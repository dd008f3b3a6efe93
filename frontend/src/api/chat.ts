import { useQuery } from "@tanstack/react-query";
import { createParser, type EventSourceMessage } from "eventsource-parser";

import { request, send } from "./client";
import { fetchDeal, fetchPipelines } from "./deals";
import type { StreamEvent } from "./events";
import type { Candidate, ChatInput, Deal, Page, Resolution, ToolInfo } from "./types";

export const toolKeys = { all: ["tools"] as const };

export function useTools() {
  return useQuery({
    queryKey: toolKeys.all,
    queryFn: () => request<Page<ToolInfo>>("/api/tools"),
    staleTime: 300_000,
  });
}

export type Frame = { seq: number; event: StreamEvent };
export type OnFrame = (frame: Frame) => void;

/** Starts a turn and reads it to the end of the connection. `onTurn` hears which turn it is before any event, which
 * a connection may lose. Throws ApiError when the message was refused. */
export async function streamChat(
  input: ChatInput,
  onTurn: (turnId: string) => void,
  onFrame: OnFrame,
  signal: AbortSignal,
): Promise<void> {
  const response = await send("/api/chat", {
    method: "POST",
    body: { ...input, fallback: true } satisfies ChatInput,
    accept: "text/event-stream",
    signal,
  });
  const turnId = /^\/api\/turns\/([^/]+)\/events$/.exec(response.headers.get("Content-Location") ?? "")?.[1];
  if (turnId) onTurn(turnId);
  await readFrames(response, onFrame);
}

/** Reads the events of a turn after seq. Throws ApiError when the turn's events are gone. */
export async function streamTurn(turnId: string, after: number, onFrame: OnFrame, signal: AbortSignal): Promise<void> {
  const path = `/api/turns/${encodeURIComponent(turnId)}/events`;
  const response = await send(path, { query: { after: String(after) }, accept: "text/event-stream", signal });
  await readFrames(response, onFrame);
}

export const stopTurn = (turnId: string) =>
  request<unknown>(`/api/turns/${encodeURIComponent(turnId)}/stop`, { method: "POST", body: {} });

/** Reads server-sent events. A connection that breaks ends the reading like one that closes: the caller
 * knows by the missing terminal event. */
export async function readFrames(response: Response, onFrame: OnFrame): Promise<void> {
  if (!response.body) return;
  const parser = createParser({
    onEvent: (message) => {
      const frame = toFrame(message);
      if (frame) onFrame(frame);
    },
  });
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

function toFrame(message: EventSourceMessage): Frame | undefined {
  const seq = Number(message.id);
  if (!Number.isInteger(seq) || seq < 1) return undefined;
  try {
    return { seq, event: JSON.parse(message.data) as StreamEvent };
  } catch {
    return undefined;
  }
}

const SUGGESTIONS = 8;
const LISTS: Partial<Record<string, string>> = {
  deal: "/api/deals",
  company: "/api/companies",
  contact: "/api/contacts",
  task: "/api/tasks",
  quotation: "/api/quotations",
  product: "/api/products",
};

/** Names that may complete an argument of a kind. `deal` narrows stages to the pipeline of that deal. */
export async function suggestNames(kind: string, q: string, deal: string, signal: AbortSignal): Promise<Candidate[]> {
  if (kind === "stage") return suggestStages(q, deal, signal);
  if (kind === "pipeline") return suggestPipelines(q);
  if (q.trim()) {
    const found = await request<Resolution>(`/api/resolve/${encodeURIComponent(kind)}`, { query: { q }, signal });
    return uniqueById([...(found.match ? [found.match] : []), ...found.candidates]).slice(0, SUGGESTIONS);
  }
  const list = LISTS[kind];
  if (!list) return [];
  const page = await request<Page<{ id: string; name?: string; title?: string }>>(list, {
    query: { limit: SUGGESTIONS },
    signal,
  });
  return page.items.map((item) => ({ type: kind, id: item.id, name: item.title ?? item.name ?? "" }));
}

async function suggestStages(q: string, deal: string, signal: AbortSignal): Promise<Candidate[]> {
  const [{ items }, owner] = await Promise.all([fetchPipelines(), deal ? findDeal(deal, signal) : undefined]);
  const pipelines = owner ? items.filter((pipeline) => pipeline.id === owner.pipelineId) : items;
  const stages = pipelines.flatMap(({ name, stages }) =>
    stages.map((stage) => ({ type: "stage", id: stage.id, name: stage.name, detail: name })),
  );
  const names = new Map(stages.map((stage) => [stage.name, stage]));
  return [...names.values()].filter(({ name }) => includes(name, q));
}

async function suggestPipelines(q: string): Promise<Candidate[]> {
  const { items } = await fetchPipelines();
  return items.map(({ id, name }) => ({ type: "pipeline", id, name })).filter(({ name }) => includes(name, q));
}

async function findDeal(text: string, signal: AbortSignal): Promise<Deal | undefined> {
  const { match } = await request<Resolution>("/api/resolve/deal", { query: { q: text }, signal });
  return match && fetchDeal(match.id);
}

function includes(name: string, q: string): boolean {
  return name.toLowerCase().includes(q.trim().toLowerCase());
}

function uniqueById(items: Candidate[]): Candidate[] {
  return [...new Map(items.map((item) => [item.id, item])).values()];
}
