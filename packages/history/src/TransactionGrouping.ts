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
import * as Chunk from "effect/Chunk"
import * as Stream from "effect/Stream"
import { type CoinTransfer, transactionHash, type TransactionSummary, type Transfer } from "./Transfer.js"

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

type Group = Arr.NonEmptyArray<Transfer>

const summary = (transfer: Transfer): CoinTransfer | TransactionSummary | undefined => {
  switch (transfer._tag) {
    case "CoinTransfer":
      return transfer
    case "UnknownTransfer":
      return undefined
    default:
      return transfer.transaction
  }
}

const toTransaction = (transfers: Group): Transaction => {
  const coin = transfers.find((transfer) => transfer._tag === "CoinTransfer")
  const summaries = transfers.map(summary).filter((found) => found !== undefined)
  const known = coin ?? summaries[0]
  return {
    transactionHash: transactionHash(transfers[0]),
    // Older records lack these two, but another record of the same transaction may have them.
    blockNumber: summaries.find((found) => found.blockNumber !== undefined)?.blockNumber,
    timestamp: summaries.find((found) => found.timestamp !== undefined)?.timestamp,
    from: known?.from,
    fee: known?.fee,
    feePayer: known?.feePayer,
    feeRatio: known?.feeRatio,
    status: coin?.status,
    transfers
  }
}

/** Adds transfers to the open group. Returns the group that is open now and those that were closed. */
const add = (
  open: Group | undefined,
  transfers: Iterable<Transfer>
): readonly [open: Group | undefined, closed: Array<Transaction>] => {
  const closed: Array<Transaction> = []
  let current = open
  for (const transfer of transfers) {
    const hash = transactionHash(transfer)
    if (hash === undefined) {
      // It may belong to the open group: ending that here would count the fee of its other records again.
      closed.push(toTransaction([transfer]))
    } else if (current !== undefined && hash === transactionHash(current[0])) {
      current.push(transfer)
    } else {
      if (current !== undefined) closed.push(toTransaction(current))
      current = [transfer]
    }
  }
  return [current, closed]
}

/**
 * Groups a stream of transfers by transaction.
 *
 * @category combinators
 */
export const fromTransfers = <E, R>(transfers: Stream.Stream<Transfer, E, R>): Stream.Stream<Transaction, E, R> =>
  Stream.suspend(() => {
    let open: Group | undefined = undefined
    const rest = Stream.suspend(() => open === undefined ? Stream.empty : Stream.succeed(toTransaction(open)))
    return transfers.pipe(
      Stream.mapChunks((chunk) => {
        const [next, closed] = add(open, chunk)
        open = next
        return Chunk.unsafeFromArray(closed)
      }),
      Stream.catchAllCause((cause) => Stream.concat(rest, Stream.failCause(cause))),
      Stream.concat(rest)
    )
  })
