import type * as Arr from "effect/Array"
import * as Chunk from "effect/Chunk"
import * as Stream from "effect/Stream"
import type { Transaction } from "../Transactions.js"
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
  const known = coin ?? transfers.map(summary).find((found) => found !== undefined)
  return {
    transactionHash: transactionHash(transfers[0]),
    blockNumber: known?.blockNumber,
    timestamp: known?.timestamp,
    from: known?.from,
    fee: known?.fee,
    feePayer: known?.feePayer,
    feeRatio: known?.feeRatio,
    status: coin?.status,
    transfers
  }
}

const belongs = (group: Group, transfer: Transfer): boolean => {
  const hash = transactionHash(transfer)
  return hash !== undefined && hash === transactionHash(group[0])
}

/** Adds transfers to an open group: the groups that closed, and the one still open. */
const add = (
  open: Group | undefined,
  transfers: Iterable<Transfer>
): readonly [open: Group | undefined, closed: Array<Transaction>] => {
  const closed: Array<Transaction> = []
  let current = open
  for (const transfer of transfers) {
    if (current !== undefined && belongs(current, transfer)) {
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
