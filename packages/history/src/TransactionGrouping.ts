/**
 * Groups transfers by transaction, so that a fee counts once and no transaction is split by a page boundary.
 *
 * **Details**
 *
 * The records of a transaction are adjacent in every list seen; a group ends where the hash changes. The fee, which
 * every record of a transaction repeats, appears once in its group. Equal records of a transaction are separate
 * transfers, and all are kept. A record of an unknown kind without a readable hash is a group of its own. If the stream
 * ends or fails in the middle of a transaction, the transfers of that transaction received so far are delivered first.
 *
 * **Gotchas**
 *
 * A search by account, kind or contract returns only matching records. `getTransfersByTxHash` returns all records of a
 * transaction.
 *
 * **Example** (the fees an account paid)
 *
 * ```ts
 * import * as TransactionGrouping from "@effect-klaytn/history/TransactionGrouping"
 * import * as TransferHistory from "@effect-klaytn/history/TransferHistory"
 * import * as Effect from "effect/Effect"
 * import * as Stream from "effect/Stream"
 *
 * export const fees = (address: string) =>
 *   Effect.gen(function*() {
 *     const history = yield* TransferHistory.TransferHistory
 *     return yield* history.getTransfersByEoa.items({ address, only: "from" }).pipe(
 *       TransactionGrouping.fromTransfers,
 *       Stream.filter((transaction) => transaction.feePayer === undefined),
 *       Stream.runFold(0n, (sum, transaction) => sum + (transaction.fee ?? 0n))
 *     )
 *   })
 * ```
 */
import type { Address } from "@effect-klaytn/core/Address"
import type { Peb } from "@effect-klaytn/core/Amount"
import type { Hash } from "@effect-klaytn/core/Hash"
import type { UnixTime } from "@effect-klaytn/core/UnixTime"
import type * as Arr from "effect/Array"
import type * as Stream from "effect/Stream"
import * as internal from "./internal/grouping.js"
import type { CoinTransfer, Transfer } from "./Transfer.js"

/**
 * A transaction with those of its transfers that a search found, in their original order.
 *
 * **Details**
 *
 * `from` is the sender, `fee` the fee of the whole transaction in peb, and `feePayer` who paid it if not the sender.
 * All of them are taken from the records; a group that consists only of records of unknown kinds has only what could be
 * read.
 *
 * @category models
 */
export interface Transaction {
  readonly transactionHash: Hash | undefined
  readonly blockNumber: number | undefined
  readonly timestamp: UnixTime | undefined
  readonly from: Address | undefined
  readonly fee: Peb | undefined
  readonly feePayer: Address | undefined
  readonly feeRatio: number | undefined
  /** Whether it succeeded; known only if its coin record was found and has a status, which older records lack. */
  readonly status: CoinTransfer["status"]
  readonly transfers: Arr.NonEmptyReadonlyArray<Transfer>
}

/**
 * Groups a stream of transfers by transaction.
 *
 * @category combinators
 */
export const fromTransfers: <E, R>(transfers: Stream.Stream<Transfer, E, R>) => Stream.Stream<Transaction, E, R> =
  internal.fromTransfers
