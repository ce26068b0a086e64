/**
 * The service's answer to a transaction: one record for sent, signed and pending ones.
 *
 * @since 0.1.0
 */
import * as Address from "@effect-klaytn/core/Address"
import * as Amount from "@effect-klaytn/core/Amount"
import * as Hash from "@effect-klaytn/core/Hash"
import * as Hex from "@effect-klaytn/core/Hex"
import * as Schema from "effect/Schema"
import { Count, maybe, noneAsEmpty } from "./internal/wire.js"

/**
 * A signature as on the wire: upper-case names, quantities without leading zeros. * * @since 0.1.0 * @category schemas
 */
export const Signature = Schema.Struct({
  V: Hex.BigIntFromQuantity,
  R: Hex.BigIntFromQuantity,
  S: Hex.BigIntFromQuantity
}).annotations({ identifier: "Signature" })

/**
 * A signature as it stands on the wire: capital names, quantities without leading zeros.
 *
 * @since 0.1.0
 * @category models
 */
export type Signature = typeof Signature.Type

/**
 * The result of a transaction. The document does not show it; every field was seen in public clients.
 *
 * **Details**
 *
 * | Case | `status` | `transactionHash` | `rlp` | `transactionId` |
 * |---|---|---|---|---|
 * | sent | `Submitted` | yes | yes | no |
 * | signed only | absent | no | yes | no |
 * | waits for further signatures | `Pending` | no | no | yes |
 *
 * `transactionHash` is the Keccak-256 hash of `rlp`. `gasPrice` does not always agree with the price inside `rlp`:
 * never compare them. Only fee-delegated transactions have `feePayer`, and only those that share the fee have
 * `feeRatio`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const TransactionResult = Schema.Struct({
  from: Address.FromWire,
  gas: Count,
  gasPrice: Amount.FromQuantity,
  nonce: Count,
  typeInt: Count,
  value: maybe(Amount.FromQuantity),
  to: noneAsEmpty,
  input: maybe(Hex.HexDataFromWire),
  accountKey: maybe(Hex.HexDataFromWire),
  feePayer: noneAsEmpty,
  feeRatio: maybe(Count),
  rlp: maybe(Hex.HexDataFromWire),
  signatures: maybe(Schema.Array(Signature)),
  status: maybe(Schema.String),
  transactionHash: maybe(Hash.FromWire),
  transactionId: maybe(Hash.FromWire)
}).annotations({ identifier: "TransactionResult" })

/**
 * The result of a transaction.
 *
 * @since 0.1.0
 * @category models
 */
export type TransactionResult = typeof TransactionResult.Type
