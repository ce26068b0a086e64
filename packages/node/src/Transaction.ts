/**
 * Transactions as `klay_` and `kaia_` methods answer them.
 *
 * **Details**
 *
 * A tagged union with one member for each type of the chain, `ValueTransfer` to `EthereumSetCode`, named as in the
 * chain's documentation without `TxType`, and `UnknownTransaction` for types this SDK does not know, which keeps the
 * record. Fields as in the node's code:
 *
 * - every type has `hash`, `typeInt`, `from`, `nonce`, `gas` (the limit), `gasPrice` in peb, `signatures`;
 * - fee-delegated types add `feePayer` and `feePayerSignatures`; those with a ratio also `feeRatio`, the percentage
 *   that the fee payer pays;
 * - `senderTxHash` equals `hash` unless the fee is delegated.
 *
 * The three fields of the place (`blockHash`, `blockNumber`, `transactionIndex`) are absent while the transaction is
 * pending: the node writes zeros then, its documentation says null, and both are read.
 *
 * @since 0.1.0
 */
import * as Hash from "@effect-klaytn/core/Hash"
import type * as Schema from "effect/Schema"
import * as internal from "./internal/transaction.js"

const schema = internal.union({ hash: Hash.FromWire, ...internal.common })

/**
 * A transaction of any type.
 *
 * @since 0.1.0
 * @category models
 */
export type Transaction = typeof schema.Type

/**
 * A transaction of any type, told apart by `_tag`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Transaction: Schema.Schema<Transaction, unknown> = schema

/**
 * Whether the transaction waits in the pool, so that it has no place in a block yet.
 *
 * @since 0.1.0
 * @category guards
 */
export const isPending = (transaction: Transaction): boolean => transaction.blockHash === undefined

/**
 * One signature of a sender or of a fee payer, as whole numbers. On the wire its parts are named `V`, `R` and `S` and
 * have no leading zeros.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Signature = internal.Signature

/**
 * See the schema of the same name.
 *
 * @since 0.1.0
 * @category models
 */
export type Signature = typeof Signature.Type
