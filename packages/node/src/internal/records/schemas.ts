/** Schemas of what a node answers, of input, and of the data in errors, as far as several modules share them. */
import * as Decoder from "@effect-klaytn/core/Decoder"
import { BigIntFromQuantity, HexData, HexDataFromWire, HexQuantity, noData } from "@effect-klaytn/core/HexEncoding"
import * as Input from "@effect-klaytn/core/Input"
import * as Sanitize from "@effect-klaytn/core/Sanitize"
import { UnixTime } from "@effect-klaytn/core/UnixTime"
import { quantity } from "@effect-klaytn/transaction/Hex"
import * as TransactionType from "@effect-klaytn/transaction/TransactionType"
import * as Duration from "effect/Duration"
import { identity } from "effect/Function"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"

// Answers

// The values of which they consist.
export { FromWire as Address } from "@effect-klaytn/core/Address"
export { FromQuantity as Peb } from "@effect-klaytn/core/Amount"
export { FromWire as Hash } from "@effect-klaytn/core/Hash"
export { BigIntFromQuantity as Quantity, HexDataFromWire as Bytes } from "@effect-klaytn/core/HexEncoding"

/** A field that is left out or null when it has no value. */
export const optional = <A, I>(schema: Schema.Schema<A, I>) => Decoder.nullable(schema)

/** The `type` on the wire, as the tag of a union member. */
export const tag = <const Wire extends string, const Tag extends string>(wire: Wire, tag: Tag) =>
  Schema.propertySignature(Schema.transformLiteral(wire, tag)).pipe(Schema.fromKey("type"))

/** Unix seconds as a quantity. */
export const Timestamp: Schema.Schema<UnixTime, string> = Schema.compose(
  Schema.transform(BigIntFromQuantity, Schema.Number, { strict: true, decode: Number, encode: (n) => BigInt(n) }),
  UnixTime
).annotations({ identifier: "TimestampFromQuantity" })

/** A small quantity as a number: a status, a code, an index. */
export const SmallQuantity: Schema.Schema<number, string> = Decoder.withCustomReader(
  Schema.transform(BigIntFromQuantity, Schema.Int.pipe(Schema.nonNegative()), {
    strict: true,
    decode: Number,
    encode: (n) => BigInt(n)
  }).annotations({ identifier: "NumberFromQuantity" }),
  (value) => {
    const number = typeof value === "string" && /^0x[0-9a-fA-F]+$/.test(value) ? Number(value) : Number.NaN
    return Number.isSafeInteger(number) ? number : Decoder.fallback
  }
)

/** A JSON number of any size; the JSON reader delivers those above 2^53 as `bigint`. */
export const BigNumber: Schema.Schema<bigint, number | bigint> = Schema.transform(
  Schema.Union(Schema.BigIntFromSelf, Schema.Int),
  Schema.BigIntFromSelf,
  {
    strict: true,
    decode: (value) => BigInt(value),
    encode: (value) => value >= -9007199254740991n && value <= 9007199254740991n ? Number(value) : value
  }
).annotations({ identifier: "BigNumber", description: "a whole JSON number of any size" })

/** Transforms a wire object before its schema decodes it; any other value is passed on. */
export const prepare = <A, I, R>(
  schema: Schema.Schema<A, I, R>,
  transform: (record: { readonly [key: string]: unknown }) => unknown
): Schema.Schema<A, unknown, R> =>
  Schema.compose(
    Schema.transform(Schema.Unknown, Schema.Unknown, {
      strict: true,
      decode: (value) => Predicate.isReadonlyRecord(value) ? transform(value) : value,
      encode: identity
    }),
    schema,
    { strict: false }
  )

/** Drops the address that a receipt names although its transaction created no contract: see `createsContract` of `TransactionType`. */
export const dropUncreated = (
  record: { readonly [key: string]: unknown }
): { readonly [key: string]: unknown } => {
  if (record["contractAddress"] === undefined || record["contractAddress"] === null) return record
  const { contractAddress: _, ...rest } = record
  const { status, to, typeInt } = record
  // Ethereum's form has no type of the chain's own, and a `to` for all of them but creations.
  const type = typeof typeInt === "number" ? typeInt : TransactionType.typeInts.LegacyTransaction
  const isCreation = TransactionType.createsContract(type, typeof to === "string" ? to : undefined)
  return Number(status) === 1 && isCreation ? record : rest
}

/** Renames alternative spellings of fields to the schema's own, which wins if both are present. */
export const respell =
  (names: Readonly<Record<string, string>>) => (record: { readonly [key: string]: unknown }): unknown => {
    const renamed: { [key: string]: unknown } = {}
    for (const [name, value] of Object.entries(record)) {
      const known = names[name]
      if (known === undefined) renamed[name] = value
      else if (!(known in record)) renamed[known] = value
    }
    return renamed
  }

/** `None` if the node answers null. */
export const orNone = <A, I>(schema: Schema.Schema<A, I>): Schema.Schema<Option.Option<A>, I | null> =>
  Decoder.outputIsValid(Schema.OptionFromNullOr(schema))

/** `None` if the node answers empty bytes. */
export const BytesOrNone = Schema.transform(HexDataFromWire, Schema.OptionFromSelf(Schema.typeSchema(HexData)), {
  strict: true,
  decode: (bytes) => bytes === noData ? Option.none() : Option.some(bytes),
  encode: (bytes) => Option.getOrElse(bytes, () => noData)
})

export const CountOrNone = orNone(BigIntFromQuantity)

// Input, checked before anything is sent

export const NonNegativeBigInt = Schema.NonNegativeBigIntFromSelf.annotations({
  message: () => "expected a bigint that is not negative"
})

/** A `bigint` that is sent as a quantity. */
export const QuantityFromBigInt = Schema.transform(
  NonNegativeBigInt,
  HexQuantity,
  { strict: true, decode: quantity, encode: (text) => BigInt(text) }
)

export const Height = Schema.NonNegativeBigIntFromSelf.annotations({
  message: () => "expected a block height: a bigint that is not negative, such as 436n"
})

const notDuration = "expected a duration, such as \"1 second\""

/** A pause between questions: one second by default, the time of one block. */
export const Pause = Schema.optionalWith(Input.duration(notDuration, Duration.isFinite), {
  default: () => Duration.seconds(1)
})

/** How long to wait: one minute by default; may be infinite. */
export const TimeLimit = Schema.optionalWith(Input.duration(notDuration), { default: () => Duration.minutes(1) })

// Errors, always serialisable as JSON

const bounded = Sanitize.json(identity)

/** A copy with each `bigint` as decimal text. A value that JSON can't express, such as a cycle, is only described. */
const toJson = (value: unknown): unknown => {
  if (value === undefined) return undefined
  try {
    return JSON.parse(
      JSON.stringify(value, (_, inner: unknown) => typeof inner === "bigint" ? inner.toString() : inner)
    )
  } catch {
    return bounded(value)
  }
}

export const errorToJson = (error: Error): unknown => toJson({ ...error, message: error.message })

/** Any value that an error carries. */
export const Data = Schema.transform(Schema.Unknown, Schema.Unknown, { decode: (data) => data, encode: toJson })
