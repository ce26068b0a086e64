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
import { Count, maybe, noneAsEmpty } from "./internal/contract/fields.js"

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
  /** The chain. */
  chainId: Chain.Chain,
  /** The address of the sender. */
  from: Address.FromWire,
  /** The address of the receiver, or of the contract that is called. */
  to: noneAsEmpty,
  /** The address of the fee payer. */
  feePayer: Address.FromWire,
  /** The percentage of the fee that the fee payer pays, 1 to 99; without it, all. */
  feeRatio: maybe(Schema.Union(Count, Schema.NumberFromString)),
  /** The price of a unit of gas, in peb. */
  gasPrice: Amount.FromQuantity,
  /** How much gas the transaction used. */
  gasUsed: HexEncoding.BigIntFromQuantity,
  /** How the transaction ended. */
  status: Schema.String,
  /** When it happened. */
  timestamp: UnixTime,
  /** The hash of the transaction. */
  transactionHash: Hash.FromWire,
  /** The number of the transaction type: 8 value transfer, 48 contract execution, 49 the same with a fee payer, ... */
  typeInt: Count,
  /** What was charged, in peb: a decimal string. */
  chargedByPeb: maybe(Schema.BigInt),
  /** What was charged, in KLAY: a decimal string. */
  chargedByKlay: maybe(Schema.String),
  /** What was charged, in won: a decimal string. */
  chargedByKrw: maybe(Schema.String),
  /** What was charged, in dollars: a decimal string. */
  chargedByUsd: maybe(Schema.String),
  /** The price of a KLAY in won at that time. */
  krw: maybe(Schema.Number),
  /** The price of a KLAY in dollars at that time. */
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
    /** Only fees of transactions of this sender. */
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
  path: {
    /** The hash of the transaction. */
    hash: Hash.FromWire
  },
  success: ChargedFee
})
