/** Queries for blocks, transactions and logs. */
import type { Selected } from "@effect-klaytn/store/Query"
import { bytesOf, type Hex } from "@effect-klaytn/transaction/Hex"
import { blockOf, hasKey, highestBlock, keyOf, positionOf, slotsPerBlock } from "../../BlockKey.js"
import type { BlockRecord } from "../../BlockRecord.js"
import { blocks, logs, transactions } from "../../IndexTables.js"
import type { LogQuery, LogRecord, PaidQuery, TransactionQuery, TransactionRecord } from "../../TransactionRecord.js"
import { type Dialect, type Statement, statement } from "./Statement.js"

const block = blocks.as("b")
const transaction = (() => {
  const { firstLog: _firstLog, firstTransfer: _firstTransfer, transferCount: _transferCount, ...rest } = transactions
    .as("x")
  return { ...rest, blockHash: block.hash, timestamp: block.timestamp }
})()
const log = { ...logs.as("l"), transactionHash: transaction.hash, blockHash: block.hash }

/** Queries for blocks, transactions and logs of one index. Undefined where no row can be found. */
export class ChainQueries {
  constructor(private readonly dialect: Dialect) {}

  get latestBlock(): Statement<BlockRecord> {
    return this.#blocks("ORDER BY b.number DESC LIMIT 1")
  }

  blockByNumber(number: number): Statement<BlockRecord> {
    return this.#blocks("WHERE b.number = ?1", number)
  }

  blockByHash(hash: Hex): Statement<BlockRecord> {
    return this.#blocks("WHERE b.hash = ?1", bytesOf(hash))
  }

  transactionByHash(hash: Hex): Statement<TransactionRecord> {
    return this.#transactions("WHERE x.hash = ?1", bytesOf(hash))
  }

  /** Only fee-delegated transactions have a sender hash of their own; for all others it is the hash. */
  transactionBySenderHash(hash: Hex): Statement<TransactionRecord> {
    return this.#transactions("WHERE x.sender_hash = ?1 LIMIT 1", bytesOf(hash))
  }

  /** The successful transaction that created a contract. */
  creation(contract: Hex): Statement<TransactionRecord> {
    return this.#transactions("WHERE x.contract = ?1 AND x.status = 1 LIMIT 1", bytesOf(contract))
  }

  transactionAt(block: number, index: number): Statement<TransactionRecord> | undefined {
    return hasKey(block, index) ? this.#transactions("WHERE x.id = ?1", keyOf(block, index)) : undefined
  }

  transactions({ before, block: only, limit }: TransactionQuery): Statement<TransactionRecord> | undefined {
    const [first, last] = only === undefined ? [0, highestBlock] : [only, only]
    if (!hasKey(first, 0) || (before !== undefined && !hasKey(before.block, before.index))) return undefined
    const end = keyOf(last, slotsPerBlock - 1)
    return this.#transactions(
      "WHERE x.id BETWEEN ?1 AND ?2 ORDER BY x.id DESC LIMIT ?3",
      keyOf(first, 0),
      before === undefined ? end : Math.min(end, keyOf(before.block, before.index) - 1),
      limit
    )
  }

  transactionsOfBlock(block: number): Statement<TransactionRecord> | undefined {
    if (!hasKey(block, 0)) return undefined
    return this.#transactions(
      "WHERE x.id BETWEEN ?1 AND ?2 ORDER BY x.id",
      keyOf(block, 0),
      keyOf(block, slotsPerBlock - 1)
    )
  }

  transactionsPaidBy(
    { before = Number.MAX_SAFE_INTEGER, feePayer, from, limit }: PaidQuery
  ): Statement<TransactionRecord> {
    const sender = from === undefined ? [] : [bytesOf(from)]
    return this.#transactions(
      `WHERE x.fee_payer = ?1 AND x.id < ?2 ${
        sender.length === 0 ? "" : "AND x.sender = ?4"
      } ORDER BY x.id DESC LIMIT ?3`,
      bytesOf(feePayer),
      before,
      limit,
      ...sender
    )
  }

  logsOfTransaction(hash: Hex): Statement<LogRecord> {
    return this.#logs(
      "WHERE x.hash = ?1 AND l.id >= x.first_log AND l.id < x.first_log + x.logs ORDER BY l.id",
      [bytesOf(hash)]
    )
  }

  logs(query: LogQuery): Statement<LogRecord> | undefined {
    if (query.fromBlock > highestBlock || query.toBlock < 0) return undefined
    const values: Array<unknown> = [
      keyOf(Math.max(query.fromBlock, 0), 0),
      keyOf(Math.min(query.toBlock, highestBlock), slotsPerBlock - 1),
      query.limit
    ]
    const terms: Array<string> = []
    const among = (column: string, accepted: ReadonlyArray<Hex> | undefined): void => {
      if (accepted === undefined || accepted.length === 0) return
      const [only] = accepted.length === 1 ? accepted : []
      terms.push(
        only === undefined
          ? `AND ${this.dialect.amongBytes(`l.${column}`, values.push(this.dialect.bytes(accepted)))}`
          // An index is read in its order for one word alone.
          : `AND l.${column} = ?${values.push(bytesOf(only))}`
      )
    }
    among("address", query.addresses)
    for (const [position, accepted] of (query.topics ?? []).slice(0, 4).entries()) among(`topic${position}`, accepted)
    const demanded = query.topics?.length ?? 0
    // A filter of n positions matches only logs with n topics or more, even where a position accepts anything.
    if (demanded > 4) return undefined
    if (demanded > 0) terms.push(`AND l.topic${demanded - 1} IS NOT NULL`)
    return this.#logs(`WHERE l.id BETWEEN ?1 AND ?2 ${terms.join(" ")} ORDER BY l.id LIMIT ?3`, values)
  }

  #blocks(rest: string, ...values: ReadonlyArray<unknown>): Statement<BlockRecord> {
    return statement(block, `FROM ${this.dialect.table("blocks")} b ${rest}`, values, (row) => row)
  }

  #transactions(rest: string, ...values: ReadonlyArray<unknown>): Statement<TransactionRecord> {
    const { table } = this.dialect
    const tables = `FROM ${table("transactions")} x JOIN ${table("blocks")} b ON b.number = x.id / ${slotsPerBlock}`
    return statement(transaction, `${tables} ${rest}`, values, toTransaction)
  }

  #logs(rest: string, values: ReadonlyArray<unknown>): Statement<LogRecord> {
    const { table } = this.dialect
    const tables = `FROM ${table("logs")} l JOIN ${table("transactions")} x ON x.id = l.tx
      JOIN ${table("blocks")} b ON b.number = l.id / ${slotsPerBlock}`
    return statement(log, `${tables} ${rest}`, values, toLog)
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
