/**
 * Reads the blocks, transactions and logs of a chain from SQLite.
 */
import type { Hex } from "@effect-klaytn/transaction/Hex"
import { blockOf, hasKey, highestBlock, keyOf, positionOf, slotsPerBlock } from "./BlockKey.js"
import type { BlockRecord } from "./BlockRecord.js"
import { blob } from "./Column.js"
import type { Driver, SqlValue } from "./Driver.js"
import { blocks, logs, transactions } from "./IndexTables.js"
import { select, type Selected } from "./Query.js"
import type { LogQuery, LogRecord, TransactionQuery, TransactionRecord } from "./TransactionRecord.js"

/**
 * Selects transactions that a fee payer paid for, newest first.
 *
 * @category models
 */
export interface PaidQuery {
  readonly feePayer: Hex
  /** Only those of this sender. */
  readonly from?: Hex | undefined
  /** Only those before this key. */
  readonly before?: number | undefined
  readonly limit: number
}

const block = blocks.as("b")
const transaction = (() => {
  const { firstLog: _firstLog, firstTransfer: _firstTransfer, transferCount: _transferCount, ...rest } = transactions
    .as("x")
  return { ...rest, blockHash: block.hash, timestamp: block.timestamp }
})()
const log = { ...logs.as("l"), transactionHash: transaction.hash, blockHash: block.hash }

/**
 * Reads blocks, transactions and logs of one chain.
 *
 * @category models
 */
export class ChainReader {
  readonly #transactionTables
  readonly #logTables
  readonly #blockByNumber
  readonly #blockByHash
  readonly #latest

