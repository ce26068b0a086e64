/**
 * The kinds of tokens that a search of an account's holdings can be limited to.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * `ft` (fungible), `nft` (non-fungible) or `mt` (multi token). The native coin is refused here (seen).
 *
 * @since 0.1.0
 * @category schemas
 */
export const TokenKind = Schema.Literal("ft", "nft", "mt").annotations({ identifier: "TokenKind" })

/**
 * `ft` (fungible), `nft` (non-fungible) or `mt` (multi token).
 *
 * @since 0.1.0
 * @category models
 */
export type TokenKind = typeof TokenKind.Type
