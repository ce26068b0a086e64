/**
 * How a block is named in the input of a call.
 *
 * **Details**
 *
 * | Input | Sent |
 * | --- | --- |
 * | `"latest"`, `"earliest"`, `"pending"`, `"safe"`, `"finalized"` | as it is |
 * | a height, `436` or `436n` | `"0x1b4"` |
 * | a hash of 32 bytes (where hashes are accepted) | as it is, in lower case |
 *
 * `safe` and `finalized` mean the same as `latest` on this chain, whose blocks are final at once, and only nodes since
 * v2.1 know them. Many endpoints have no `pending` block for reading and answer an error. Nodes before v1.7 accept
 * heights, `latest` and `earliest` only; those are the most portable choice.
 *
 * @since 0.1.0
 */
import * as Hash from "@effect-klaytn/core/Hash"
import { HexQuantity } from "@effect-klaytn/core/Hex"
import * as Schema from "effect/Schema"

const tags = ["latest", "earliest", "pending", "safe", "finalized"] as const

/**
 * The names that a block can have.
 *
 * @since 0.1.0
 * @category models
 */
export type Tag = typeof tags[number]

/**
 * A block by height or tag.
 *
 * @since 0.1.0
 * @category models
 */
export type BlockNumber = bigint | number | Tag

/**
 * A block by height, tag or hash.
 *
 * @since 0.1.0
 * @category models
 */
export type BlockSelector = BlockNumber | (string & Record<never, never>)

/**
 * Whether a value is a tag.
 *
 * @since 0.1.0
 * @category guards
 */
export const isTag = (value: unknown): value is Tag => tags.some((tag) => tag === value)

const Height = Schema.transform(
  Schema.Union(
    Schema.NonNegativeBigIntFromSelf,
    Schema.Number.pipe(Schema.filter((height) => Number.isSafeInteger(height) && height >= 0))
  ).annotations({ message: () => "expected a block height: a whole number that is not negative" }),
  HexQuantity,
  { strict: true, decode: (height) => `0x${height.toString(16)}`, encode: (quantity) => BigInt(quantity) }
)

const Name = Schema.String.pipe(Schema.filter(isTag, {
  message: () => `expected a block: a height as number or bigint, or one of ${tags.join(", ")}`
}))

/**
 * From a height or tag to its form on the wire.
 *
 * @since 0.1.0
 * @category schemas
 */
export const NumberToWire = Schema.Union(Name, Height)
  .annotations({ identifier: "BlockNumber" })

/**
 * From a height, tag or hash to its form on the wire.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ToWire = Schema.Union(Name, Hash.FromWire, Height)
  .annotations({ identifier: "BlockSelector" })
