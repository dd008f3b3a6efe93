// Makes a Markdown table of the lines that the peers print, from standard input. Of several rounds it takes the one
// with the most turns: what else a machine does only ever takes turns away.
import { readFileSync } from 'node:fs'

const best = new Map()
for (const line of readFileSync(0, 'utf8').split('\n').filter(Boolean)) {
  const result = JSON.parse(line)
  const key = `${result.peer}|${result.concurrency}`
  if (!(best.get(key)?.turnsPerSecond >= result.turnsPerSecond)) {
    best.set(key, result)
  }
}

const peers = new Map([...best.values()].map(({ peer, version }) => [peer, version]))
const rows = [...peers].map(([peer, version]) => {
  const [one, eight] = [best.get(`${peer}|1`), best.get(`${peer}|8`)]
  return { turns: eight.turnsPerSecond, cells: [peer, version, one.turnsPerSecond, `${one.p50Ms} / ${one.p99Ms}`, eight.turnsPerSecond, `${eight.p50Ms} / ${eight.p99Ms}`, eight.cpuMs, eight.rssMb] }
})
rows.sort((a, b) => b.turns - a.turns)

console.log('| | version | turns/s, 1 at once | p50 / p99 ms | turns/s, 8 at once | p50 / p99 ms | CPU ms a turn | memory MB |')
console.log('| --- | --- | --- | --- | --- | --- | --- | --- |')
for (const { cells } of rows) {
  console.log(`| ${cells.join(' | ')} |`)
}
