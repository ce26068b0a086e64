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
 * What `feeHistory` answers. Prices are in peb. `baseFeePerGas` has one entry more than there are blocks, that of the
 * next block. `gasUsedRatio` is from 0 to 1; it is absent when no block was asked for, `reward` when no percentiles were. The node
 * may answer with fewer blocks than were asked for.
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
 * What `feeHistory` answers.
 *
 * @since 0.1.0
 * @category models
 */
export interface FeeHistory extends Schema.Schema.Type<typeof FeeHistory> {}
