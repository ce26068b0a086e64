/**
 * The kinds of transfers that a search can be limited to.
 */
import type * as WireDialect from "@effect-klaytn/core/WireDialect"
import * as Schema from "effect/Schema"

/**
 * `coin` (the native coin), `ft` (fungible tokens), `nft` (non-fungible tokens) or `mt` (multi tokens). The API
 * document names all four.
 *
 * @category schemas
 */
export const Kind = Schema.Literal("coin", "ft", "nft", "mt").annotations({ identifier: "Kind" })

/**
 * `coin` (the native coin), `ft` (fungible tokens), `nft` (non-fungible tokens) or `mt` (multi tokens).
 *
 * @category models
 */
export type Kind = typeof Kind.Type

/**
 * A kind as written on the wire: the API document calls the native coin `coin`, the service's public clients `klay`.
 *
 * @category schemas
 */
export const Word = Schema.Literal("coin", "klay", "ft", "nft", "mt").annotations({ identifier: "KindWord" })

/**
 * A kind as written on the wire: the API document calls the native coin `coin`, the service's public clients `klay`.
 *
 * @category models
 */
export type Word = typeof Word.Type

/**
 * The word to send for a kind.
 *
 * @category conversions
 */
export const toWord = (kind: Kind, dialect: WireDialect.WireDialect): Word => kind === "coin" ? dialect.coin : kind

/**
 * The kind that a word means.
 *
 * @category conversions
 */
export const fromWord = (word: Word): Kind => word === "klay" ? "coin" : word
