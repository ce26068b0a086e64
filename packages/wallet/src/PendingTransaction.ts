/**
 * Multisig transactions that wait for signatures, and the result of signing one. Beyond the document; everything here
 * was seen in public clients.
 *
 * @since 0.1.0
 */
import * as Address from "@effect-klaytn/core/Address"
import * as Amount from "@effect-klaytn/core/Amount"
import * as Chain from "@effect-klaytn/core/Chain"
import * as Hash from "@effect-klaytn/core/Hash"
import * as Hex from "@effect-klaytn/core/Hex"
import { UnixTime } from "@effect-klaytn/core/UnixTime"
import * as Schema from "effect/Schema"
import { ChecksumAddress, Count, maybe, noneAsEmpty } from "./internal/wire.js"

/**
 * A transaction that waits for signatures.
 *
 * **Details**
 *
 * `status` 2 means waiting; it is the only value seen. `threshold` is the weight that the signatures must reach.
 *
 * @since 0.1.0
 * @category schemas
 */
export const PendingTransaction = Schema.Struct({
  address: ChecksumAddress,
  chainId: Chain.Chain,
  createdAt: UnixTime,
  updatedAt: UnixTime,
  transactionId: Hash.FromWire,
  threshold: Schema.Int,
  status: Schema.Int,
  type: maybe(Schema.String),
  multiSigKeys: maybe(Schema.Array(Schema.Struct({ address: ChecksumAddress, weight: Schema.Int }))),
  txData: Schema.Struct({
    from: Address.FromWire,
    gas: maybe(Count),
    gasPrice: maybe(Amount.FromQuantity),
    nonce: maybe(Count),
    typeInt: Count,
    to: noneAsEmpty,
    value: maybe(Amount.FromQuantity),
    input: maybe(Hex.HexDataFromWire)
  })
}).annotations({ identifier: "PendingTransaction" })

/**
 * A transaction that waits for signatures.
 *
 * @since 0.1.0
 * @category models
 */
export type PendingTransaction = typeof PendingTransaction.Type

/**
 * What a signature came to: `status` is `Signed`, or `Submitted` when the threshold was met and the service sent the
 * transaction; `reminders` are the accounts that have not signed yet.
 *
 * @since 0.1.0
 * @category schemas
 */
export const SigningStatus = Schema.Struct({
  transactionId: Hash.FromWire,
  threshold: Schema.Int,
  weight: maybe(Schema.Int),
  signedWeight: maybe(Schema.Int),
  status: Schema.String,
  transactionHash: maybe(Hash.FromWire),
  reminders: maybe(Schema.Array(ChecksumAddress))
}).annotations({ identifier: "SigningStatus" })

/**
 * What a signature came to: `status` is `Signed`, or `Submitted` when the threshold was met and the service sent the
 * transaction; `reminders` are the accounts that have not signed yet.
 *
 * @since 0.1.0
 * @category models
 */
export type SigningStatus = typeof SigningStatus.Type
