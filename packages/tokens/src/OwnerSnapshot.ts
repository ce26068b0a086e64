/**
 * All owners of a token contract, and whether the table can be trusted.
 *
 * **Details**
 *
 * A list that is read page by page is no picture of one moment: a token that moves meanwhile may stand in it twice, or
 * not at all, and if the service counts positions it may shift others. A snapshot therefore ends with a verdict.
 * `Unchanged`: no token of the contract moved in the window, the table is complete and consistent. `Changed`: these
 * tokens moved, so the table is suspect, theirs above all. With `readings` above 1 a reading that saw changes is
 * followed by another one, until one is unchanged or the number is reached.
 *
 * The window reaches from `slack` before the first page to `slack` after the last one, and the changes are asked for when
 * it has passed. The slack covers clocks that differ, and what the service takes longer to index transfers than owners,
 * which is not known. Before it reads again, a snapshot waits as long once more, so that what spoilt one reading does not
 * count against the next. Tokens that moved are found by the source of changes (see `OwnerChanges`) and by the records
 * themselves: one whose `updatedAt` is in the window has moved.
 *
 * **Gotchas**
 *
 * A verdict is as good as the source of changes; `OwnerChanges` says what each one can't see. A collection that trades
 * all the time has no unchanged reading: take the named tokens anew (see `Lookup`) and say so, or read at a quiet time.
 *
 * **Example** (a table to pay out by, or nothing)
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
 *       () => "the collection does not stand still" as const
 *     ),
 *     Effect.map((table) => table.owners)
 *   )
 * ```
 *
 * @since 0.1.0
 */
import type { Address } from "@effect-klaytn/core/Address"
import type { StreamError } from "@effect-klaytn/core/ServiceError"
import type { UnixTime } from "@effect-klaytn/core/UnixTime"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import * as internal from "./internal/ownerSnapshot.js"
import type { MtToken } from "./MtToken.js"
import type { Nft } from "./Nft.js"
import type { OwnerChanges } from "./OwnerChanges.js"
import type { TokenData } from "./TokenData.js"
import type { OfContract } from "./TokenInput.js"

/**
 * How a snapshot is taken.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options<E = never, R = never> extends OfContract {
  /** Where it learns which tokens moved while it read. */
  readonly changes: OwnerChanges<E, R>
  /** Readings at most; another one follows only if the one before saw changes. 1 unless given. */
  readonly readings?: number | undefined
  /** How far the window reaches beyond the reading on both sides; 10 seconds unless given. */
  readonly slack?: Duration.DurationInput | undefined
  /** Records in a page: 1000 unless given, which is the most. */
  readonly size?: number | undefined
}

/**
 * How a snapshot of a multi-token contract is taken.
 *
 * @since 0.1.0
 * @category models
 */
export interface MtOptions<E = never, R = never> extends Options<E, R> {
  /** Tokens whose owners are read at a time; 4 unless given. Above 1 the tokens come mixed. */
  readonly concurrency?: number | undefined
}

/**
 * One line of the table: an owner of a token.
 *
 * @since 0.1.0
 * @category models
 */
export interface Owner<Record> {
  readonly _tag: "Owner"
  /** The reading it belongs to, from 1. A new one begins the table anew. */
  readonly reading: number
  readonly tokenId: bigint
  readonly owner: Address
  /** Pieces; always 1 for an NFT. */
  readonly balance: bigint
  /** The service's record. */
  readonly record: Record
}

interface Judged {
  readonly reading: number
  /** Whether no further reading follows. */
  readonly final: boolean
  /** Begin of the window. */
  readonly from: UnixTime
  /** End of the window. */
  readonly to: UnixTime
  /** Lines of the table. */
  readonly owners: number
}

/**
 * No token of the contract moved in the window. Always final.
 *
 * @since 0.1.0
 * @category models
 */
export interface Unchanged extends Judged {
  readonly _tag: "Unchanged"
  readonly final: true
}

/**
 * Tokens moved in the window.
 *
 * @since 0.1.0
 * @category models
 */
export interface Changed extends Judged {
  readonly _tag: "Changed"
  /** The tokens that moved, in ascending order. */
  readonly tokens: ReadonlyArray<bigint>
  /** Changes of which it could not be told which token moved. */
  readonly unnamed: number
}

/**
 * What a reading came to.
 *
 * @since 0.1.0
 * @category models
 */
export type Verdict = Unchanged | Changed

/**
 * What a snapshot delivers: the lines of a reading, then its verdict; after a verdict that is not final the lines of the
 * next reading.
 *
 * @since 0.1.0
 * @category models
 */
export type Element<Record> = Owner<Record> | Verdict

/**
 * The owners of all NFTs of a contract. An unknown contract fails as `NotFound`, a failure of the source of changes
 * fails the snapshot: without a verdict there is none.
 *
 * @since 0.1.0
 * @category constructors
 */
export const snapshotNftOwners: <E, R>(
  options: Options<E, R>
) => Stream.Stream<Element<Nft>, StreamError | E, TokenData | R> = internal.ofNft

/**
 * The owners of all tokens of a multi-token contract, by the list of its tokens and the list of owners of each: one call
 * or more for each token. Fails like {@link snapshotNftOwners}.
 *
 * @since 0.1.0
 * @category constructors
 */
export const snapshotMtOwners: <E, R>(
  options: MtOptions<E, R>
) => Stream.Stream<Element<MtToken>, StreamError | E, TokenData | R> = internal.ofMt

/**
 * The table of the last reading, with its verdict.
 *
 * @since 0.1.0
 * @category models
 */
export interface Table<Record> {
  readonly owners: ReadonlyArray<Owner<Record>>
  /** Absent only if the stream was cut before its verdict, as by `Stream.take`. */
  readonly verdict: Verdict | undefined
}

/**
 * Runs a snapshot and keeps the table of its last reading in memory.
 *
 * @since 0.1.0
 * @category destructors
 */
export const collect: <Record, E, R>(
  snapshot: Stream.Stream<Element<Record>, E, R>
) => Effect.Effect<Table<Record>, E, R> = internal.collect
