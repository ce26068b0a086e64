/**
 * Receipts as `klay_` and `kaia_` methods answer them.
 *
 * **Details**
 *
 * A receipt is the whole transaction with its type-specific fields (see `Transaction`; its hash is called
 * `transactionHash` here) and what became of it. There is no cumulative gas: only `eth_` methods tell that.
 *
 * @since 0.1.0
 */
import * as Address from "@effect-klaytn/core/Address"
import { FromQuantity as PebFromQuantity } from "@effect-klaytn/core/Amount"
import * as Hash from "@effect-klaytn/core/Hash"
import { BigIntFromQuantity, HexDataFromWire } from "@effect-klaytn/core/Hex"
import * as Schema from "effect/Schema"
import * as field from "./internal/field.js"
import * as internal from "./internal/transaction.js"
import { errorTexts } from "./internal/txError.js"
import { Log } from "./Log.js"

const schema = internal.union({
  transactionHash: Hash.FromWire,
  ...internal.common,
  /** 1 for success, 0 for failure: a failed one moved nothing but the fee. */
  status: field.SmallQuantity,
  /** Why it failed; see {@link txErrorText}. */
  txError: field.absent(field.SmallQuantity),
  gasUsed: BigIntFromQuantity,
  /** In peb; nodes before v1.8 leave it out. */
  effectiveGasPrice: field.absent(PebFromQuantity),
  logsBloom: field.absent(HexDataFromWire),
  logs: Schema.Array(Log),
  /** Set when a contract was created. */
  contractAddress: field.absent(Address.FromWire),
  blobGasUsed: field.absent(BigIntFromQuantity),
  blobGasPrice: field.absent(PebFromQuantity)
})

/**
 * The receipt of a transaction of any type.
 *
 * @since 0.1.0
 * @category models
 */
export type Receipt = typeof schema.Type

/**
 * The receipt of a transaction of any type, told apart by `_tag`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Receipt: Schema.Schema<Receipt, unknown> = schema

/**
 * Whether the transaction did what it was to do.
 *
 * @since 0.1.0
 * @category guards
 */
export const isSuccess = (receipt: Receipt): boolean => receipt.status === 1

/**
 * The meaning of a `txError`, as in the node's code; none if the number is not known.
 *
 * @example
 * ```ts
 * import * as Receipt from "@effect-klaytn/node/Receipt"
 *
 * console.log(Receipt.txErrorText(9)) // "execution reverted"
 * ```
 *
 * @since 0.1.0
 * @category formatting
 */
export const txErrorText = (code: number): string | undefined => errorTexts.get(code)
