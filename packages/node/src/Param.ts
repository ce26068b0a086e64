/**
 * One parameter of a method: its name, the form it takes, and what the caller gave.
 *
 * @since 0.1.0
 */
import * as Address from "@effect-klaytn/core/Address"
import * as Hash from "@effect-klaytn/core/Hash"
import { HexDataFromWire, HexQuantity, isData } from "@effect-klaytn/core/Hex"
import type * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as AccountKeys from "./AccountKey.js"
import * as BlockSelector from "./BlockSelector.js"
import * as CallRequest from "./CallRequest.js"
import * as LogFilter from "./LogFilter.js"

/**
 * A form of parameter: what it takes, and how that is written on the wire.
 *
 * @since 0.1.0
 * @category models
 */
export interface Form {
  /** What it takes, in a word or two, for tables. */
  readonly takes: string
  /** Whether a value is sent as it is. */
  readonly isReady: (value: unknown) => boolean
  /** Checks a value and gives its form on the wire. */
  readonly encode: (value: unknown) => Either.Either<unknown, ParseResult.ParseError>
}

/**
 * A parameter with what the caller gave for it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Param {
  readonly name: string
  readonly form: Form
  readonly value: unknown
  /** Whether it is left out when the caller gives nothing. */
  readonly optional: boolean
}

/** Fields that are undefined are fields that are not there. */
const compact = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(compact)
  if (!Predicate.isReadonlyRecord(value) || Object.getPrototypeOf(value) !== Object.prototype) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, field]) => field === undefined ? [] : [[name, compact(field)]])
  )
}

/**
 * A parameter of the form of a schema, which goes from what a caller gives to what is sent. `isReady` sees values that
 * are sent as they are.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = <A, I>(
  takes: string,
  schema: Schema.Schema<A, I>,
  isReady: (value: unknown) => boolean = () => false
): (name: string, value: unknown) => Param => {
  const decode = Schema.decodeUnknownEither(schema)
  const form: Form = { takes, isReady, encode: (value) => decode(compact(value)) }
  return (name, value) => ({ name, form, value, optional: false })
}

/**
 * Leaves a parameter out when the caller gives nothing.
 *
 * @since 0.1.0
 * @category combinators
 */
export const optional = (param: Param): Param => ({ ...param, optional: true })

/**
 * An address in one case, or with a correct checksum; sent in lower case.
 *
 * @since 0.1.0
 * @category constructors
 */
export const address = make("address", Address.FromInput, Address.is)

/**
 * A hash of 32 bytes.
 *
 * @since 0.1.0
 * @category constructors
 */
export const hash = make("hash", Hash.FromWire, Hash.is)

/**
 * Bytes in hex.
 *
 * @since 0.1.0
 * @category constructors
 */
export const data = make("bytes", HexDataFromWire, isData)

/**
 * A list of bytes in hex.
 *
 * @since 0.1.0
 * @category constructors
 */
export const dataList = make("bytes[]", Schema.Array(HexDataFromWire))

const WholeNumber = Schema.Union(
  Schema.NonNegativeBigIntFromSelf,
  Schema.Number.pipe(Schema.filter((value) => Number.isSafeInteger(value) && value >= 0))
).annotations({ message: () => "expected a whole number that is not negative" })

const Quantity = Schema.transform(WholeNumber, HexQuantity, {
  strict: true,
  decode: (value) => `0x${value.toString(16)}`,
  encode: (quantity) => BigInt(quantity)
})

/**
 * A whole number, sent as a quantity.
 *
 * @since 0.1.0
 * @category constructors
 */
export const quantity = make("whole number", Quantity)

const BigQuantity = Schema.transform(
  Schema.NonNegativeBigIntFromSelf.annotations({ message: () => "expected a bigint that is not negative" }),
  HexQuantity,
  { strict: true, decode: (value) => `0x${value.toString(16)}`, encode: (quantity) => BigInt(quantity) }
)

/**
 * A storage slot: its number, or its 32 bytes.
 *
 * @since 0.1.0
 * @category models
 */
export type Slot = bigint | `0x${string}`

/**
 * A storage slot by its number or by its 32 bytes.
 *
 * @since 0.1.0
 * @category constructors
 */
export const slot = make("slot", Schema.Union(BigQuantity, Hash.FromWire))

/**
 * Storage slots.
 *
 * @since 0.1.0
 * @category constructors
 */
export const slots = make("slot[]", Schema.Array(Schema.Union(BigQuantity, Hash.FromWire)))

/**
 * A block by height or tag.
 *
 * @since 0.1.0
 * @category constructors
 */
export const blockNumber = make("block number", BlockSelector.NumberToWire, BlockSelector.isTag)

/**
 * A block by height only.
 *
 * @since 0.1.0
 * @category constructors
 */
export const height = make("height", Quantity)

/**
 * A block by height, tag or hash.
 *
 * @since 0.1.0
 * @category constructors
 */
export const block = make("block", BlockSelector.ToWire, BlockSelector.isTag)

/**
 * True or false.
 *
 * @since 0.1.0
 * @category constructors
 */
export const flag = make("boolean", Schema.Boolean)

/**
 * True or false, fixed by the method and not given by the caller.
 *
 * @since 0.1.0
 * @category constructors
 */
export const fixed = (name: string, value: boolean): Param => make(String(value), Schema.Literal(value))(name, value)

/**
 * A text.
 *
 * @since 0.1.0
 * @category constructors
 */
export const text = make("text", Schema.String)

/**
 * Percentiles from 0 to 100, ascending; at most 100 of them.
 *
 * @since 0.1.0
 * @category constructors
 */
export const percentiles = make(
  "percentiles",
  Schema.Array(Schema.Number.pipe(Schema.between(0, 100))).pipe(
    Schema.maxItems(100),
    Schema.filter((values) => values.every((value, i) => i === 0 || value >= (values[i - 1] ?? 0)), {
      message: () => "expected percentiles in ascending order"
    })
  )
)

/**
 * An execution that is not sent.
 *
 * @since 0.1.0
 * @category constructors
 */
export const call = make("call", CallRequest.ToWire)

/**
 * Accounts as they are to be taken to be while a call runs.
 *
 * @since 0.1.0
 * @category constructors
 */
export const overrides = make("overrides", CallRequest.OverridesToWire)

/**
 * Which logs to look for.
 *
 * @since 0.1.0
 * @category constructors
 */
export const filter = make("log filter", LogFilter.ToWire)

/**
 * An account key.
 *
 * @since 0.1.0
 * @category constructors
 */
export const accountKey = make(
  "account key",
  Schema.transformOrFail(Schema.Unknown, Schema.Unknown, {
    strict: true,
    decode: (key) => ParseResult.encodeUnknown(AccountKeys.AccountKey)(key),
    encode: (wire) => ParseResult.decodeUnknown(AccountKeys.AccountKey)(wire)
  })
)
