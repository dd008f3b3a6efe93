import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

type Message = { role: string; content: string; tool_call_id?: string };
export type Asked = { messages: Message[]; tools?: { function: { name: string } }[] };

/** What the model says to a request: text in pieces, one call, or a refusal. */
export type Answer =
  | { text: Iterable<string> | AsyncIterable<string> }
  | { call: string; args: object }
  | { status: number };

/** A request as the model saw it. `cut` is true once its reader went away before the end of the answer. */
export type Exchange = { asked: Asked; cut: boolean };

export type Endpoint = {
  url: string;
  /** Every request so far. */
  log: Exchange[];
  stop: () => Promise<void>;
};

/** Serves a model that speaks the OpenAI dialect and answers as told. */
export async function startEndpoint(answer: (asked: Asked) => Answer): Promise<Endpoint> {
  const log: Exchange[] = [];
  const server = createServer((request, response) => {
    void read(request).then((body) => {
      const exchange = { asked: JSON.parse(body) as Asked, cut: false };
      log.push(exchange);
      response.once("close", () => {
        exchange.cut = !response.writableFinished;
      });
      return play(response, answer(exchange.asked));
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  return {
    url: `http://127.0.0.1:${String(port)}/v1`,
    log,
    stop: () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(() => {
          done();
        });
      }),
  };
}

/**
 * What a person has just said, or undefined when the model is told the result of a call. What the server adds below,
 * in brackets, is left out.
 */
export function question({ messages }: Asked): string | undefined {
  const last = messages.at(-1);
  return last?.role === "user" ? last.content.split("\n\n(")[0] : undefined;
}

/** Words that a test lets the model say one by one. */
export class Speech implements AsyncIterable<string> {
  readonly #words: string[] = [];
  #ended = false;
  #wake: () => void = () => undefined;

  say(...words: string[]): void {
    this.#words.push(...words);
    this.#wake();
  }

  end(): void {
    this.#ended = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string> {
    for (let at = 0; at < this.#words.length || !this.#ended; ) {
      const word = this.#words[at];
      if (word === undefined) await new Promise<void>((wake) => (this.#wake = wake));
      else {
        at += 1;
        yield word;
      }
    }
  }
}

async function read(request: IncomingMessage): Promise<string> {
  let body = "";
  for await (const chunk of request) body += String(chunk);
  return body;
}

async function play(response: ServerResponse, answer: Answer): Promise<void> {
  if ("status" in answer) {
    response.writeHead(answer.status, { "Content-Type": "application/json" });
    response.end('{"error":{"message":"no","type":"invalid_request_error"}}');
    return;
  }
  response.writeHead(200, { "Content-Type": "text/event-stream" });
  const frame = (data: object) => response.write(`data: ${JSON.stringify(data)}\n\n`);
  const choice = (delta: object, finish: string | null = null) =>
    frame({ id: "e2e", object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: finish }] });
  if ("call" in answer) {
    const call = { name: answer.call, arguments: JSON.stringify(answer.args) };
    choice({ role: "assistant", tool_calls: [{ index: 0, id: "call_1", type: "function", function: call }] });
    choice({}, "tool_calls");
  } else {
    for await (const content of answer.text) {
      if (response.destroyed) return;
      choice({ content });
    }
    choice({}, "stop");
  }
  frame({ choices: [], usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 } });
  response.end("data: [DONE]\n\n");
}
