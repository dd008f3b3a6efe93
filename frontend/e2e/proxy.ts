import { connect, createServer, type Socket } from "node:net";

/** A network between browser and server that fails when told to. */
export type Proxy = {
  url: string;
  /** The next event streams break after so many bytes of events each; later ones are left alone. */
  breakAfter: (...bytes: number[]) => void;
  /** How many streams have been broken. */
  broken: () => number;
  stop: () => Promise<void>;
};

/** Where the events begin in a piece of an answer that opens a stream; the server sends its head in one piece. */
function bodyOf(chunk: Buffer): number | undefined {
  const head = chunk.indexOf("Content-Type: text/event-stream");
  return head < 0 ? undefined : chunk.indexOf("\r\n\r\n", head) + 4;
}

export async function startProxy(target: string): Promise<Proxy> {
  const port = Number(new URL(target).port);
  const sockets = new Set<Socket>();
  let limits: number[] = [];
  let broken = 0;
  const server = createServer((client) => {
    const upstream = connect(port, "127.0.0.1");
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => socket.destroy());
      socket.on("close", () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.pipe(upstream);
    let left: number | undefined;
    upstream.on("data", (chunk: Buffer) => {
      const body = bodyOf(chunk);
      let from = 0;
      if (body !== undefined && limits.length > 0) [left, from] = [limits.shift(), body];
      if (left === undefined || chunk.length - from < left) {
        if (left !== undefined) left -= chunk.length - from;
        client.write(chunk);
        return;
      }
      broken += 1;
      client.end(chunk.subarray(0, from + left), () => upstream.destroy());
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${String(typeof address === "object" && address ? address.port : 0)}`,
    breakAfter: (...bytes) => {
      limits = bytes;
    },
    broken: () => broken,
    stop: () =>
      new Promise((done) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => {
          done();
        });
      }),
  };
}
