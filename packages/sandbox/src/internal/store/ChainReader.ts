import type { Hex } from "@effect-klaytn/transaction/Hex"
import type { BlockRecord } from "../../BlockRecord.js"
import type { LogQuery } from "../../LogQuery.js"
import type { LogRecord, TransactionRecord } from "../../TransactionRecord.js"
import { amount, blob, hex, integer, optional } from "./Cell.js"
import type { Driver, Row, SqlValue, Statement } from "./Driver.js"
import { blockOf, type ChainId, hasKey, highestBlock, keyOf, positionOf, slotsPerBlock } from "./Schema.js"
import { Statements } from "./Statements.js"

const optionalHex = optional(hex)
const optionalInteger = optional(integer)

/** Reads blocks, transactions and logs of one chain. */
export class ChainReader {
  readonly #statements: Statements
  readonly #c: ChainId
  readonly #blockByNumber: Statement
  readonly #blockByHash: Statement
  readonly #latest: Statement
  readonly #transactionByHash: Statement
  readonly #transactionBySenderHash: Statement
  readonly #transactions: Statement
  readonly #logsOfTransaction: Statement

  constructor(driver: Driver, c: ChainId) {
    const transactions = `SELECT x.id, x.hash, x.sender_hash, x.type, x.sender, x.recipient, x.value, x.nonce, x.gas,
        x.gas_price, x.gas_used, x.cumulative_gas, x.fee, x.fee_payer, x.fee_ratio, x.status, x.tx_error, x.contract,
        x.raw, x.logs, b.hash AS block_hash, b.timestamp
      FROM transactions_${c} x JOIN blocks_${c} b ON b.number = x.id / ${slotsPerBlock}`
    this.#statements = new Statements(driver)
    this.#c = c
    this.#blockByNumber = driver.prepare(`SELECT * FROM blocks_${c} WHERE number = ?1`)
    this.#blockByHash = driver.prepare(`SELECT * FROM blocks_${c} WHERE hash = ?1`)
    this.#latest = driver.prepare(`SELECT * FROM blocks_${c} ORDER BY number DESC LIMIT 1`)
    this.#transactionByHash = driver.prepare(`${transactions} WHERE x.hash = ?1`)
    this.#transactionBySenderHash = driver.prepare(`${transactions} WHERE x.sender_hash = ?1`)
    this.#transactions = driver.prepare(`${transactions} WHERE x.id BETWEEN ?1 AND ?2 ORDER BY x.id`)
    this.#logsOfTransaction = driver.prepare(
      `${logColumns(c)} WHERE x.hash = ?1 AND l.id >= x.first_log AND l.id < x.first_log + x.logs ORDER BY l.id`
    )
  }

  latestBlock(): BlockRecord | undefined {
    return one(this.#latest.all(), readBlock)
  }

  blockByNumber(number: number): BlockRecord | undefined {
    return one(this.#blockByNumber.all(number), readBlock)
  }

  blockByHash(hash: Hex): BlockRecord | undefined {
    return one(this.#blockByHash.all(blob(hash)), readBlock)
  }

  transactionByHash(hash: Hex): TransactionRecord | undefined {
    return one(this.#transactionByHash.all(blob(hash)), readTransaction)
  }

  /** Fee-delegated transactions have their own sender hash; for all others it is the hash. */
  transactionBySenderHash(hash: Hex): TransactionRecord | undefined {
    return one(this.#transactionBySenderHash.all(blob(hash)), readTransaction) ?? this.transactionByHash(hash)
  }

  transactionByIndex(block: number, index: number): TransactionRecord | undefined {
    if (!hasKey(block, index)) return undefined
    const id = keyOf(block, index)
    return one(this.#transactions.all(id, id), readTransaction)
  }

  transactionsOfBlock(block: number): ReadonlyArray<TransactionRecord> {
    if (!hasKey(block, 0)) return []
    return this.#transactions.all(keyOf(block, 0), keyOf(block, slotsPerBlock - 1)).map(readTransaction)
  }

  logsOfTransaction(hash: Hex): ReadonlyArray<LogRecord> {
    return this.#logsOfTransaction.all(blob(hash)).map(readLog)
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
    return this.#statements.prepare(
      `${logColumns(this.#c)} WHERE l.id BETWEEN ?1 AND ?2 ${terms.join(" ")} ORDER BY l.id LIMIT ?3`
    ).all(...values).map(readLog)
  }
}

const logColumns = (c: ChainId): string =>
  `SELECT l.id, l.tx, l.address, l.topic0, l.topic1, l.topic2, l.topic3, l.data, x.hash, b.hash AS block_hash
   FROM logs_${c} l JOIN transactions_${c} x ON x.id = l.tx JOIN blocks_${c} b ON b.number = l.id / ${slotsPerBlock}`

const one = <A>(rows: ReadonlyArray<Row>, read: (row: Row) => A): A | undefined =>
  rows[0] === undefined ? undefined : read(rows[0])

const readBlock = (row: Row): BlockRecord => ({
  number: integer(row, 0),
  hash: hex(row, 1),
  parentHash: hex(row, 2),
  timestamp: integer(row, 3),
  gasUsed: BigInt(integer(row, 4)),
  logsBloom: hex(row, 5),
  stateRoot: hex(row, 6),
  transactionsRoot: hex(row, 7),
  receiptsRoot: hex(row, 8),
  size: integer(row, 9),
  transactionCount: integer(row, 10),
  transferCount: integer(row, 11)
})

const readTransaction = (row: Row): TransactionRecord => {
  const id = integer(row, 0)
  const hash = hex(row, 1)
  return {
    hash,
    senderTxHash: optionalHex(row, 2) ?? hash,
    blockNumber: blockOf(id),
    blockHash: hex(row, 20),
    transactionIndex: positionOf(id),
    timestamp: integer(row, 21),
    typeInt: integer(row, 3),
    from: hex(row, 4),
    to: optionalHex(row, 5),
    value: amount(row, 6),
    nonce: BigInt(integer(row, 7)),
    gas: BigInt(integer(row, 8)),
    gasPrice: amount(row, 9),
    gasUsed: BigInt(integer(row, 10)),
    cumulativeGasUsed: BigInt(integer(row, 11)),
    fee: amount(row, 12),
    feePayer: optionalHex(row, 13),
    feeRatio: optionalInteger(row, 14),
    status: integer(row, 15) === 1 ? 1 : 0,
    txError: optionalInteger(row, 16),
    contractAddress: optionalHex(row, 17),
    raw: hex(row, 18),
    logCount: integer(row, 19)
  }
}

const readLog = (row: Row): LogRecord => {
  const id = integer(row, 0)
  return {
    address: hex(row, 2),
    topics: [3, 4, 5, 6].flatMap((index) => optionalHex(row, index) ?? []),
    data: hex(row, 7),
    blockNumber: blockOf(id),
    blockHash: hex(row, 9),
    transactionHash: hex(row, 8),
    transactionIndex: positionOf(integer(row, 1)),
    logIndex: positionOf(id)
  }
}
