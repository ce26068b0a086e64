/**
 * Whether a node is still syncing.
 *
 * @since 0.1.0
 */
import { BigIntFromQuantity } from "@effect-klaytn/core/Hex"
import * as Schema from "effect/Schema"
import * as field from "./internal/field.js"

/**
 * `false` when the node is up to date, else how far it has come, in block heights and state entries.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Syncing = Schema.Union(
  Schema.Literal(false),
  Schema.Struct({
    startingBlock: BigIntFromQuantity,
    currentBlock: BigIntFromQuantity,
    highestBlock: BigIntFromQuantity,
    pulledStates: field.absent(BigIntFromQuantity),
    knownStates: field.absent(BigIntFromQuantity)
  })
).annotations({ identifier: "Syncing" })

/**
 * `false` when the node is up to date, else how far it has come, in block heights and state entries.
 *
 * @since 0.1.0
 * @category models
 */
export type Syncing = typeof Syncing.Type
