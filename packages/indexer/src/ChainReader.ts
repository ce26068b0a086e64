/**
 * Reads the blocks, transactions and logs of a chain from SQLite.
 */
import type { Driver } from "@effect-klaytn/store/Driver"
import { select } from "@effect-klaytn/store/Query"
import { bytesOf, type Hex } from "@effect-klaytn/transaction/Hex"
import type { BlockRecord } from "./BlockRecord.js"
import { blocks } from "./IndexTables.js"
import { ChainQueries } from "./internal/queries/chain.js"
import type { Statement } from "./internal/queries/Statement.js"
import { all, dialectOf, first } from "./internal/sqlite/dialect.js"
import type { LogQuery, LogRecord, PaidQuery, TransactionQuery, TransactionRecord } from "./TransactionRecord.js"

/**
 * Reads blocks, transactions and logs of one chain.
 *
 * @category models
 */
export class ChainReader {
  readonly #queries
  readonly #blockByNumber
  readonly #blockByHash
  readonly #latest

  constructor(private readonly driver: Driver, c: number) {
    this.#queries = new ChainQueries(dialectOf(c))
    const block = blocks.as("b")
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
    return this.#blockByHash.first(bytesOf(hash))
  }

  transactionByHash(hash: Hex): TransactionRecord | undefined {
    return first(this.driver, this.#queries.transactionByHash(hash))
  }

  /** Only fee-delegated transactions have a sender hash of their own; for all others it is the hash. */
  transactionBySenderHash(hash: Hex): TransactionRecord | undefined {
    return first(this.driver, this.#queries.transactionBySenderHash(hash)) ?? this.transactionByHash(hash)
  }

  /** Whether a successful transaction created a contract. */
  hasCreation(contract: Hex): boolean {
    return first(this.driver, this.#queries.creation(contract)) !== undefined
  }

  transactionByIndex(block: number, index: number): TransactionRecord | undefined {
    return this.#all(this.#queries.transactionAt(block, index))[0]
  }

  transactions(query: TransactionQuery): ReadonlyArray<TransactionRecord> {
    return this.#all(this.#queries.transactions(query))
  }

  transactionsOfBlock(block: number): ReadonlyArray<TransactionRecord> {
    return this.#all(this.#queries.transactionsOfBlock(block))
  }

  transactionsPaidBy(query: PaidQuery): ReadonlyArray<TransactionRecord> {
    return this.#all(this.#queries.transactionsPaidBy(query))
  }

  logsOfTransaction(hash: Hex): ReadonlyArray<LogRecord> {
    return this.#all(this.#queries.logsOfTransaction(hash))
  }

  logs(query: LogQuery): ReadonlyArray<LogRecord> {
    return this.#all(this.#queries.logs(query))
  }

  #all<A>(statement: Statement<A> | undefined): ReadonlyArray<A> {
    return statement === undefined ? [] : all(this.driver, statement)
  }
}
