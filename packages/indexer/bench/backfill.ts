/**
 * How many blocks of a node one second of CPU indexes while the index is behind, in turns with parsing the same answers
 * and with inserting the rows that the index has in the end; and how large the file is. The node is in this process and
 * sends text without a network, and its own time does not count. Prints one JSON line a figure:
 *
 *     npx -y pnpm@10.34.9 bench index [--blocks 1500] [--runs 5]
 */
import * as Driver from "@effect-klaytn/store/Driver"
import * as Effect from "effect/Effect"
import { indexTables } from "../src/IndexTables.js"
import * as NodeSource from "../src/NodeSource.js"
import { cpuSeconds, percentile, print, rounded } from "./figures.js"
import { inProcess } from "./following.js"
import { chainId, type IndexFile, open } from "./IndexFile.js"
import { SyntheticNode } from "./SyntheticNode.js"

/** Transactions in each block. */
const transactions = 10

/** Blocks in each of the transactions that insert rows alone. */
const blocksAtOnce = 100

/** CPU time without the node's. */
const ownSeconds = (node: SyntheticNode): number => cpuSeconds() - node.busy

/** Indexes everything; `behind` is the time of the blocks whose state the node no longer has, `rest` of what follows. */
export const indexBlocks = (node: SyntheticNode) =>
  Effect.gen(function*() {
    const index = open()
    const before = ownSeconds(node)
    let behind = 0
    yield* inProcess(index, node, (height) => {
      if (height === node.height - NodeSource.stateDepth - 1) behind = ownSeconds(node) - before
    })
    return { index, behind, rest: ownSeconds(node) - before - behind }
  })

const parse = (texts: ReadonlyArray<string>): number => {
  const before = cpuSeconds()
  for (const text of texts) JSON.parse(text)
  return cpuSeconds() - before
}

/** The rows of an index, by table. */
const rowsOf = ({ driver }: IndexFile) =>
  indexTables.map(({ name }) => ({
    name,
    // A cast: the cells of tables are what statements take.
    rows: driver.prepare(`SELECT * FROM ${name}_${chainId}`).all() as ReadonlyArray<ReadonlyArray<Driver.SqlValue>>
  })).filter(({ rows }) => rows.length > 0)

/** Inserts rows into an empty index, as evenly as they came. */
const insert = (tables: ReturnType<typeof rowsOf>, blocks: number): number => {
  const index = open()
  const { driver } = index
  const before = cpuSeconds()
  const inserts = tables.map(({ name, rows }) => {
    const places = rows[0]?.map((_, place) => `?${place + 1}`).join(", ")
    return { rows, statement: driver.prepare(`INSERT INTO ${name}_${chainId} VALUES (${places})`) }
  })
  const parts = Math.ceil(blocks / blocksAtOnce)
  for (let part = 0; part < parts; part++) {
    Driver.atomically(driver, () => {
      for (const { rows, statement } of inserts) {
        const [from, to] = [part, part + 1].map((one) => Math.round(rows.length * one / parts))
        for (const row of rows.slice(from, to)) statement.run(...row)
      }
    })
  }
  const seconds = cpuSeconds() - before
  index.remove()
  return seconds
}

/** Fails if the index differs from the chain. */
const check = ({ reader }: IndexFile, node: SyntheticNode) =>
  Effect.gen(function*() {
    const { number } = yield* reader.head
    const wrong: Array<string> = []
    for (const [key, balance] of [...node.balances].filter(([key]) => key.length === 84).slice(0, 1000)) {
      const [contract, owner] = [`0x${key.slice(2, 42)}`, `0x${key.slice(44)}`] as const
      if ((yield* reader.totalBalance(contract, owner)) !== balance) wrong.push(key)
    }
    if (number !== node.height || wrong.length > 0) {
      return yield* Effect.dieMessage(`the index is at block ${number} and has ${wrong.length} wrong balances`)
    }
  })

/** CPU seconds. */
interface Turn {
  readonly behind: number
  readonly rest: number
  readonly parsed: number
  readonly inserted: number
}

export const backfill = (blocks: number, runs: number): Promise<void> =>
  Effect.gen(function*() {
    const node = new SyntheticNode(blocks + NodeSource.stateDepth, transactions)
    const { index: first } = yield* indexBlocks(node)
    yield* check(first, node)
    const tables = rowsOf(first)
    const transfers = tables.find(({ name }) => name === "transfers")?.rows.length ?? 0
    const bytes = first.size()
    first.remove()
    const turns: Array<Turn> = []
    for (let run = 0; run < runs; run++) {
      const { behind, index, rest } = yield* indexBlocks(node)
      index.remove()
      const [parsed, inserted] = [parse(node.texts), insert(tables, node.height)].map((one) =>
        one * blocks / node.height
      )
      turns.push({ behind, rest, parsed: parsed ?? 0, inserted: inserted ?? 0 })
    }
    const median = (of: (turn: Turn) => number) => percentile(turns.map(of), 0.5)
    print("blocks indexed while behind", {
      transactions,
      transfers: rounded(transfers / node.height, 1),
      amount: blocks,
      runs,
      perCpuSecond: Math.round(blocks / median(({ behind }) => behind)),
      cpuRatio: {
        "JSON.parse": rounded(median(({ behind, parsed }) => behind / parsed)),
        INSERT: rounded(median(({ behind, inserted }) => behind / inserted))
      }
    })
    print("the newest 100 blocks, and what was left to ask", {
      transactions,
      runs,
      cpuSeconds: rounded(median(({ rest }) => rest))
    })
    print("size of an index", {
      transactions,
      transfers,
      bytes,
      perTransaction: Math.round(bytes / (node.height * transactions)),
      perTransfer: Math.round(bytes / transfers)
    })
  }).pipe(Effect.runPromise)
