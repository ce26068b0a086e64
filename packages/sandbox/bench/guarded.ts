/** The sandbox's figures of `bench:guard`: execution, and a page among 100,000 stored transfers. */
import { keyOf } from "@effect-klaytn/indexer/BlockKey"
import { existsSync } from "node:fs"
import { measure } from "../../../benchmarks/guard/measured.js"
import { type Kind, perBlock, signedTransfers } from "./executed.js"
import { busiest, perBlock as transfersPerBlock, storedTransfers } from "./storedTransfers.js"

const kinds: ReadonlyArray<Kind> = ["coin", "ft"]

/** Transfers of each kind in the turn that does not count, and in the one that does. They are signed before. */
const amounts = [perBlock, 3 * perBlock]
const turns = []
for (const amount of amounts) turns.push(await Promise.all(kinds.map((kind) => signedTransfers(kind, amount))))
const waiting = [...turns]
await measure("execution", async () => {
  const chains = waiting.shift() ?? []
  for (const { execute } of chains) await execute()
  return chains.length
})
for (const { remove } of turns.flat()) remove()

const rows = 100_000
const file = process.env["GUARD_FILE"] ?? ""
const isFilled = existsSync(file)
const { close, fill, transfers } = storedTransfers(file)
if (!isFilled) fill(rows)
const blocks = rows / transfersPerBlock
await measure("a page among 100,000", () => {
  let found = 0
  for (let i = 0; i < 3; i++) {
    for (const depth of [0, 0.5, 0.9]) {
      const before = keyOf(Math.round(blocks * (1 - depth)) + 1, 0)
      found += transfers.search({ accounts: [busiest], limit: 1000, before }).length
    }
  }
  return found
})
close()
