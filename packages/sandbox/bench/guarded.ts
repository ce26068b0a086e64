/** The sandbox's figures of `bench:guard`: execution, and a page among 100,000 stored transfers. */
import { keyOf } from "@effect-klaytn/indexer/BlockKey"
import { existsSync } from "node:fs"
import { measure } from "../../../benchmarks/guard/measured.js"
import { type Kind, perBlock, signedTransfers } from "./executed.js"
import { busiest, perBlock as transfersPerBlock, storedTransfers } from "./storedTransfers.js"

const kinds: ReadonlyArray<Kind> = ["coin", "ft"]
const [warmUps, slices] = [1, 4]
const chains = await Promise.all(kinds.map((kind) => signedTransfers(kind, (warmUps + slices) * perBlock)))
await measure("execution", async (number) => {
  for (const { blocks } of chains) await blocks[number]?.()
  return chains.length * perBlock
}, { warmUps, slices })
for (const { remove } of chains) remove()

const rows = 100_000
const file = process.env["GUARD_FILE"] ?? ""
const isFilled = existsSync(file)
const { close, fill, transfers } = storedTransfers(file)
if (!isFilled) fill(rows)
const blocks = rows / transfersPerBlock
await measure("a page among 100,000", () => {
  let found = 0
  for (const depth of [0, 0.5, 0.9]) {
    const before = keyOf(Math.round(blocks * (1 - depth)) + 1, 0)
    found += transfers.search({ accounts: [busiest], limit: 1000, before }).length
  }
  return found
})
close()
