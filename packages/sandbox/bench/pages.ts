/**
 * Time of a page of 1,000 transfers of the busiest address among 1,000,000 stored ones, at several depths of the
 * cursor, and of neighbouring searches. The rows are written by the store itself, without execution. Prints one JSON line
 * a figure, medians of several runs:
 *
 *     npx tsx packages/sandbox/bench/pages.ts [rows] [database file to keep]
 */
import { keyOf } from "@effect-klaytn/indexer/BlockKey"
import type { TransferQuery } from "@effect-klaytn/indexer/TransferRecord"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { address, busiest, contracts, perBlock, storedTransfers } from "./storedTransfers.js"

const rows = Number(process.argv[2] ?? 1_000_000)
const kept = process.argv[3]
const blocks = Math.ceil(rows / perBlock)
const directory = kept === undefined ? mkdtempSync(join(tmpdir(), "bench-")) : undefined
const path = kept ?? join(directory ?? "", "chain.db")
const isFilled = existsSync(path)
const { close, driver, fill, transfers } = storedTransfers(path)

const median = (values: ReadonlyArray<number>): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

const print = (figure: string, fields: Record<string, unknown>): void => {
  process.stdout.write(`${JSON.stringify({ figure, rows, driver: driver.name, ...fields })}\n`)
}

const measure = (figure: string, query: TransferQuery, fields: Record<string, unknown> = {}): void => {
  transfers.search(query)
  const times: Array<number> = []
  let found = 0
  for (let run = 0; run < 15; run++) {
    const start = performance.now()
    found = transfers.search(query).length
    times.push(performance.now() - start)
  }
  print(figure, {
    ...fields,
    found,
    milliseconds: Number(median(times).toFixed(2)),
    slowest: Number(Math.max(...times).toFixed(2)),
    runs: times.length
  })
}

if (!isFilled) {
  const start = performance.now()
  fill(rows)
  print("fill", { rowsPerSecond: Math.round(rows / ((performance.now() - start) / 1000)) })
}

const accounts = [busiest]
for (const depth of [0, 0.1, 0.5, 0.9, 0.99]) {
  const before = depth === 0 ? {} : { before: keyOf(Math.round(blocks * (1 - depth)), 0) }
  measure("page of the busiest address", { accounts, limit: 1000, ...before }, { depth })
}
measure("page of the busiest address, one rare kind", { accounts, kinds: ["mt"], limit: 1000 })
measure("page of the busiest address, one contract", { accounts, contractFilter: contracts[7] ?? busiest, limit: 1000 })
measure("page of the busiest address, a time range", {
  accounts,
  limit: 1000,
  seconds: { from: 1_600_000_100, to: 1_600_000_000 + Math.round(blocks / 2) }
})
measure("page of the busiest address, 100 records", { accounts, limit: 100 })
measure("page of an ordinary address", { accounts: [address(77)], limit: 1000 })
measure("page of a preset of 50 accounts and 5 contracts", {
  accounts: Array.from({ length: 50 }, (_, i) => address(i)),
  contracts: contracts.slice(0, 5),
  limit: 1000
})
close()
if (directory !== undefined) rmSync(directory, { recursive: true })
