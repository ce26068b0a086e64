/** The facts on which all clients must agree, in the chain's own terms. */
import * as Effect from "effect/Effect"
import { getCreateAddress } from "ethers"
import type { BlockRecord } from "../../packages/indexer/src/BlockRecord.js"
import type { LogRecord, TransactionRecord } from "../../packages/indexer/src/TransactionRecord.js"
import type { Chain } from "../../packages/sandbox/src/Chain.js"
import * as Transaction from "../../packages/transaction/src/Transaction.js"
import { get } from "../transaction/random.js"

export interface BlockFact {
  readonly number: bigint
  readonly hash: string
  readonly parentHash: string
  readonly timestamp: bigint
  readonly gasUsed: bigint
  readonly baseFee: bigint
  readonly stateRoot: string
  readonly receiptsRoot: string
  readonly transactions: ReadonlyArray<string>
}

export interface TransactionFact {
  readonly hash: string
  readonly block: bigint
  readonly blockHash: string
  readonly index: number
  readonly from: string
  readonly to: string | null
  readonly value: bigint
  readonly input: string
  readonly nonce: number
  readonly gas: bigint
  readonly gasPrice: bigint
}

export interface LogFact {
  readonly address: string
  readonly topics: ReadonlyArray<string>
  readonly data: string
  readonly block: bigint
  readonly blockHash: string
  readonly hash: string
  readonly transaction: number
  readonly index: number
}

export interface ReceiptFact {
  readonly hash: string
  readonly block: bigint
  readonly blockHash: string
  readonly index: number
  readonly from: string
  readonly to: string | null
  readonly contract: string | null
  readonly succeeded: boolean
  readonly gasUsed: bigint
  readonly gasPrice: bigint
  readonly logs: ReadonlyArray<LogFact>
}

export interface Filter {
  readonly from: number
  readonly to: number
  readonly address?: string
  readonly topics?: ReadonlyArray<string | ReadonlyArray<string> | null>
}

/** The reads of a node client. All addresses and hashes are in lower case. */
export interface Reader {
  readonly chainId: () => Promise<number>
  readonly height: () => Promise<bigint>
  readonly block: (at: number | string) => Promise<BlockFact>
  readonly transaction: (hash: string) => Promise<TransactionFact>
  readonly receipt: (hash: string) => Promise<ReceiptFact>
  readonly logs: (filter: Filter) => Promise<ReadonlyArray<LogFact>>
  readonly balance: (address: string, block?: number) => Promise<bigint>
  readonly nonce: (address: string) => Promise<number>
  readonly code: (address: string) => Promise<string>
  readonly storage: (address: string, slot: number) => Promise<string>
  readonly gasPrice: () => Promise<bigint>
  readonly call: (to: string, data: string) => Promise<string>
  readonly estimate: (from: string, to: string, data: string) => Promise<bigint>
}

export const blockOf = (block: BlockRecord, unitPrice: bigint, hashes: ReadonlyArray<string>): BlockFact => ({
  number: BigInt(block.number),
  hash: block.hash,
  parentHash: block.parentHash,
  timestamp: BigInt(block.timestamp),
  gasUsed: block.gasUsed,
  baseFee: unitPrice,
  stateRoot: block.stateRoot,
  receiptsRoot: block.receiptsRoot,
  transactions: hashes
})

/** A transaction's input data, taken from its signed bytes. */
const inputOf = ({ raw }: TransactionRecord): string => {
  const transaction = get(Transaction.decode(raw))
  return "input" in transaction ? transaction.input : "0x"
}

/**
 * Ethereum's format needs a recipient even for transactions that have none and create no contract: it names the sender.
 * Klaytn's own format omits the field.
 */
export type Family = "klay" | "eth"

const toOf = (record: TransactionRecord, family: Family): string | null => {
  const transaction = get(Transaction.decode(record.raw))
  return "value" in transaction || family === "klay" ? record.to ?? null : record.from
}

export const transactionOf = (record: TransactionRecord, family: Family): TransactionFact => ({
  hash: record.hash,
  block: BigInt(record.blockNumber),
  blockHash: record.blockHash,
  index: record.transactionIndex,
  from: record.from,
  to: toOf(record, family),
  value: record.value,
  input: inputOf(record),
  nonce: Number(record.nonce),
  gas: record.gas,
  gasPrice: record.gasPrice
})

export const logOf = (log: LogRecord): LogFact => ({
  address: log.address,
  topics: log.topics,
  data: log.data,
  block: BigInt(log.blockNumber),
  blockHash: log.blockHash,
  hash: log.transactionHash,
  transaction: log.transactionIndex,
  index: log.logIndex
})

/** A receipt of Kaia names the address of a contract wherever a transaction has no receiver, even if none is created there. */
const contractOf = ({ from, nonce, to }: TransactionRecord): string | null =>
  to === undefined ? getCreateAddress({ from, nonce }).toLowerCase() : null

export const receiptOf = (record: TransactionRecord, logs: ReadonlyArray<LogRecord>, family: Family): ReceiptFact => ({
  hash: record.hash,
  block: BigInt(record.blockNumber),
  blockHash: record.blockHash,
  index: record.transactionIndex,
  from: record.from,
  to: toOf(record, family),
  contract: contractOf(record),
  succeeded: record.status === 1,
  gasUsed: record.gasUsed,
  gasPrice: record.gasPrice,
  logs: logs.map(logOf)
})

/** Everything on a chain, in order. */
export const everything = (chain: Chain, family: Family) =>
  Effect.gen(function*() {
    const blocks: Array<BlockFact> = []
    const transactions: Array<TransactionFact> = []
    const receipts: Array<ReceiptFact> = []
    const logs: Array<LogFact> = []
    const { number: height } = yield* chain.head
    for (let number = 0; number <= height; number++) {
      const block = yield* Effect.flatten(chain.block(number))
      const records = yield* chain.transactionsOf(number)
      blocks.push(blockOf(block, chain.unitPrice, records.map(({ hash }) => hash)))
      for (const record of records) {
        const written = yield* chain.logsOf(record.hash)
        transactions.push(transactionOf(record, family))
        receipts.push(receiptOf(record, written, family))
        logs.push(...written.map(logOf))
      }
    }
    return { blocks, transactions, receipts, logs }
  })
