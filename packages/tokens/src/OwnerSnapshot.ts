/**
 * Snapshots of all owners of a token contract, with a verdict on whether the table can be trusted.
 *
 * **Details**
 *
 * A list that is read page by page does not show one moment in time: a token that moves meanwhile may appear twice, or
 * not at all, and if the service counts positions it may shift others. A snapshot therefore ends with a verdict.
 * `Unchanged`: no token of the contract moved in the window, and the table is complete and consistent. `Changed`: the
 * named tokens moved, so the table is suspect, above all in their rows. With `readings` above 1, a reading that saw
 * changes is followed by another, until one is unchanged or the number is reached.
 *
 * The window extends from `slack` before the first page to `slack` after the last one, and the source is read when the
 * window has passed. The slack allows for clock differences, and for the service indexing transfers later than owners
 * (by how much is not known). Before another reading the snapshot waits that long again, so that changes seen by one
 * reading do not count against the next. Moved tokens are found by the source of changes (see `OwnerChanges`) and by
 * the records themselves: a token whose `updatedAt` is in the window has moved.
 *
 * **Gotchas**
 *
 * A verdict is only as good as its source of changes; `OwnerChanges` says what each source can't show. A collection
 * that is traded all the time never has an unchanged reading: look the named tokens up again (see `Lookup`) and report
 * them as changed, or take the snapshot at a quiet time.
 *
 * **Example** (a table that is safe for payouts, or an error)
 *
 * ```ts
 * import * as OwnerChanges from "@effect-klaytn/tokens/OwnerChanges"
 * import * as OwnerSnapshot from "@effect-klaytn/tokens/OwnerSnapshot"
 * import * as Effect from "effect/Effect"
 *
 * export const owners = (contract: string) =>
 *   OwnerSnapshot.snapshotNftOwners({ contract, changes: OwnerChanges.fromUpdateTimes, readings: 3 }).pipe(
 *     OwnerSnapshot.collect,
 *     Effect.filterOrFail(
 *       ({ verdict }) => verdict?._tag === "Unchanged",
 *       () => "the collection keeps changing" as const
 *     ),
 *     Effect.map((table) => table.owners)
 *   )
 * ```
 */
import type { Address } from "@effect-klaytn/core/Address"
import type { StreamError } from "@effect-klaytn/core/ServiceError"
import type { UnixTime } from "@effect-klaytn/core/UnixTime"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import * as internal from "./internal/snapshotReader.js"
import type { OwnerChanges } from "./OwnerChanges.js"
import type { MtToken, Nft } from "./Token.js"
import type { TokenData } from "./TokenData.js"
import type { OfContract } from "./TokenInput.js"

/**
 * Options of a snapshot.
 *
 * @category models
 */
export interface Options<E = never, R = never> extends OfContract {
  /** The source that says which tokens moved meanwhile. */
  readonly changes: OwnerChanges<E, R>
  /** Maximum number of readings; another one follows only if the previous one saw changes. 1 by default. */
  readonly readings?: number | undefined
  /** How far the window extends beyond the reading on both sides; 10 seconds by default. */
  readonly slack?: Duration.DurationInput | undefined
  /** Records per page: 1000 by default, which is the maximum. */
  readonly size?: number | undefined
}

/**
 * Options of a snapshot of a multi-token contract.
 *
 * @category models
 */
export interface MtOptions<E = never, R = never> extends Options<E, R> {
  /** How many tokens are read concurrently; 4 by default. Above 1, the rows of different tokens are interleaved. */
  readonly concurrency?: number | undefined
}

/**
 * One row of the table: an owner of a token.
 *
 * @category models
 */
export interface Owner<Record> {
  readonly _tag: "Owner"
  /** The reading it belongs to, from 1. Each reading starts a new table. */
  readonly reading: number
  readonly tokenId: bigint
  readonly owner: Address
  /** Units that the owner holds; always 1 for an NFT. */
  readonly balance: bigint
  /** The service's record. */
  readonly record: Record
}

interface VerdictFields {
  readonly reading: number
  /** Whether no further reading follows. */
  readonly final: boolean
  /** Start of the window. */
  readonly from: UnixTime
  /** End of the window. */
  readonly to: UnixTime
  /** Number of rows of the table. */
  readonly owners: number
}

/**
 * No token of the contract moved in the window. Always final.
 *
 * @category models
 */
export interface Unchanged extends VerdictFields {
  readonly _tag: "Unchanged"
  readonly final: true
}

/**
 * Tokens moved in the window.
 *
 * @category models
 */
export interface Changed extends VerdictFields {
  readonly _tag: "Changed"
  /** The tokens that moved, in ascending order. */
  readonly tokens: ReadonlyArray<bigint>
  /** Number of changes whose token is not known. */
  readonly unnamed: number
}

/**
 * The verdict on a reading.
 *
 * @category models
 */
export type Verdict = Unchanged | Changed

/**
 * An element of a snapshot: the rows of a reading, then its verdict; after a verdict that is not final, the rows of the
 * next reading.
 *
 * @category models
 */
export type Element<Record> = Owner<Record> | Verdict

/**
 * Takes a snapshot of the owners of all NFTs of a contract. An unknown contract fails as `NotFound`. If the source of
 * changes fails, the snapshot fails, since it has no verdict.
 *
 * @category constructors
 */
export const snapshotNftOwners: <E, R>(
  options: Options<E, R>
) => Stream.Stream<Element<Nft>, StreamError | E, TokenData | R> = internal.ofNft

/**
 * Takes a snapshot of the owners of all tokens of a multi-token contract, from the list of its tokens and the list of
 * owners of each: at least one call per token. Fails like {@link snapshotNftOwners}.
 *
 * @category constructors
 */
export const snapshotMtOwners: <E, R>(
  options: MtOptions<E, R>
) => Stream.Stream<Element<MtToken>, StreamError | E, TokenData | R> = internal.ofMt

/**
 * The table of the last reading, with its verdict.
 *
 * @category models
 */
export interface Table<Record> {
  readonly owners: ReadonlyArray<Owner<Record>>
  /** `undefined` only if the stream was cut before its verdict, for example by `Stream.take`. */
  readonly verdict: Verdict | undefined
}

/**
 * Runs a snapshot and keeps the table of its last reading in memory.
 *
 * @category destructors
 */
export const collect: <Record, E, R>(
  snapshot: Stream.Stream<Element<Record>, E, R>
) => Effect.Effect<Table<Record>, E, R> = internal.collect
