import { spawn, type ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

export type Server = { url: string; stop: () => Promise<void> };

const READY_MS = 30_000;

/** Starts the real binary with demo data in an empty folder, on a free port, and waits until it is ready. */
export async function startServer(extra: NodeJS.ProcessEnv = {}): Promise<Server> {
  const binary = resolve(process.env["COUNTERSIGN_BIN"] ?? "../bin/countersign");
  if (!existsSync(binary)) throw new Error(`There is no ${binary}: run make build, or set COUNTERSIGN_BIN.`);
  const address = `127.0.0.1:${String(await freePort())}`;
  const dataDir = await mkdtemp(join(tmpdir(), "countersign-e2e-"));
  const child = spawn(binary, ["serve", "--demo"], {
    env: { ...ownEnvironment(), ...extra, COUNTERSIGN_ADDR: address, COUNTERSIGN_DATA_DIR: dataDir },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = collect(child);
  const stop = async () => {
    await end(child);
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    await ready(`http://${address}`, child);
  } catch (error) {
    await stop();
    throw new Error(`The server did not get ready:\n${output()}`, { cause: error });
  }
  return { url: `http://${address}`, stop };
}

// What the shell has set for another installation must not reach this one.
function ownEnvironment(): NodeJS.ProcessEnv {
  const foreign = /^(COUNTERSIGN_|DATABASE_URL|REDIS_URL|AI_CONFIG_|SMTP_URL|OTEL_)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)));
}

function freePort(): Promise<number> {
  return new Promise((done, fail) => {
    const probe = createServer();
    probe.once("error", fail);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => {
        done(typeof address === "object" && address ? address.port : 0);
      });
    });
  });
}

function collect(child: ChildProcess): () => string {
  const chunks: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk: Buffer) => chunks.push(chunk.toString()));
  return () => chunks.join("").slice(-4_000);
}

async function ready(url: string, child: ChildProcess): Promise<void> {
  const until = Date.now() + READY_MS;
  while (Date.now() < until) {
    if (child.exitCode !== null) throw new Error(`exit code ${String(child.exitCode)}`);
    const answer = await fetch(`${url}/readyz`).catch(() => undefined);
    if (answer?.ok) return;
    await new Promise((next) => setTimeout(next, 100));
  }
  throw new Error(`/readyz gave no 200 within ${String(READY_MS)} ms`);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((done) => child.once("exit", done));
  child.kill("SIGTERM");
  const kill = setTimeout(() => child.kill("SIGKILL"), 10_000);
  await gone;
  clearTimeout(kill);
}
