import * as Schema from "effect/Schema"

/** Hex of a length, in any case. */
const hex = (digits: number) =>
  Schema.Lowercase.pipe(
    Schema.compose(Schema.TemplateLiteral("0x", Schema.String)),
    Schema.filter((text) => text.length === digits + 2 && /^0x[0-9a-f]*$/.test(text))
  )

/** An address, in any case. */
export const account = hex(40)
/** A hash, in any case. */
export const hash = hex(64)

/** A number of a block, a row or a status. */
export const whole = Schema.NumberFromString.pipe(
  Schema.int(),
  Schema.nonNegative(),
  Schema.lessThanOrEqualTo(2 ** 53 - 1)
)

/** Digits of a token's ID. */
export const tokenId = Schema.compose(Schema.String.pipe(Schema.pattern(/^\d{1,78}$/)), Schema.BigInt)

/** A place among the transactions: `12-3`. */
export const place = Schema.transform(
  Schema.String.pipe(Schema.pattern(/^\d{1,10}-\d{1,7}$/)),
  Schema.Struct({ block: Schema.Int, index: Schema.Int }),
  {
    strict: true,
    decode: (text) => {
      const [block = 0, index = 0] = text.split("-").map(Number)
      return { block, index }
    },
    encode: ({ block, index }) => `${block}-${index}`
  }
)

/** A parameter that may be absent. */
export const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

/** Where a page of numbered rows begins: before this one. */
export const beforeRow = { before: optional(whole) }
