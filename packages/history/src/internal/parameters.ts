/** Forms of query parameters. */
import * as Schema from "effect/Schema"

/** A list joined with commas, with at least one item. */
export const list = <A, I extends string>(item: Schema.Schema<A, I>) =>
  Schema.compose(
    Schema.transform(Schema.String, Schema.Array(Schema.String), {
      strict: true,
      decode: (text) => text.split(",").map((part) => part.trim()),
      encode: (parts) => parts.join(",")
    }),
    Schema.NonEmptyArray(item),
    { strict: false }
  )

/** The words `true` and `false`. */
export const flag = Schema.transformLiterals(["true", true], ["false", false])
