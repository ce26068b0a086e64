/**
 * How a block is named in the input of a call.
 *
 * **Details**
 *
 * | Input | Sent |
 * | --- | --- |
 * | `"latest"`, `"earliest"`, `"pending"`, `"safe"`, `"finalized"` | as it is |
 * | a height, `436n` or `"0x1b4"` | `"0x1b4"` |
 * | a hash of 32 bytes (where hashes are accepted) | as it is, in lower case |
 *
 * `safe` and `finalized` mean the same as `latest` on this chain, whose blocks are final at once, and only nodes since
 * v2.1 know them. Many endpoints have no `pending` block for reading and answer an error. Nodes before v1.7 accept
 * heights, `latest` and `earliest` only; those are the most portable choice.
 *
 * **Gotchas**
 *
 * A height is a `bigint` and never a `number`: in `addresses.map(node.klay.getBalance)` the index would become the block.
 * That does not compile; write `(address) => node.klay.getBalance(address)`.
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
 * A block by height or tag. A text is a height in hex, as on the wire.
 *
 * @since 0.1.0
 * @category models
 */
export type BlockNumber = bigint | Tag | `0x${string}`

/**
 * A block by height, tag or hash. A text of 32 bytes is a hash, a shorter one a height in hex.
 *
 * @since 0.1.0
 * @category models
 */
export type BlockSelector = BlockNumber

/**
 * Whether a value is a tag.
 *
 * @since 0.1.0
 * @category guards
 */
export const isTag = (value: unknown): value is Tag => tags.some((tag) => tag === value)

const names = `one of ${tags.join(", ")}`

const Height = Schema.transform(Schema.NonNegativeBigIntFromSelf, HexQuantity, {
  strict: true,
  decode: (height) => `0x${height.toString(16)}`,
  encode: (quantity) => BigInt(quantity)
})

/** A height as the wire has it. */
const Quantity = Schema.transform(
  Schema.String.pipe(Schema.pattern(/^0x(0|[1-9a-fA-F][0-9a-fA-F]{0,15})$/)),
  HexQuantity,
  {
    strict: true,
    decode: (text) => text.toLowerCase(),
    encode: (quantity) => quantity
  }
)

const Name = Schema.String.pipe(Schema.filter(isTag))

/**
 * From a height or tag to its form on the wire.
 *
 * @since 0.1.0
 * @category schemas
 */
export const NumberToWire = Schema.Union(Name, Quantity, Height)
  .annotations({
    identifier: "BlockNumber",
    message: () => ({ message: `expected a block: a height as bigint, such as 436n, or ${names}`, override: true })
  })

/**
 * From a height, tag or hash to its form on the wire.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ToWire = Schema.Union(Name, Hash.FromWire, Quantity, Height)
  .annotations({
    identifier: "BlockSelector",
    message: () => ({
      message: `expected a block: a height as bigint, such as 436n, a hash, or ${names}`,
      override: true
    })
  })
