/**
 * Rows of a large index: a busy account, an owner of thousands of tokens, a token with thousands of holders, and many of each thing. `INDEX_ROWS` is
 * how many transfers there are, and the other numbers grow with it. Default: 20,000.
 */
import type { Hex } from "@effect-klaytn/transaction/Hex"
import { keyOf } from "../../src/BlockKey.js"
import * as tables from "../../src/IndexTables.js"

const hexOf = (kind: string, number: number, bytes: number): Hex =>
  `0x${kind}${number.toString(16).padStart(2 * bytes - kind.length, "0")}`

export const account = (number: number): Hex => hexOf("ac", number, 20)
export const contract = (number: number): Hex => hexOf("c0", number, 20)
export const transactionHash = (number: number): Hex => hexOf("77", number, 32)
export const blockHash = (number: number): Hex => hexOf("b1", number, 32)

const scale = Number(process.env["INDEX_ROWS"] ?? 20_000) / 20_000

/** Whether there are more rows than by default. */
export const isLarge = scale > 1

/** Blocks beyond `blocks` are empty. */
export const counts = {
  allBlocks: 12_000 * scale,
  blocks: 2_000 * scale,
  ofBlock: 5,
  contracts: 6_000 * scale,
  tokens: 5_000 * scale,
  holders: 5_000 * scale
} as const

/** The busiest account, which also owns every token of `collection`, and the token that everybody holds. */
export const busy = account(0)
export const coin = contract(0)
export const collection = contract(1)
export const multi = contract(2)

/** Who owns thousands of non-fungible tokens of one contract, and a few multi tokens that have not moved for long. */
export const whale = account(20_000 * scale)
const other = contract(4)

/** So many rows, each made when it is asked for: of millions, no list is kept. */
const rowsOf = <A>(length: number, make: (number: number) => A): Iterable<A> => ({
  *[Symbol.iterator]() {
    for (let number = 0; number < length; number++) yield make(number)
  }
})

const inRow = <A>(...parts: ReadonlyArray<Iterable<A>>): Iterable<A> => ({
  *[Symbol.iterator]() {
    for (const part of parts) yield* part
  }
})

/** Rows with what their place among all gives. */
const placed = <A, B>(rows: Iterable<A>, make: (row: A, place: number) => B): Iterable<B> => ({
  *[Symbol.iterator]() {
    let place = 0
    for (const row of rows) yield make(row, place++)
  }
})
const zero = hexOf("", 0, 32)
const kinds = ["ft", "nft", "mt"] as const
const standards = { ft: "KIP-7", nft: "KIP-17", mt: "KIP-37" } as const

const blocks = rowsOf(counts.allBlocks, (number) => ({
  number,
  hash: blockHash(number),
  parentHash: blockHash(number - 1 < 0 ? 0 : number - 1),
  timestamp: 1_700_000_000 + number,
  gasUsed: 0n,
  logsBloom: "0x",
  stateRoot: zero,
  transactionsRoot: zero,
  receiptsRoot: zero,
  size: 0,
  transactionCount: number < counts.blocks ? counts.ofBlock : 0,
  transferCount: number < counts.blocks ? 2 * counts.ofBlock : 0,
  miner: undefined,
  gasLimit: undefined,
  baseFeePerGas: undefined,
  mixHash: undefined
}))

const all = counts.blocks * counts.ofBlock
const place = (number: number) => [Math.floor(number / counts.ofBlock), number % counts.ofBlock] as const
const party = (number: number): Hex => number % 3 === 0 ? busy : account(number % 700)

const transactions = rowsOf(all, (number) => {
  const [block, index] = place(number)
  return {
    id: keyOf(block, index),
    hash: transactionHash(number),
    senderTxHash: number % 2 === 0 ? hexOf("5e", number, 32) : undefined,
    typeInt: 8,
    from: party(number),
    to: account(number % 50),
    value: 1n,
    nonce: 0n,
    gas: 1n,
    gasPrice: 1n,
    gasUsed: 1n,
    cumulativeGasUsed: 1n,
    fee: 1n,
    feePayer: number % 2 === 0 ? busy : undefined,
    feeRatio: undefined,
    status: 1,
    txError: undefined,
    contractAddress: number < counts.contracts ? contract(number) : undefined,
    raw: "0x",
    firstLog: keyOf(block, index),
    logCount: 1,
    firstTransfer: keyOf(block, 2 * index),
    transferCount: 2
  }
})

