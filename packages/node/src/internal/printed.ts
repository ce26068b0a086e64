/** Makes errors, and the data they carry from any source, always serialisable as JSON. */
import * as Foreign from "@effect-klaytn/core/Foreign"
import * as Schema from "effect/Schema"

const bounded = Foreign.json((text) => text)

/** A copy with each `bigint` as decimal text. A value that JSON can't express, such as a cycle, is only outlined. */
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

/** Any value that an error carries. */
export const Data = Schema.transform(Schema.Unknown, Schema.Unknown, { decode: (data) => data, encode: copied })
