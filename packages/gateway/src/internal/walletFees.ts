/** The fees of a gateway's own fee payer, from its index. */
import { StoreFailure } from "@effect-klaytn/custody/CustodyError"
import type { FeeLedger, PaidFee } from "@effect-klaytn/custody/WalletChain"
import { keyOf } from "@effect-klaytn/indexer/BlockKey"
import type * as IndexError from "@effect-klaytn/indexer/IndexError"
import type { IndexStore } from "@effect-klaytn/indexer/IndexStore"
import type { PaidQuery, TransactionRecord } from "@effect-klaytn/indexer/TransactionRecord"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import { sharesOf } from "@effect-klaytn/transaction/TransactionView"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

const toFee = (record: TransactionRecord): PaidFee => ({
  id: keyOf(record.blockNumber, record.transactionIndex),
  record,
  charged: sharesOf(record).byFeePayer
})

const read = <A>(effect: Effect.Effect<A, IndexError.StoreFailure>): Effect.Effect<A, StoreFailure> =>
  Effect.mapError(effect, ({ cause }) => new StoreFailure({ operation: "fees", cause }))

/** What is asked of an index. */
export interface Reader {
  readonly store: IndexStore
  readonly transactionsPaidBy: (
    query: PaidQuery
  ) => Effect.Effect<ReadonlyArray<TransactionRecord>, IndexError.StoreFailure>
}

/** The fees that a fee payer has paid in transactions that the index keeps. */
export const ofIndex = ({ store, transactionsPaidBy }: Reader) => (feePayer: Hex): FeeLedger => ({
  list: (query) => Effect.map(read(transactionsPaidBy({ feePayer, ...query })), (found) => found.map(toFee)),
  find: (hash) =>
    Effect.map(
      read(store.reader.transaction(hash)),
      Option.filterMap((found) => found.feePayer === feePayer ? Option.some(toFee(found)) : Option.none())
    )
})
