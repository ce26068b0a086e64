import * as AccountKey from "@effect-klaytn/transaction/AccountKey"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Signature from "@effect-klaytn/transaction/Signature"
import type { Transaction } from "@effect-klaytn/transaction/Transaction"
import { typeInt } from "@effect-klaytn/transaction/TransactionType"
import type { TransactionResult } from "@effect-klaytn/wallet/TransactionResult"

/** What became of a transaction. */
export type Ending =
  | { readonly kind: "sent"; readonly rlp: Hex; readonly hash: Hex }
  | { readonly kind: "signed"; readonly rlp: Hex }
  | { readonly kind: "pending"; readonly id: Hex }

/** A whole number as the wire has it. */
export const quantity = (value: bigint | number): Hex => `0x${value.toString(16)}`

/** The data of an account key. Keys that stand in a transaction were checked before. */
export const encodedKey = (key: AccountKey.AccountKey): string => {
  const encoded = AccountKey.encode(key)
  return encoded.ok ? encoded.value : ""
}

/** What a transaction is about: the fields that only some types have. */
export const contentsOf = (transaction: Transaction) => ({
  ...("to" in transaction && transaction.to !== undefined && { to: transaction.to }),
  ...("value" in transaction && { value: quantity(transaction.value) }),
  ...("input" in transaction && { input: transaction.input })
})

/** The price that a transaction names for a unit of gas. */
export const gasPriceOf = (transaction: Transaction): bigint =>
  "gasPrice" in transaction ? transaction.gasPrice : transaction.maxFeePerGas

/** The record of a transaction that the wallet made. */
export const wireTransactionResult = (
  transaction: Transaction,
  from: Hex,
  ending: Ending
): typeof TransactionResult.Encoded => ({
  from,
  gas: Number(transaction.gas),
  gasPrice: quantity(gasPriceOf(transaction)),
  nonce: Number(transaction.nonce),
  typeInt: typeInt(transaction.type),
  ...contentsOf(transaction),
  ...("key" in transaction && { accountKey: encodedKey(transaction.key) }),
  ...("feePayer" in transaction && transaction.feePayer !== undefined && { feePayer: transaction.feePayer }),
  ...("feeRatio" in transaction && { feeRatio: transaction.feeRatio }),
  ...(ending.kind === "pending"
    ? { status: "Pending", transactionId: ending.id }
    : { rlp: ending.rlp, signatures: transaction.signatures.map(Signature.toQuantities) }),
  ...(ending.kind === "sent" && { status: "Submitted", transactionHash: ending.hash })
})
