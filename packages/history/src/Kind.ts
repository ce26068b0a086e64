/**
 * The kinds of transfers that a search can be limited to.
 *
 * @since 0.1.0
 */
import type * as Spelling from "@effect-klaytn/core/Spelling"
import * as Schema from "effect/Schema"

/**
 * `coin` (the native coin), `ft` (fungible tokens), `nft` (non-fungible tokens) or `mt` (multi tokens). The document
 * names all four.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Kind = Schema.Literal("coin", "ft", "nft", "mt").annotations({ identifier: "Kind" })

/**
 * `coin` (the native coin), `ft` (fungible tokens), `nft` (non-fungible tokens) or `mt` (multi tokens).
 *
 * @since 0.1.0
 * @category models
 */
export type Kind = typeof Kind.Type

/**
 * A kind as written on the wire: the document calls the native coin `coin`, the service's public clients `klay`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Word = Schema.Literal("coin", "klay", "ft", "nft", "mt").annotations({ identifier: "KindWord" })

/**
 * A kind as written on the wire: the document calls the native coin `coin`, the service's public clients `klay`.
 *
 * @since 0.1.0
 * @category models
 */
export type Word = typeof Word.Type

/**
 * The word to send for a kind.
 *
 * @since 0.1.0
 * @category conversions
 */
export const toWord = (kind: Kind, spelling: Spelling.Spelling): Word => kind === "coin" ? spelling.coin : kind

/**
 * The kind that a word means.
 *
 * @since 0.1.0
 * @category conversions
 */
export const fromWord = (word: Word): Kind => word === "klay" ? "coin" : word
