import { createServer, type Socket } from "node:net";
import { createInterface } from "node:readline";

export type Mail = { to: string; subject: string };

export type Mailbox = {
  url: string;
  /** Every mail that came to its end, also one of which the sender was told nothing. */
  received: Mail[];
  stop: () => Promise<void>;
};

/** Serves SMTP; it hangs up without a word when it has the whole of a mail to an address that begins with "cut". */
export async function startMailbox(): Promise<Mailbox> {
  const received: Mail[] = [];
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on("error", () => socket.destroy());
    void converse(socket, received).finally(() => open.delete(socket));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  return {
    url: `smtp://127.0.0.1:${String(port)}?from=crm@example.com`,
    received,
    stop: () =>
      new Promise((done) => {
        for (const socket of open) socket.destroy();
        server.close(() => {
          done();
        });
      }),
  };
}

async function converse(socket: Socket, received: Mail[]): Promise<void> {
  const say = (line: string) => socket.write(`${line}\r\n`);
  const mail: Mail = { to: "", subject: "" };
  let inData = false;
  say("220 mailbox");
  for await (const line of createInterface({ input: socket, crlfDelay: Infinity })) {
    if (inData) {
      if (line.startsWith("Subject: ")) mail.subject = line.slice("Subject: ".length);
      if (line !== ".") continue;
      inData = false;
      received.push({ ...mail });
      if (mail.to.startsWith("cut")) {
        socket.destroy();
        return;
      }
      say("250 taken");
    } else if (line === "DATA") {
      inData = true;
      say("354 go on");
    } else if (line === "QUIT") {
      say("221 bye");
      socket.end();
    } else {
      mail.to = /^RCPT TO:<(.*?)>/i.exec(line)?.[1] ?? mail.to;
      say("250 ok");
    }
  }
}
