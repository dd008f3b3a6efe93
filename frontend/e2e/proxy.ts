import { connect, createServer, type Socket } from "node:net";

/** A network between browser and server that fails when told to. */
export type Proxy = {
  url: string;
  /** The next event streams break after so many bytes each; later ones are left alone. */
  breakAfter: (...bytes: number[]) => void;
  /** How many streams have been broken. */
  broken: () => number;
  stop: () => Promise<void>;
};

const STREAM = Buffer.from("text/event-stream");

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
      // The browser asks for streams, too: only an answer counts, and its name is never split by the server.
      if (left === undefined && chunk.includes(STREAM)) left = limits.shift();
      if (left === undefined || chunk.length < left) {
        if (left !== undefined) left -= chunk.length;
        client.write(chunk);
        return;
      }
      broken += 1;
      client.end(chunk.subarray(0, left));
      upstream.destroy();
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
