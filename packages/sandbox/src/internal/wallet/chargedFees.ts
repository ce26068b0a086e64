import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { StoreFailure } from "../../ChainError.js"
import type { TransactionRecord } from "../../TransactionRecord.js"
import { attempt } from "../chain/reads.js"
import { splitFee } from "../chain/TransactionView.js"
import type { FeeEntry, FeeQuery } from "../store/FeeLedger.js"
import type { ChainWallet } from "./ChainWallet.js"

/** A transaction that the service's own fee payer has paid for, in whole or by ratio. */
export interface ChargedFee {
  /** Its place in the ledger. */
  readonly id: number
  readonly record: TransactionRecord
  readonly feePayer: Hex
  /** What the fee payer paid of the fee, peb. */
  readonly charged: bigint
}

const readCharge = (
  wallet: ChainWallet,
  { hash, id }: FeeEntry
): Effect.Effect<Option.Option<ChargedFee>, StoreFailure> =>
  Effect.map(
    wallet.chain.transaction(hash),
    Option.flatMap((record) =>
      record.feePayer === undefined ? Option.none() : Option.some({
        id,
        record,
        feePayer: record.feePayer,
        charged: splitFee(record, record.fee).byFeePayer
      })
    )
  )

/** What the service's own fee payer has paid for, newest first. */
export const listChargedFees = (
  wallet: ChainWallet,
  query: Omit<FeeQuery, "feePayer">
): Effect.Effect<ReadonlyArray<ChargedFee>, StoreFailure> =>
  attempt("fees", () => wallet.fees.list({ feePayer: wallet.globalFeePayer.address, ...query })).pipe(
    Effect.flatMap(Effect.forEach((entry) => readCharge(wallet, entry))),
    Effect.map((found) => found.flatMap(Option.toArray))
  )

/** The same for one transaction. */
export const findChargedFee = (
  wallet: ChainWallet,
  hash: Hex
): Effect.Effect<Option.Option<ChargedFee>, StoreFailure> =>
  Effect.flatMap(
    attempt("fees", () => wallet.fees.entry(hash, wallet.globalFeePayer.address)),
    (entry) => entry === undefined ? Effect.succeed(Option.none()) : readCharge(wallet, entry)
  )
