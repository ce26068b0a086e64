import type * as Arr from "effect/Array"
import * as Chunk from "effect/Chunk"
import * as Stream from "effect/Stream"
import type { Transaction } from "../TransactionGrouping.js"
import { type CoinTransfer, transactionHash, type TransactionSummary, type Transfer } from "../Transfer.js"

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
      Stream.concat(Stream.suspend(() => rest))
    )
  })
