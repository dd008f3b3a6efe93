import { vi } from "vitest";

import type { Frame } from "@/api/chat";

export type Call = { method: string; path: string; body: unknown; headers: Headers };
type Answer = Response | Promise<Response>;
type Route = (call: Call) => Answer;

/** Plays the server at its outer edge: answers fetch by "METHOD /path" and keeps what was asked. */
export function playServer(routes: Record<string, Route>): Call[] {
  const calls: Call[] = [];
  vi.stubGlobal("fetch", (url: string, init: RequestInit = {}) => {
    const method = init.method ?? "GET";
    const path = url.split("?")[0] ?? url;
    const body: unknown = typeof init.body === "string" ? JSON.parse(init.body) : undefined;
    const call: Call = { method, path: url, body, headers: new Headers(init.headers) };
    calls.push(call);
    const route = routes[`${method} ${path}`];
    return Promise.resolve(route ? route(call) : problem(404, "NOT_FOUND"));
  });
  return calls;
}

export function json(value: unknown, status = 200): Response {
  return new Response(JSON.stringify(value), { status, headers: { "Content-Type": "application/json" } });
}

export function problem(
  status: number,
  code: string,
  extra: object = {},
  headers: Record<string, string> = {},
): Response {
  const body = { status, code, title: code, detail: `detail of ${code}`, requestId: "req-1", ...extra };
  return new Response(JSON.stringify(body), { status, headers });
}

/** A stream that sends the frames in chunks that respect no border, and then closes. */
export function sse(frames: readonly Frame[], chunk = 7): Response {
  const text = frames
    .map(({ seq, event }) => `: beat\n\nid: ${String(seq)}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join("");
  const bytes = new TextEncoder().encode(text);
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (let at = 0; at < bytes.length; at += chunk) controller.enqueue(bytes.slice(at, at + chunk));
      controller.close();
    },
  });
  return new Response(body, { status: 200, headers: { "Content-Type": "text/event-stream" } });
}
