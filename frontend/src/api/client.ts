import { i18n } from "@/i18n";
import { acceptLanguage } from "@/i18n/locale";

import type { Problem } from "./types";

/** A refused or failed request. `problem.code` is NETWORK when no answer came at all. */
export class ApiError extends Error {
  readonly problem: Problem;
  /** Seconds that the server asked to wait. */
  readonly retryAfter: number | undefined;

  constructor(problem: Problem, retryAfter?: number) {
    super(problem.detail || problem.code);
    this.name = "ApiError";
    this.problem = problem;
    this.retryAfter = retryAfter;
  }

  get code(): string {
    return this.problem.code;
  }
}

export type RequestOptions = {
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  query?: Record<string, string | number | undefined>;
  body?: unknown;
  /** The version that the person saw, sent as If-Match. */
  version?: number;
  signal?: AbortSignal;
  accept?: string;
};

type Listener = () => void;
const sessionEnded = new Set<Listener>();

/** Calls back whenever an answer says that the session is over. Returns the undo. */
export function onSessionEnded(listener: Listener): () => void {
  sessionEnded.add(listener);
  return () => sessionEnded.delete(listener);
}

/** Sends a request and gives the JSON of the answer; throws ApiError for everything but success. */
export async function request<T>(path: string, options: RequestOptions = {}): Promise<T> {
  const response = await send(path, options);
  if (response.status === 204) return undefined as T;
  const text = await response.text();
  return (text ? JSON.parse(text) : undefined) as T;
}

/** Sends a request and gives the successful answer unread, for streams; throws ApiError otherwise. */
export async function send(path: string, options: RequestOptions = {}): Promise<Response> {
  const response = await reach(path, options);
  if (response.ok) return response;
  const error = await toError(response);
  if (error.code === "UNAUTHENTICATED") {
    for (const listener of sessionEnded) listener();
  }
  throw error;
}

async function reach(path: string, options: RequestOptions): Promise<Response> {
  const { method = "GET", body, version, signal, accept = "application/json" } = options;
  const headers = new Headers({ Accept: accept, "Accept-Language": acceptLanguage(i18n.language) });
  if (body !== undefined) headers.set("Content-Type", "application/json");
  if (version !== undefined) headers.set("If-Match", `"${String(version)}"`);
  try {
    return await fetch(path + queryString(options.query), {
      method,
      headers,
      body: body === undefined ? null : JSON.stringify(body),
      credentials: "same-origin",
      cache: "no-store",
      signal: signal ?? null,
    });
  } catch (cause) {
    if (signal?.aborted) throw cause;
    throw new ApiError({ status: 0, code: "NETWORK", detail: "" });
  }
}

function queryString(query: RequestOptions["query"]): string {
  const params = new URLSearchParams();
  for (const [key, value] of Object.entries(query ?? {})) {
    if (value !== undefined && value !== "") params.set(key, String(value));
  }
  const text = params.toString();
  return text ? `?${text}` : "";
}

async function toError(response: Response): Promise<ApiError> {
  const wait = Number(response.headers.get("Retry-After"));
  const retryAfter = Number.isFinite(wait) && wait > 0 ? wait : undefined;
  try {
    const problem = (await response.json()) as Partial<Problem>;
    const code = problem.code ?? fallbackCode(response.status);
    return new ApiError({ ...problem, status: response.status, code, detail: problem.detail ?? "" }, retryAfter);
  } catch {
    return new ApiError({ status: response.status, code: fallbackCode(response.status), detail: "" }, retryAfter);
  }
}

// What a proxy in between answers has no code.
function fallbackCode(status: number): string {
  const codes: Partial<Record<number, string>> = {
    401: "UNAUTHENTICATED",
    403: "FORBIDDEN",
    404: "NOT_FOUND",
    413: "TOO_LARGE",
    429: "RATE_LIMITED",
  };
  return codes[status] ?? (status >= 500 ? "UNAVAILABLE" : "INVALID");
}
