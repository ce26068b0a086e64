/**
 * Receipts as `klay_` and `kaia_` methods return them.
 *
 * **Details**
 *
 * A receipt holds the whole transaction with its type-specific fields (see `Transaction`; its hash is called
 * `transactionHash` here) and its result. There is no cumulative gas: only `eth_` methods return that.
 */
import type * as Schema from "effect/Schema"
import * as TransactionSchemas from "./TransactionSchemas.js"

/**
 * The receipt of a transaction of any type.
 *
 * @category models
 */
export type Receipt = TransactionSchemas.AnyType & TransactionSchemas.ReceiptFields

/**
 * The receipt of one transaction type, by its tag.
 *
 * @category models
 */
export type Of<Tag extends Receipt["_tag"]> = Extract<Receipt, { readonly _tag: Tag }>

/**
 * The receipt of a transaction of any type, discriminated by `_tag`.
 *
 * @category schemas
 */
export const Receipt: Schema.Schema<Receipt, unknown> = TransactionSchemas.receipts

/**
 * Whether the transaction succeeded.
 *
 * @category guards
 */
export const isSuccess = (receipt: Receipt): boolean => receipt.status === 1

const errorTexts: ReadonlyMap<number, string> = new Map([
  [0x02, "general error of the virtual machine"],
  [0x03, "calls too deep"],
  [0x04, "contract address collision"],
  [0x05, "out of gas while storing code"],
  [0x06, "code too large"],
  [0x07, "out of gas"],
  [0x08, "write in a read-only call"],
  [0x09, "execution reverted"],
  [0x0a, "computation cost limit reached"],
  [0x0b, "account exists already"],
  [0x0c, "target is not a contract"],
  [0x0d, "human-readable addresses are not supported"],
  [0x0e, "fee ratio outside 1 to 99"],
  [0x0f, "a fail key cannot be updated"],
  [0x10, "a key of another kind"],
  [0x11, "a nil key cannot be installed"],
  [0x12, "public key not on the curve"],
  [0x13, "a weight of zero"],
  [0x14, "key not serialisable"],
  [0x15, "duplicate key"],
  [0x16, "the sum of weights overflows"],
  [0x17, "the threshold cannot be reached"],
  [0x18, "length of zero"],
  [0x19, "too long"],
  [0x1a, "nested composite key"],
  [0x1b, "legacy transaction from an account without a legacy key"],
  [0x1c, "deprecated"],
  [0x1d, "not supported"],
  [0x1e, "bad code format"]
])

/**
 * The meaning of a `txError`, from the node's code; `undefined` for an unknown number.
 *
 * @example
 * ```ts
 * import * as Receipt from "@effect-klaytn/node/Receipt"
 *
 * console.log(Receipt.txErrorText(9)) // "execution reverted"
 * ```
 *
 * @category formatting
 */
export const txErrorText = (code: number): string | undefined => errorTexts.get(code)
