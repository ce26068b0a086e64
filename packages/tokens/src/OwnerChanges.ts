/**
 * Where a snapshot of owners learns which tokens moved while it was read.
 *
 * **Details**
 *
 * The service has no operation that says "what changed in this contract since": its transfer history is searched by
 * preset, by account or by transaction, never by contract alone. So a snapshot takes the source of changes as a
 * parameter:
 *
 * - {@link fromTransfers}: the transfer history, searched by a preset that holds the contract. The most complete one.
 *   The search is the caller's, so that this package does not need the package of the history.
 * - {@link fromUpdateTimes}: the table read once more, for tokens whose time of update is in the window. Needs neither
 *   presets nor history.
 * - A function of your own, over a node or an indexer: it is only a `Stream`.
 *
 * `getNftOwnershipChanges` of `TokenDirectory` tells of one token at a time, so it is no source for a whole contract; it is
 * the way to look into a token that a verdict names.
 *
 * **Gotchas**
 *
 * What no source can see: a contract that moves tokens without the standard's events; transfers that the service has
 * not indexed by the time of the search (they are not in the table either: it then stands for the moment up to which
 * the service had indexed). What each one can't see stands at its text.
 *
 * @since 0.1.0
 */
import type { Address } from "@effect-klaytn/core/Address"
import type { StreamError } from "@effect-klaytn/core/ServiceError"
import type { UnixTime } from "@effect-klaytn/core/UnixTime"
import type * as Stream from "effect/Stream"
import * as internal from "./internal/ownerChanges.js"
import type { TokenData } from "./TokenData.js"

/**
 * What a snapshot asks a source.
 *
 * @since 0.1.0
 * @category models
 */
export interface Question {
  readonly kind: "nft" | "mt"
  readonly contract: Address
  /** Changes from this second on, up to now. */
  readonly since: UnixTime
}

/**
 * A token that moved. Without a `tokenId` it is known that something may have moved, but not what.
 *
 * @since 0.1.0
 * @category models
 */
export interface Change {
  readonly tokenId: bigint | undefined
  /** When; a change without a time counts as inside the window. */
  readonly timestamp: UnixTime | undefined
}

/**
 * A source of changes. It may name a token several times, and tokens that moved before the window ends or after.
 *
 * @since 0.1.0
 * @category models
 */
export type OwnerChanges<E = never, R = never> = (question: Question) => Stream.Stream<Change, E, R>

/**
 * The search of the transfer history that answers a {@link Question}. It fits `getTransfers.items` of
 * `@effect-klaytn/history` as it is.
 *
 * @since 0.1.0
 * @category models
 */
export interface Search {
  readonly kinds: readonly ["nft" | "mt"]
  /** An open range: up to now. */
  readonly range: { readonly _tag: "TimeRange"; readonly from: UnixTime }
}

/**
 * What is read of a transfer; the records of `@effect-klaytn/history` have it.
 *
 * @since 0.1.0
 * @category models
 */
export type TokenTransfer =
  | (Moved & { readonly _tag: "NftTransfer"; readonly tokenId: bigint })
  | (Moved & { readonly _tag: "MtTransfer"; readonly ids: ReadonlyArray<bigint> })
  | { readonly _tag: "CoinTransfer" }
  | { readonly _tag: "FtTransfer" }
  | { readonly _tag: "UnknownTransfer"; readonly record: { readonly [field: string]: unknown } }

/**
 * What is read of the transfer of an NFT or of multi tokens.
 *
 * @since 0.1.0
 * @category models
 */
export interface Moved {
  readonly contract: { readonly address: Address }
  readonly transaction: { readonly timestamp?: UnixTime | undefined }
}

/**
 * Changes by the transfer history: the transfers of the window, of which those of the contract are kept.
 *
 * **Details**
 *
 * Mints and burns are transfers too. A transfer of a kind that this SDK does not know counts as a change of an unnamed
 * token if it is of the contract, or does not show its contract.
 *
 * **Gotchas**
 *
 * The preset has to hold the contract. No operation reads a preset: one without the contract is silent, and every
 * snapshot looks unchanged. A search by account (`getTransfersByEoa.items` with the contract) sees the transfers of that
 * account only.
 *
 * **Example** (with a preset that holds the collection)
 *
 * ```ts
 * import * as TransferHistory from "@effect-klaytn/history/TransferHistory"
 * import * as OwnerChanges from "@effect-klaytn/tokens/OwnerChanges"
 * import * as Effect from "effect/Effect"
 * import * as Stream from "effect/Stream"
 *
 * export const changes = OwnerChanges.fromTransfers((search) =>
 *   Stream.unwrap(
 *     Effect.map(TransferHistory.TransferHistory, (history) => history.getTransfers.items({ presets: [65], ...search }))
 *   )
 * )
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const fromTransfers: <E, R>(
  read: (search: Search) => Stream.Stream<TokenTransfer, E, R>
) => OwnerChanges<E, R> = internal.fromTransfers

/**
 * Changes by the table itself, read once more: the tokens whose `updatedAt` is not before the window. A record tells of
 * its last move only, so one after the window counts too: it may hide one inside it.
 *
 * **Gotchas**
 *
 * It can't see a burn, if the service takes burnt tokens off the list (not known); nor that an owner gave away the last
 * piece of a multi token, though the receiver is seen. It costs as many calls as the reading itself, and what moves during
 * this second reading spoils the verdict too. A token that moves then may go unnamed, though not without another one that
 * is named, as long as the list is newest first.
 *
 * @since 0.1.0
 * @category constructors
 */
export const fromUpdateTimes: OwnerChanges<StreamError, TokenData> = internal.fromUpdateTimes
