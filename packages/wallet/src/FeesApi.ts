/**
 * The contract of charged fees: those that the service's global fee payer paid, and what was charged for them.
 *
 * **Not in the API document**: everything here was seen in public clients of the service, which use it only on mainnet
 * and may be answered differently, or not at all. "Not found" is HTTP 400 with code 1061010.
 */
import * as Address from "@effect-klaytn/core/Address"
import * as Amount from "@effect-klaytn/core/Amount"
import * as Chain from "@effect-klaytn/core/Chain"
import * as ErrorBody from "@effect-klaytn/core/ErrorBody"
import * as Hash from "@effect-klaytn/core/Hash"
import * as HexEncoding from "@effect-klaytn/core/HexEncoding"
import * as Operation from "@effect-klaytn/core/Operation"
import * as Paged from "@effect-klaytn/core/Paged"
import { UnixTime } from "@effect-klaytn/core/UnixTime"
import * as Schema from "effect/Schema"
import { Count, maybe, noneAsEmpty } from "./internal/fields.js"

const { get } = Operation.of("wallet", [ErrorBody.BadRequest])

/**
 * A charged fee.
 *
 * **Details**
 *
 * `chargedByPeb`, `chargedByKlay`, `chargedByKrw` and `chargedByUsd` are decimal strings, unlike every other amount of
 * the service. `krw` and `usd` are the exchange rates. `feeRatio` was seen as a number and as a string.
 *
 * @category schemas
 */
export const ChargedFee = Schema.Struct({
  chainId: Chain.Chain,
  from: Address.FromWire,
  to: noneAsEmpty,
  feePayer: Address.FromWire,
  feeRatio: maybe(Schema.Union(Count, Schema.NumberFromString)),
  gasPrice: Amount.FromQuantity,
  gasUsed: HexEncoding.BigIntFromQuantity,
  status: Schema.String,
  timestamp: UnixTime,
  transactionHash: Hash.FromWire,
  typeInt: Count,
  chargedByPeb: maybe(Schema.BigInt),
  chargedByKlay: maybe(Schema.String),
  chargedByKrw: maybe(Schema.String),
  chargedByUsd: maybe(Schema.String),
  krw: maybe(Schema.Number),
  usd: maybe(Schema.Number)
}).annotations({ identifier: "ChargedFee" })

/**
 * A charged fee.
 *
 * @category models
 */
export type ChargedFee = typeof ChargedFee.Type

/**
 * Lists charged fees.
 *
 * @category endpoints
 */
export const getChargedFees = get("getChargedFees", "/v2/history/fd/tx", {
  urlParams: {
    from: Schema.optional(Address.FromWire),
    ...Paged.query
  },
  success: Paged.schema(ChargedFee)
})

/**
 * Gets the fee that was charged for one transaction.
 *
 * @category endpoints
 */
export const getChargedFee = get("getChargedFee", "/v2/history/fd/tx/:hash", {
  path: { hash: Hash.FromWire },
  success: ChargedFee
})
