/**
 * Which block a call is about: a height, a tag or a hash.
 *
 * **Details**
 *
 * | Input | Sent |
 * | --- | --- |
 * | `"latest"`, `"earliest"`, `"pending"`, `"safe"`, `"finalized"` | as it is |
 * | a height, `436n` or `"0x1b4"` | `"0x1b4"` |
 * | a hash of 32 bytes (where hashes are accepted) | as it is, in lower case |
 *
 * On this chain blocks are final immediately, so `safe` and `finalized` mean the same as `latest`; only nodes since
 * v2.1 accept them. Many endpoints have no `pending` block to read and answer with an error. Nodes before v1.7 accept
 * only heights, `latest` and `earliest`, which makes those the most portable choice.
 *
 * **Gotchas**
 *
 * A height is a `bigint`, never a `number`: otherwise `addresses.map(node.klay.getBalance)` would pass the array index
 * as the block. That does not compile; write `addresses.map((address) => node.klay.getBalance(address))`.
 */
import * as Hash from "@effect-klaytn/core/Hash"
import { HexQuantity } from "@effect-klaytn/core/HexEncoding"
import * as Schema from "effect/Schema"
import * as schemas from "./internal/records/schemas.js"

const tags = ["latest", "earliest", "pending", "safe", "finalized"] as const

/**
 * A block tag.
 *
 * @category models
 */
export type Tag = typeof tags[number]

/**
 * A block by height or tag. A string that is no tag is a height in hex, as on the wire.
 *
 * @category models
 */
export type BlockNumber = bigint | Tag | `0x${string}`

/**
 * A block by height, tag or hash. A hex string of 32 bytes is a hash, a shorter one is a height.
 *
 * @category models
 */
export type BlockSelector = BlockNumber

/**
 * Whether a value is a block tag.
 *
 * @category guards
 */
export const isTag = (value: unknown): value is Tag => tags.some((tag) => tag === value)

const expected = (more: string) => ({
  message: `expected a block: a height as bigint, such as 436n, ${more}or one of ${tags.join(", ")}`,
  override: true
})

/** A height in its wire form. */
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
 * Encodes a height or tag for the wire.
 *
 * @category schemas
 */
export const NumberToWire = Schema.Union(Name, Quantity, schemas.QuantityFromBigInt)
  .annotations({
    identifier: "BlockNumber",
    message: () => expected("")
  })

/**
 * Encodes a height, tag or hash for the wire.
 *
 * @category schemas
 */
export const ToWire = Schema.Union(Name, Hash.FromWire, Quantity, schemas.QuantityFromBigInt)
  .annotations({
    identifier: "BlockSelector",
    message: () => expected("a hash, ")
  })
