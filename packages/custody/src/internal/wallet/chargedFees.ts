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

/** A transaction whose fee the service's own fee payer has paid, fully or by ratio. */
export interface ChargedFee {
  /** The key of the transaction; later transactions have higher keys. */
  readonly id: number
  readonly record: TransactionRecord
  /** The fee payer's part of the fee, peb. */
  readonly charged: bigint
}

const toChargedFee = (record: TransactionRecord): ChargedFee => ({
  id: keyOf(record.blockNumber, record.transactionIndex),
  record,
  charged: splitFee(record, record.fee).byFeePayer
})

/** The fees that the service's own fee payer has paid, newest first. */
export const listChargedFees = (
  { globalFeePayer: { address }, reader }: ChainWallet,
  query: Omit<PaidQuery, "feePayer">
): Effect.Effect<ReadonlyArray<ChargedFee>, StoreFailure> =>
  attempt("fees", () => reader.transactionsPaidBy({ feePayer: address, ...query }).map(toChargedFee))

/** The fee of one transaction; none if the service's own fee payer has not paid it. */
export const findChargedFee = ({ chain, globalFeePayer: { address } }: ChainWallet, hash: Hex) =>
  Effect.map(
    chain.transaction(hash),
    (found) => found.pipe(Option.filter(({ feePayer }) => feePayer === address), Option.map(toChargedFee))
  )
