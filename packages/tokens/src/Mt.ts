/**
 * One token that a multi-token contract has issued, regardless of its owners.
 *
 * The document names the record but shows no fields; all were seen in the public clients of the service.
 *
 * @since 0.1.0
 */
import { BigIntFromQuantity } from "@effect-klaytn/core/Hex"
import * as Schema from "effect/Schema"
import * as record from "./internal/record.js"
import * as TokenId from "./TokenId.js"

/**
 * An issued multi token.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Mt = record.make("Mt", {
  tokenId: TokenId.FromQuantity,
  /** Units that all owners hold together. */
  totalSupply: BigIntFromQuantity,
  /** Any text, not necessarily a URL. */
  tokenUri: Schema.String
})

/**
 * An issued multi token. Fields that this SDK does not know are in `extra`.
 *
 * @since 0.1.0
 * @category models
 */
export type Mt = typeof Mt.Type
