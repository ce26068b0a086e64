/** What errors show of themselves, and of what came with them, whoever made them: it can always be written as JSON. */
import * as Foreign from "@effect-klaytn/core/Foreign"
import * as Schema from "effect/Schema"

const bounded = Foreign.json((text) => text)

/** A copy with each `bigint` as the text of its digits; where JSON has no form for a value, as for a loop, only its outline. */
const copied = (value: unknown): unknown => {
  if (value === undefined) return undefined
  try {
    return JSON.parse(
      JSON.stringify(value, (_, inner: unknown) => typeof inner === "bigint" ? inner.toString() : inner)
    )
  } catch {
    return bounded(value)
  }
}

/** An error as JSON. */
export const error = (self: Error): unknown => copied({ ...self, message: self.message })

/** A value of any kind that an error carries. */
export const Data = Schema.transform(Schema.Unknown, Schema.Unknown, { decode: (data) => data, encode: copied })
