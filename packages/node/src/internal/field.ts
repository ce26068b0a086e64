/** Schemas for the fields of a node's answers. */
import * as Decoder from "@effect-klaytn/core/Decoder"
import { BigIntFromQuantity } from "@effect-klaytn/core/Hex"
import { UnixTime } from "@effect-klaytn/core/UnixTime"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"

/** A field that is left out or null if it is empty. */
export const absent = <A, I>(schema: Schema.Schema<A, I>) => Decoder.nullable(schema)

/** A wire literal under another name in the domain, where it is the tag of a union member. */
export const tagged = <const Wire extends string, const Tag extends string>(wire: Wire, tag: Tag) =>
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
export const prepared = <A, I, R>(
  schema: Schema.Schema<A, I, R>,
  prepare: (record: { readonly [key: string]: unknown }) => unknown
): Schema.Schema<A, unknown, R> =>
  Schema.compose(
    Schema.transform(Schema.Unknown, Schema.Unknown, {
      strict: true,
      decode: (value) => Predicate.isReadonlyRecord(value) && !Array.isArray(value) ? prepare(value) : value,
      encode: (value) => value
    }),
    schema,
    { strict: false }
  )

/** Alternative spellings of fields, keyed by the schema's own spelling, which wins if both are present. */
export const spelled =
  (names: Readonly<Record<string, string>>) => (record: { readonly [key: string]: unknown }): unknown => {
    const renamed: { [key: string]: unknown } = {}
    for (const [name, value] of Object.entries(record)) {
      const known = names[name]
      if (known === undefined) renamed[name] = value
      else if (!(known in record)) renamed[known] = value
    }
    return renamed
  }
