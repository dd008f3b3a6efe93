import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

type Message = { role: string; content: string };
export type Asked = { messages: Message[]; tools?: { function: { name: string } }[] };

/** What the model says to a request: text in pieces, or one call. */
export type Answer = { text: string[] } | { call: string; args: object } | { status: number };

export type Endpoint = { url: string; stop: () => Promise<void> };

/** Serves a model that speaks the OpenAI dialect and answers as told. */
export async function startEndpoint(answer: (asked: Asked) => Answer): Promise<Endpoint> {
  const server = createServer((request, response) => {
    void read(request).then((body) => {
      play(response, answer(JSON.parse(body) as Asked));
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  return {
    url: `http://127.0.0.1:${String(port)}/v1`,
    stop: () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(() => {
          done();
        });
      }),
  };
}

async function read(request: IncomingMessage): Promise<string> {
  let body = "";
  for await (const chunk of request) body += String(chunk);
  return body;
}

function play(response: ServerResponse, answer: Answer): void {
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
    for (const content of answer.text) choice({ content });
    choice({}, "stop");
  }
  frame({ choices: [], usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 } });
  response.end("data: [DONE]\n\n");
}
