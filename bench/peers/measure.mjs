// What the scripts of the JavaScript peers share: the turn's texts, the measuring, and the line that they print.
import { readFileSync } from 'node:fs'

export const endpoint = process.env.BENCH_ENDPOINT ?? 'http://127.0.0.1:18080/v1'
export const system = 'You are the assistant of a CRM. Answer briefly.'
export const message = 'How is the Acme renewal going?'
export const toolDescription = 'Get a deal by its name.'

const seconds = Number(process.env.BENCH_SECONDS ?? 10)
const warmUp = Number(process.env.BENCH_WARM_UP ?? 3)
const answer = 'word '.repeat(20)

let lookUps = 0

/** The tool of every peer: it looks nothing up. */
export function getDeal({ deal }) {
  lookUps++
  return { title: deal, stage: 'New', amount: '1200.00', currency: 'HKD' }
}

/** The exact version of an installed package. */
export function versionOf(name) {
  return JSON.parse(readFileSync(new URL(`node_modules/${name}/package.json`, import.meta.url))).version
}

/** Runs turns, one and eight at once. turn() gives the streamed text; a turn that went otherwise ends the measuring. */
export async function measure(peer, version, turn) {
  for (const concurrency of [1, 8]) {
    await runFor(warmUp, concurrency, turn)
    const cpu = process.cpuUsage()
    const { times, elapsed } = await runFor(seconds, concurrency, turn)
    const { user, system } = process.cpuUsage(cpu)
    times.sort((a, b) => a - b)
    const at = (p) => hundredths(times[Math.min(times.length - 1, Math.floor(times.length * p))])
    console.log(JSON.stringify({
      peer, version, concurrency,
      turnsPerSecond: Math.round(times.length / elapsed * 10) / 10, p50Ms: at(0.5), p99Ms: at(0.99),
      cpuMs: hundredths((user + system) / 1000 / times.length), rssMb: Math.round(process.memoryUsage().rss / 1e6),
    }))
  }
  process.exit(0) // some peers leave timers and sockets behind
}

function hundredths(n) {
  return Math.round(n * 100) / 100
}

async function runFor(duration, concurrency, turn) {
  const times = []
  const start = performance.now()
  const end = start + duration * 1000
  await Promise.all(Array.from({ length: concurrency }, async () => {
    while (performance.now() < end) {
      const began = performance.now()
      await checked(turn)
      times.push(performance.now() - began)
    }
  }))
  return { times, elapsed: (performance.now() - start) / 1000 }
}

async function checked(turn) {
  const before = lookUps
  const text = await turn()
  if (text !== answer || lookUps === before) {
    throw new Error(`the turn went wrong: ${JSON.stringify(text)}`)
  }
}
