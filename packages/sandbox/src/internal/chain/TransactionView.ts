import type { AccountKey } from "@effect-klaytn/transaction/AccountKey"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import type { Transaction } from "@effect-klaytn/transaction/Transaction"
import { typeInt } from "@effect-klaytn/transaction/TransactionType"

/** What a transaction does when it runs. */
export type Action =
  | { readonly kind: "transfer" | "execute" | "call"; readonly to: Hex }
  | { readonly kind: "create" }
  | { readonly kind: "updateKey"; readonly key: AccountKey }
  | { readonly kind: "none" }

/** A transaction of any type, in one shape: what admission and execution look at. */
export interface TransactionView {
  readonly transaction: Transaction
  readonly typeInt: number
  readonly from: Hex
  readonly nonce: bigint
  readonly gas: bigint
  /** The most that the sender gives for one unit of gas. */
  readonly gasPriceCap: bigint
  /** What it gives on top of the base fee; for types with one price the price. */
  readonly tipCap: bigint
  readonly value: bigint
  readonly input: Hex
  readonly action: Action
  readonly feePayer: Hex | undefined
  readonly feeRatio: number | undefined
  readonly accessList: ReadonlyArray<{ readonly address: Hex; readonly storageKeys: ReadonlyArray<Hex> }>
  /** Names a value and a receiver: gives a native record in the transfer history. */
  readonly carriesValue: boolean
}

const actionOf = (transaction: Transaction): Action => {
  if ("key" in transaction) return { kind: "updateKey", key: transaction.key }
  if ("codeFormat" in transaction) return { kind: "create" }
  switch (transaction.type) {
    case "LegacyTransaction":
    case "EthereumAccessList":
    case "EthereumDynamicFee":
      return transaction.to === undefined ? { kind: "create" } : { kind: "call", to: transaction.to }
    case "SmartContractExecution":
    case "FeeDelegatedSmartContractExecution":
    case "FeeDelegatedSmartContractExecutionWithRatio":
      return { kind: "execute", to: transaction.to }
    default:
      return "to" in transaction && transaction.to !== undefined
        ? { kind: "transfer", to: transaction.to }
        : { kind: "none" }
  }
}

/** One shape for every type. `sender` is who signed, for the types that do not name their sender. */
export const viewOf = (transaction: Transaction, sender: Hex): TransactionView => ({
  transaction,
  typeInt: typeInt(transaction.type),
  from: "from" in transaction ? transaction.from : sender,
  nonce: transaction.nonce,
  gas: transaction.gas,
  gasPriceCap: "gasPrice" in transaction ? transaction.gasPrice : transaction.maxFeePerGas,
  tipCap: "gasPrice" in transaction ? transaction.gasPrice : transaction.maxPriorityFeePerGas,
  value: "value" in transaction ? transaction.value : 0n,
  input: "input" in transaction ? transaction.input : "0x",
  action: actionOf(transaction),
  feePayer: "feePayer" in transaction ? transaction.feePayer : undefined,
  feeRatio: "feeRatio" in transaction ? transaction.feeRatio : undefined,
  accessList: "accessList" in transaction ? transaction.accessList : [],
  carriesValue: "value" in transaction
})

/** Splits a fee: what the fee payer pays of it, and what the sender pays. Division rounds the fee payer's part down. */
export const splitFee = (
  view: Pick<TransactionView, "feePayer" | "feeRatio">,
  fee: bigint
): { readonly byFeePayer: bigint; readonly bySender: bigint } => {
  if (view.feePayer === undefined) return { byFeePayer: 0n, bySender: fee }
  const byFeePayer = view.feeRatio === undefined ? fee : fee * BigInt(view.feeRatio) / 100n
  return { byFeePayer, bySender: fee - byFeePayer }
}