  constructor(private readonly driver: Driver, c: number) {
    this.#transactionTables = `FROM transactions_${c} x JOIN blocks_${c} b ON b.number = x.id / ${slotsPerBlock}`
    this.#logTables = `FROM logs_${c} l JOIN transactions_${c} x ON x.id = l.tx
      JOIN blocks_${c} b ON b.number = l.id / ${slotsPerBlock}`
    this.#blockByNumber = select(driver, block, `FROM blocks_${c} b WHERE b.number = ?1`)
    this.#blockByHash = select(driver, block, `FROM blocks_${c} b WHERE b.hash = ?1`)
    this.#latest = select(driver, block, `FROM blocks_${c} b ORDER BY b.number DESC LIMIT 1`)
  }

  latestBlock(): BlockRecord | undefined {
    return this.#latest.first()
  }

  blockByNumber(number: number): BlockRecord | undefined {
    return this.#blockByNumber.first(number)
  }

  blockByHash(hash: Hex): BlockRecord | undefined {
    return this.#blockByHash.first(blob(hash))
  }

  transactionByHash(hash: Hex): TransactionRecord | undefined {
    return this.#transactions("WHERE x.hash = ?1", blob(hash))[0]
  }

  /** Only fee-delegated transactions have a sender hash of their own; for all others it is the hash. */
  transactionBySenderHash(hash: Hex): TransactionRecord | undefined {
    return this.#transactions("WHERE x.sender_hash = ?1", blob(hash))[0] ?? this.transactionByHash(hash)
  }

  /** Whether a successful transaction created a contract. */
  hasCreation(contract: Hex): boolean {
    return this.#transactions("WHERE x.contract = ?1 AND x.status = 1 LIMIT 1", blob(contract)).length > 0
  }

  transactionByIndex(block: number, index: number): TransactionRecord | undefined {
    return hasKey(block, index) ? this.#transactions("WHERE x.id = ?1", keyOf(block, index))[0] : undefined
  }

  transactions({ before, block: only, limit }: TransactionQuery): ReadonlyArray<TransactionRecord> {
    const [first, last] = only === undefined ? [0, highestBlock] : [only, only]
    if (!hasKey(first, 0) || (before !== undefined && !hasKey(before.block, before.index))) return []
    const end = keyOf(last, slotsPerBlock - 1)
    return this.#transactions(
      "WHERE x.id BETWEEN ?1 AND ?2 ORDER BY x.id DESC LIMIT ?3",
      keyOf(first, 0),
      before === undefined ? end : Math.min(end, keyOf(before.block, before.index) - 1),
      limit
    )
  }

  transactionsOfBlock(block: number): ReadonlyArray<TransactionRecord> {
    if (!hasKey(block, 0)) return []
    return this.#transactions(
      "WHERE x.id BETWEEN ?1 AND ?2 ORDER BY x.id",
      keyOf(block, 0),
      keyOf(block, slotsPerBlock - 1)
    )
  }

  transactionsPaidBy(
    { before = Number.MAX_SAFE_INTEGER, feePayer, from, limit }: PaidQuery
  ): ReadonlyArray<TransactionRecord> {
    return this.#transactions(
      "WHERE x.fee_payer = ?1 AND x.id < ?2 AND (?3 IS NULL OR x.sender = ?3) ORDER BY x.id DESC LIMIT ?4",
      blob(feePayer),
      before,
      from === undefined ? null : blob(from),
      limit
    )
  }

  logsOfTransaction(hash: Hex): ReadonlyArray<LogRecord> {
    return this.#logs(
      "WHERE x.hash = ?1 AND l.id >= x.first_log AND l.id < x.first_log + x.logs ORDER BY l.id",
      blob(hash)
    )
  }

  logs(query: LogQuery): ReadonlyArray<LogRecord> {
    if (query.fromBlock > highestBlock || query.toBlock < 0) return []
    const values: Array<SqlValue> = [
      keyOf(Math.max(query.fromBlock, 0), 0),
      keyOf(Math.min(query.toBlock, highestBlock), slotsPerBlock - 1),
      query.limit
    ]
    const terms: Array<string> = []
    const among = (column: string, accepted: ReadonlyArray<Hex> | undefined): void => {
      if (accepted === undefined || accepted.length === 0) return
      terms.push(
        `AND l.${column} IN (SELECT unhex(substr(value, 3)) FROM json_each(?${values.push(JSON.stringify(accepted))}))`
      )
    }
    among("address", query.addresses)
    for (const [position, accepted] of (query.topics ?? []).slice(0, 4).entries()) among(`topic${position}`, accepted)
    const demanded = query.topics?.length ?? 0
    // A filter of n positions matches only logs with n topics or more, even where a position accepts anything.
    if (demanded > 4) return []
    if (demanded > 0) terms.push(`AND l.topic${demanded - 1} IS NOT NULL`)
    return this.#logs(`WHERE l.id BETWEEN ?1 AND ?2 ${terms.join(" ")} ORDER BY l.id LIMIT ?3`, ...values)
  }

  #transactions(rest: string, ...values: ReadonlyArray<SqlValue>): ReadonlyArray<TransactionRecord> {
    return select(this.driver, transaction, `${this.#transactionTables} ${rest}`).all(...values).map(toTransaction)
  }

  #logs(rest: string, ...values: ReadonlyArray<SqlValue>): ReadonlyArray<LogRecord> {
    return select(this.driver, log, `${this.#logTables} ${rest}`).all(...values).map(toLog)
  }
}

const toTransaction = ({ id, ...row }: Selected<typeof transaction>): TransactionRecord => ({
  ...row,
  senderTxHash: row.senderTxHash ?? row.hash,
  blockNumber: blockOf(id),
  transactionIndex: positionOf(id)
})

const toLog = (row: Selected<typeof log>): LogRecord => ({
  address: row.address,
  topics: [row.topic0, row.topic1, row.topic2, row.topic3].filter((topic) => topic !== undefined),
  data: row.data,
  blockNumber: blockOf(row.id),
  blockHash: row.blockHash,
  transactionHash: row.transactionHash,
  transactionIndex: positionOf(row.tx),
  logIndex: positionOf(row.id)
})
