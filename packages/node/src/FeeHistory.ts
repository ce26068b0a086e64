/**
 * Fees of past blocks.
 *
 * @since 0.1.0
 */
import { FromQuantity as PebFromQuantity } from "@effect-klaytn/core/Amount"
import { BigIntFromQuantity } from "@effect-klaytn/core/Hex"
import * as Schema from "effect/Schema"
import * as field from "./internal/field.js"

/**
 * The result of `feeHistory`. Prices are in peb. `baseFeePerGas` has one more entry than there are blocks: that of the
 * next block. `gasUsedRatio` is between 0 and 1. It is absent if no block was requested, and `reward` is absent if no
 * percentiles were. The node may return fewer blocks than requested.
 *
 * @since 0.1.0
 * @category schemas
 */
export const FeeHistory = Schema.Struct({
  oldestBlock: BigIntFromQuantity,
  baseFeePerGas: field.absent(Schema.Array(PebFromQuantity)),
  gasUsedRatio: field.absent(Schema.Array(Schema.Number)),
  reward: field.absent(Schema.Array(Schema.Array(PebFromQuantity))),
  blobBaseFeePerGas: field.absent(Schema.Array(PebFromQuantity))
}).annotations({ identifier: "FeeHistory" })

/**
 * The result of `feeHistory`.
 *
 * @since 0.1.0
 * @category models
 */
export interface FeeHistory extends Schema.Schema.Type<typeof FeeHistory> {}
