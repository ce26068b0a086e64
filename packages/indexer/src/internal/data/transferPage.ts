import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Effect from "effect/Effect"
import type { Position } from "../../Cursors.js"
import type { DataChain } from "../../DataChain.js"
import type { StoreFailure } from "../../IndexError.js"
import type { TransferQuery, TransferRecord } from "../../TransferRecord.js"

/** A search, and which coin transfers come along with the tokens it finds. */
export interface PageRequest {
  readonly query: Omit<TransferQuery, "before" | "limit">
  /**
   * By the service's API document, the coin transfer that triggered a token transfer belongs to the answer, too.
   * Undefined: the search finds all of them anyway, or wants none.
   */
  readonly trigger: ((coin: TransferRecord) => boolean) | undefined
  readonly after: Position | undefined
  readonly size: number
}

interface TransferPage {
  readonly records: ReadonlyArray<TransferRecord>
  readonly next: Position | undefined
}

const hashesOf = (records: ReadonlyArray<TransferRecord>): ReadonlySet<Hex> =>
  new Set(records.filter(({ kind }) => kind !== "coin").map(({ transaction }) => transaction.transactionHash))

const triggersOf = (
  chain: DataChain,
  hashes: ReadonlySet<Hex>,
  isWanted: (coin: TransferRecord) => boolean
): Effect.Effect<ReadonlyArray<TransferRecord>, StoreFailure> =>
  hashes.size === 0 ? Effect.succeed([]) : Effect.map(
    // The last one is the transaction's own; contracts may have moved coin, too.
    chain.lastTransfersOf([...hashes]),
    (records) => records.filter((one) => one.kind === "coin" && isWanted(one))
  )

/**
 * One page, newest first. The coin transfer of a transaction comes after its tokens, so it may be on the next page:
 * the position names the transaction whose coin transfer may be due.
 */
export const transferPage = (chain: DataChain, request: PageRequest): Effect.Effect<TransferPage, StoreFailure> =>
  Effect.gen(function*() {
    const { after, query, size, trigger } = request
    const limit = size + 1
    const found = yield* chain.transfers({ ...query, limit, ...(after !== undefined && { before: after.before }) })
    const owing = new Set([...hashesOf(found), ...(after?.pendingTrigger === undefined ? [] : [after.pendingTrigger])])
    const triggers = trigger === undefined ? [] : yield* triggersOf(chain, owing, trigger)
    const isAhead = ({ id }: TransferRecord) => after === undefined || id < after.before
    const all = [...new Map([...found, ...triggers.filter(isAhead)].map((record) => [record.id, record])).values()]
    all.sort((a, b) => b.id - a.id)
    const records = all.slice(0, size)
    const last = records.at(-1)
    if (last === undefined || all.length <= size) return { records, next: undefined }
    const { transactionHash } = last.transaction
    const isDue = trigger !== undefined && owing.has(transactionHash)
    return { records, next: { before: last.id, pendingTrigger: isDue ? transactionHash : undefined } }
  })
