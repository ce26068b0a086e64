/**
 * A transaction of any type in one shape, as a chain validates, executes and indexes it.
 */
import type { AccountKey } from "./AccountKey.js"
import type { Hex } from "./Hex.js"
import { createsContract } from "./internal/intrinsicGas.js"
import type { Result } from "./Result.js"
import * as Transactions from "./Transaction.js"
import type { Transaction } from "./Transaction.js"
import type { SignedAuthorization } from "./TransactionBody.js"
import { isEthereum, typeInt } from "./TransactionType.js"

/**
 * What a transaction does when it runs.
 *
 * @category models
 */
export type Action =
  | { readonly kind: "transfer" | "execute" | "call"; readonly to: Hex }
  | { readonly kind: "create" }
  | { readonly kind: "updateKey"; readonly key: AccountKey }
  | { readonly kind: "none" }

/**
 * A transaction of any type, in one shape, for validation and execution.
 *
 * @category models
 */
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
  /** The hashes of its blobs. */
  readonly blobVersionedHashes: ReadonlyArray<Hex>
  /** The most that the sender gives for one unit of blob gas. */
  readonly blobFeeCap: bigint
  /** Which accounts run which contract's code from then on. */
  readonly authorizationList: ReadonlyArray<SignedAuthorization>
  /** Names a value and a receiver: it has a coin transfer in the transfer history. */
  readonly carriesValue: boolean
}

const actionOf = (transaction: Transaction): Action => {
  if ("key" in transaction) return { kind: "updateKey", key: transaction.key }
  if (createsContract(transaction)) return { kind: "create" }
  if (!("to" in transaction) || transaction.to === undefined) return { kind: "none" }
  const { to, type } = transaction
  if (type === "LegacyTransaction" || isEthereum(type)) return { kind: "call", to }
  return { kind: type.includes("SmartContractExecution") ? "execute" : "transfer", to }
}

/**
 * The view of a transaction of any type. `sender` is the account that signed, for types that do not name their sender.
 *
 * @category conversions
 */
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
  blobVersionedHashes: "blobVersionedHashes" in transaction ? transaction.blobVersionedHashes : [],
  blobFeeCap: "maxFeePerBlobGas" in transaction ? transaction.maxFeePerBlobGas : 0n,
  authorizationList: "authorizationList" in transaction ? transaction.authorizationList : [],
  carriesValue: "value" in transaction
})

/**
 * Splits a fee: what the fee payer pays of it, and what the sender pays. Division rounds the fee payer's part down.
 *
 * @category accessors
 */
export const splitFee = (
  view: Pick<TransactionView, "feePayer" | "feeRatio">,
  fee: bigint
): { readonly byFeePayer: bigint; readonly bySender: bigint } => {
  if (view.feePayer === undefined) return { byFeePayer: 0n, bySender: fee }
  const byFeePayer = view.feeRatio === undefined ? fee : fee * BigInt(view.feeRatio) / 100n
  return { byFeePayer, bySender: fee - byFeePayer }
}

/**
 * What fee payer and sender have paid for an executed transaction, to the peb. The chain takes the shares of all of its gas, and
 * gives back those of the gas that is left; the fee payer's are rounded down, so that it can pay a peb more than its part of the fee.
 *
 * @category accessors
 */
export const sharesOf = (
  executed: Pick<TransactionView, "feePayer" | "feeRatio" | "gas"> & {
    readonly gasUsed: bigint
    readonly gasPrice: bigint
  }
): ReturnType<typeof splitFee> => {
  const { gas, gasPrice, gasUsed } = executed
  const taken = splitFee(executed, gas * gasPrice)
  const returned = splitFee(executed, (gas - gasUsed) * gasPrice)
  return { byFeePayer: taken.byFeePayer - returned.byFeePayer, bySender: taken.bySender - returned.bySender }
}

/**
 * A signed transaction with its hashes and bytes.
 *
 * @category models
 */
export interface HashedTransaction {
  readonly view: TransactionView
  readonly hash: Hex
  readonly senderTxHash: Hex
  /** As it is hashed: Ethereum types without 0x78, and without blobs. */
  readonly raw: Uint8Array
}

/**
 * Hashes a signed transaction; `sender` as in {@link viewOf}.
 *
 * @category conversions
 */
export const hashTransaction = (transaction: Transaction, sender: Hex): Result<HashedTransaction> => {
  const raw = Transactions.encodeBytes(Transactions.withoutSidecar(transaction), { form: "eth" })
  if (!raw.ok) return raw
  const hash = Transactions.hash(transaction)
  if (!hash.ok) return hash
  const senderTxHash = Transactions.isFeeDelegatedTransaction(transaction) ? Transactions.senderHash(transaction) : hash
  if (!senderTxHash.ok) return senderTxHash
  const view = viewOf(transaction, sender)
  return { ok: true, value: { view, hash: hash.value, senderTxHash: senderTxHash.value, raw: raw.value } }
}
