/**
 * Time of a page of 1,000 transfers of the busiest address among 1,000,000 stored ones, at several depths of the
 * cursor, and of neighbouring searches. The rows are written by the store itself, without execution. Prints one JSON line
 * a figure, medians of several runs:
 *
 *     npx tsx packages/sandbox/bench/pages.ts [rows] [database file to keep]
 */
import { keyOf } from "@effect-klaytn/indexer/BlockKey"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { DraftTransfer, IndexedBlock, IndexedTransaction } from "../../indexer/src/internal/IndexedBlock.js"
import { TransferStore } from "../../indexer/src/internal/sqlite/TransferStore.js"
import { noHash, sealHeader } from "../../local-chain/src/internal/Header.js"
import { NextBlock } from "../../local-chain/src/internal/NextBlock.js"
import type { BlockRecord } from "../src/BlockRecord.js"
import { Random } from "../src/internal/Random.js"
import { openStore } from "../src/internal/store/Store.js"
import type { TransferQuery } from "../src/TransferRecord.js"

const rows = Number(process.argv[2] ?? 1_000_000)
const kept = process.argv[3]
const perBlock = 100
const blocks = Math.ceil(rows / perBlock)
const directory = kept === undefined ? mkdtempSync(join(tmpdir(), "bench-")) : undefined
const path = kept ?? join(directory ?? "", "chain.db")
const isFilled = existsSync(path)

/**
 * Blocks that one transaction of the database stores while it is filled. With one each, as the store has it, every block
 * writes the pages of all indexes that it touches: a third more CPU time, and much more waiting for the disk.
 */
const blocksAtOnce = 500

const store = openStore(path)
const chain = store.chain(8217)
const transfers = new TransferStore(store.driver, 8217)
const random = new Random("pages")
const address = (n: number): Hex => `0xa${n.toString(16).padStart(39, "0")}`
const busiest = address(0)
const contracts = Array.from({ length: 50 }, (_, i) => address(1_000_000 + i))

/** One address takes part in a fifth of all transfers, ten thousand others share the rest. */
const any = (): Hex => random.fraction() < 0.1 ? busiest : address(random.between(1, 10_000))

const draft = (): DraftTransfer => {
  const kind = random.fraction()
  const contract = random.pick(contracts) ?? busiest
  const parties = { from: any(), to: any() }
  if (kind < 0.65) return { kind: "coin", ...parties, value: kind < 0.2 ? 0n : BigInt(random.between(1, 1e9)) }
  if (kind < 0.88) return { kind: "ft", ...parties, value: BigInt(random.between(1, 1e9)), contract }
  if (kind < 0.97) return { kind: "nft", ...parties, tokenId: BigInt(random.between(1, 1e5)), contract }
  return { kind: "mt", operator: parties.from, ...parties, ids: [1n], values: [2n], contract }
}

const fields = new NextBlock(25_000_000_000n)
let parent: BlockRecord | undefined
let transactionNumber = 0

/** Writes blocks as part of a transaction of the database. */
const fill = (first: number, last: number): void => {
  for (let number = first; number <= last; number++) {
    const transactions: Array<IndexedTransaction> = []
    for (let index = 0; number > 0 && index < perBlock; index++) {
      const transfer = draft()
      const hash: Hex = `0x${(++transactionNumber).toString(16).padStart(64, "0")}`
      transactions.push({
        hash,
        senderTxHash: hash,
        blockNumber: number,
        transactionIndex: index,
        timestamp: 1_600_000_000 + number,
        typeInt: 8,
        from: transfer.from,
        to: transfer.to,
        value: 1n,
        nonce: 1n,
        gas: 21_000n,
        gasPrice: 25_000_000_000n,
        gasUsed: 21_000n,
        cumulativeGasUsed: BigInt(21_000 * (index + 1)),
        fee: 525_000_000_000_000n,
        feePayer: undefined,
        feeRatio: undefined,
        status: 1,
        txError: undefined,
        contractAddress: undefined,
        raw: new Uint8Array(100),
        carriesValue: false,
        logs: [],
        writes: [],
        logsBefore: 0,
        transfersBefore: index,
        transfers: [transfer]
      })
    }
    const parentHash = parent?.hash ?? noHash
    const environment = { number, timestamp: 1_600_000_000 + number, parentHash, ...fields.after(parentHash) }
    const header = sealHeader(8217, parent, environment, transactions, [])
    const block: IndexedBlock = {
      header,
      transactions,
      answers: { balances: [], owners: [], supplies: [], tokenSupplies: [] },
      uris: [],
      questions: [],
      asked: [],
      contracts: number === 1
        ? contracts.map((one) => ({
          address: one,
          kind: "ft",
          standard: "KIP-7",
          name: "Name",
          symbol: "SYM",
          decimals: 18
        } as const))
        : []
    }
    parent = chain.index.writer.write(block)
  }
}

const median = (values: ReadonlyArray<number>): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

const print = (figure: string, fields: Record<string, unknown>): void => {
  process.stdout.write(`${JSON.stringify({ figure, rows, driver: store.driver.name, ...fields })}\n`)
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
  for (let first = 0; first <= blocks; first += blocksAtOnce) {
    chain.index.atomically(() => fill(first, Math.min(first + blocksAtOnce - 1, blocks)))
  }
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
store.close()
if (directory !== undefined) rmSync(directory, { recursive: true })
