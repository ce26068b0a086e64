import type { Hex } from "@effect-klaytn/transaction/Hex"
import { flatMap, type Result } from "@effect-klaytn/transaction/Result"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import type { Payer } from "../store/WalletRecord.js"

/** What all transactions hold. */
export interface Common {
  readonly nonce: bigint
  /** peb for one unit of gas. */
  readonly gasPrice: bigint
  readonly gas: bigint
  readonly from: Hex
}

/** A transaction as requested: everything but what the service fills in. */
export interface Draft {
  readonly from: Hex
  /** Default: the account's next. */
  readonly nonce: bigint | undefined
  readonly gas: bigint
  /** False: sign, but don't send. */
  readonly submit: boolean
  /** Makes the transaction, unsigned and without a fee payer. */
  readonly plain: (common: Common) => Result<Transaction.Transaction>
  readonly payer: Payer
  /** Percent that the fee payer pays; absent when it pays all, or nothing. */
  readonly feeRatio: number | undefined
}

/** What the service fills in; without a fee payer the sender pays. */
export type Filling = Pick<Common, "nonce" | "gasPrice"> & { readonly feePayer: Hex | undefined }

/** The transaction of a draft, unsigned. */
export const transactionOf = (
  { feeRatio, from, gas, plain }: Pick<Draft, "feeRatio" | "from" | "gas" | "plain">,
  { feePayer, ...filled }: Filling
): Result<Transaction.Transaction> => {
  const made = plain({ ...filled, gas, from })
  return feePayer === undefined
    ? made
    : flatMap(made, (plain) => Transaction.delegate(plain, { feePayer, ...(feeRatio !== undefined && { feeRatio }) }))
}
