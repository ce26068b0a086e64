import { keyOf } from "@effect-klaytn/indexer/BlockKey"
import type { PaidQuery } from "@effect-klaytn/indexer/ChainReader"
import { attempt } from "@effect-klaytn/local-chain/ChainError"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import { splitFee } from "@effect-klaytn/transaction/TransactionView"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { StoreFailure } from "../../ChainError.js"
import type { TransactionRecord } from "../../TransactionRecord.js"
import type { ChainWallet } from "./ChainWallet.js"

/** A transaction that the service's own fee payer has paid for, fully or by ratio. */
export interface ChargedFee {
  /** Its key: later ones are higher. */
  readonly id: number
  readonly record: TransactionRecord
  readonly feePayer: Hex
  /** What the fee payer paid of the fee, peb. */
  readonly charged: bigint
}

const toChargedFee = (feePayer: Hex, record: TransactionRecord): ChargedFee => ({
  id: keyOf(record.blockNumber, record.transactionIndex),
  record,
  feePayer,
  charged: splitFee(record, record.fee).byFeePayer
})

/** What the service's own fee payer has paid for, newest first. */
export const listChargedFees = (
  { globalFeePayer: { address }, reader }: ChainWallet,
  query: Omit<PaidQuery, "feePayer">
): Effect.Effect<ReadonlyArray<ChargedFee>, StoreFailure> =>
  attempt(
    "fees",
    () => reader.transactionsPaidBy({ feePayer: address, ...query }).map((record) => toChargedFee(address, record))
  )

/** The same for one transaction; nothing when somebody else paid for it. */
export const findChargedFee = ({ chain, globalFeePayer: { address } }: ChainWallet, hash: Hex) =>
  Effect.map(chain.transaction(hash), (found) =>
    found.pipe(
      Option.filter(({ feePayer }) => feePayer === address),
      Option.map((record) => toChargedFee(address, record))
    ))
