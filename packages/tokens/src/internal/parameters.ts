/** Forms of parameters that operations share, on the wire and as input. */
import * as Address from "@effect-klaytn/core/Address"
import * as Paged from "@effect-klaytn/core/Paged"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as TokenId from "../TokenId.js"

/** The query of a paged operation. */
export const paging = {
  size: Schema.optional(Paged.Size),
  cursor: Schema.optional(Schema.String)
}

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

/** What callers give. */
export const input = {
  contract: { contract: Address.FromInput },
  owner: { owner: Address.FromInput },
  tokenId: { tokenId: TokenId.TokenId },
  paging: { size: Schema.optional(Schema.typeSchema(Paged.Size)), cursor: Schema.optional(Schema.String) }
}

/** A list begins with its input in one spelling. */
export const beginning =
  <Input, E>(read: (input: unknown) => Effect.Effect<Input, E>) =>
  (given: unknown): Effect.Effect<Paged.Beginning<Input>, E> =>
    Effect.map(read(given), (input) => ({ filters: input, input }))

/** The query of a page; an empty cursor is none. */
export const pageOf = (given: { readonly size?: number | undefined; readonly cursor?: string | undefined }) => ({
  ...(given.size === undefined ? {} : { size: given.size }),
  ...(given.cursor === undefined || given.cursor === "" ? {} : { cursor: given.cursor })
})
