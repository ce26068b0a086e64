/**
 * How many transfers one second of CPU executes and stores, in blocks of 20, without making the signatures. Prints one
 * JSON line a figure, each the median of several runs:
 *
 *     npx tsx packages/sandbox/bench/execution.ts
 */
import { type Kind, perBlock, signedTransfers } from "./executed.js"

const runs = 5

const median = (values: ReadonlyArray<number>): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

const one = async (kind: Kind, count: number) => {
  const { blocks, remove } = await signedTransfers(kind, count)
  const cpu = process.cpuUsage()
  const wall = performance.now()
  for (const append of blocks) await append()
  const { system, user } = process.cpuUsage(cpu)
  const seconds = (performance.now() - wall) / 1000
  remove()
  return { perCpuSecond: count / ((user + system) / 1e6), perSecond: count / seconds }
}

for (const [kind, count] of [["coin", 4000], ["ft", 1000], ["nft", 1000], ["mt", 1000]] as const) {
  const results: Array<{ readonly perCpuSecond: number; readonly perSecond: number }> = []
  for (let run = 0; run < runs; run++) results.push(await one(kind, count))
  process.stdout.write(`${
    JSON.stringify({
      figure: "transfers executed and stored",
      kind,
      blocksOf: perBlock,
      transactions: count,
      runs,
      perCpuSecond: Math.round(median(results.map((result) => result.perCpuSecond))),
      perSecond: Math.round(median(results.map((result) => result.perSecond)))
    })
  }\n`)
}
