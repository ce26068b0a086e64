import * as ExecutedTransaction from "@effect-klaytn/transaction/ExecutedTransaction"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import { hashTransaction } from "@effect-klaytn/transaction/TransactionView"
import * as Effect from "effect/Effect"
import type { SourceBlock } from "../BlockSource.js"
import { SourceMismatch } from "../IndexError.js"

const noBytes = new Uint8Array(0)

/** The records of the transactions of a block. */
export const executedOf = <E>(
  { header, transactions }: SourceBlock<E>
): Effect.Effect<ReadonlyArray<ExecutedTransaction.ExecutedTransaction>, SourceMismatch> =>
  Effect.gen(function*() {
    const executed: Array<ExecutedTransaction.ExecutedTransaction> = []
    for (const [index, mined] of transactions.entries()) {
      const place = { block: header, index, gasBefore: executed.at(-1)?.cumulativeGasUsed ?? 0n }
      if ("facts" in mined) {
        executed.push(ExecutedTransaction.fromFacts(mined.facts, noBytes, mined.receipt, place))
        continue
      }
      const decoded = Transaction.decode(mined.raw, { unprotected: true })
      const hashed = decoded.ok ? hashTransaction(decoded.value, mined.from) : decoded
      if (!hashed.ok) {
        const problem = `transaction ${index} can't be read: ${hashed.error.message}`
        return yield* new SourceMismatch({ height: header.number, problem })
      }
      executed.push(ExecutedTransaction.make(hashed.value, mined.receipt, place))
    }
    return executed
  })