const logs = rowsOf(all, (number) => {
  const [block, index] = place(number)
  return {
    id: keyOf(block, index),
    tx: keyOf(block, index),
    address: contract(number % 40),
    topic0: hexOf("70", number % 3, 32),
    topic1: hexOf("71", number % 900, 32),
    topic2: undefined,
    topic3: undefined,
    data: "0x"
  }
})

/** The class of a transfer beside the coin of its transaction: fungible, a token of the collection, or several. */
const classOf = (number: number) => 1 + number % 3

const transfers = rowsOf(2 * all, (at) => {
  const number = Math.floor(at / 2)
  const [block, index] = place(number)
  const common = { tx: keyOf(block, index), from: party(number), to: party(number + 1) }
  if (at % 2 === 0) {
    return {
      ...common,
      id: keyOf(block, 2 * index),
      class: number % 2 === 0 ? 0 : 4,
      contract: undefined,
      operator: undefined,
      amount: 1n,
      batch: undefined
    }
  }
  const kind = classOf(number)
  return {
    ...common,
    id: keyOf(block, 2 * index + 1),
    class: kind,
    contract: kind === 1 ? contract(3 * (number % 300)) : kind === 2 ? collection : multi,
    operator: kind === 3 ? busy : undefined,
    amount: kind === 3 ? 0n : BigInt(number % counts.tokens),
    batch: kind === 3 ? { ids: [1n], values: [1n] } : undefined
  }
})

const contracts = rowsOf(counts.contracts, (number) => {
  const kind = kinds[number % 3] ?? "ft"
  return {
    address: contract(number),
    kind,
    standard: standards[kind],
    name: "N",
    symbol: "S",
    decimals: 0,
    block: number,
    supply: 1n,
    holders: 1
  }
})

/** The last transfer of the block that a row is from: each has one of every class. */
const changed = (number: number): number => keyOf(number % counts.blocks, 1)
const id = (number: number): string => `0x${number.toString(16)}`

const tokenRow = (number: number) => ({
  token: id(number),
  supply: 1n,
  created: changed(number),
  updated: changed(number),
  uri: ""
})

const tokens = inRow<object>(
  rowsOf(counts.tokens, (number) => ({
    ...tokenRow(number),
    contract: collection,
    owner: busy,
    previousOwner: account(1)
  })),
  rowsOf(200, (number) => ({ ...tokenRow(number), contract: multi, owner: undefined, previousOwner: undefined }))
)

const holdings = placed(
  inRow(
    rowsOf(counts.tokens, (number) => ({ contract: collection, owner: busy, token: id(number) })),
    rowsOf(counts.holders, (number) => ({ contract: coin, owner: account(number), token: "" })),
    rowsOf(counts.holders, (number) => ({ contract: multi, owner: account(number), token: id(number % 200) })),
    rowsOf(3, (number) => ({ contract: multi, owner: whale, token: id(number) })),
    rowsOf(counts.tokens, (number) => ({ contract: other, owner: whale, token: id(number) }))
  ),
  (key, number) => ({ ...key, balance: 1n, updated: changed(number) })
)

const ownings = placed(
  inRow<{ readonly contract: Hex; readonly owner: Hex; readonly tokens?: number }>(
    rowsOf(1, () => ({ contract: collection, owner: busy })),
    rowsOf(2 * counts.holders, (at) => ({
      contract: at % 2 === 0 ? coin : multi,
      owner: account(Math.floor(at / 2))
    })),
    // Somebody holds something of each contract.
    rowsOf(counts.contracts - 3, (number) => ({ contract: contract(number + 3), owner: busy })),
    rowsOf(1, () => ({ contract: other, owner: whale, tokens: counts.tokens })),
    rowsOf(1, () => ({ contract: multi, owner: whale, tokens: 3 }))
  ),
  (key, number) => ({ tokens: 1, ...key, balance: 1n, updated: changed(number) })
)

/** The rows of each table. */
export const rows: ReadonlyArray<readonly [table: typeof tables.indexTables[number], rows: Iterable<object>]> = [
  [tables.blocks, blocks],
  [tables.transactions, transactions],
  [tables.logs, logs],
  [tables.transfers, transfers],
  [tables.contracts, contracts],
  [tables.tokens, tokens],
  [tables.holdings, holdings],
  [tables.ownings, ownings]
]
