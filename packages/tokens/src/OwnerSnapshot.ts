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
 * window has passed. Its times are the service's, as the headers of its answers say them, and this machine's if they say none. A time
 * that is far from this machine's counts once a second answer says it, or the snapshot fails. The slack allows for the service indexing
 * transfers later than owners (by how much is not known), and for times in whole seconds. Before another reading the snapshot waits that long again, so that changes seen by one
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
import * as Input from "@effect-klaytn/core/Input"
import * as Paged from "@effect-klaytn/core/Paged"
import type { StreamError } from "@effect-klaytn/core/ServiceError"
import * as ServiceTime from "@effect-klaytn/core/ServiceTime"
import * as UnixTime from "@effect-klaytn/core/UnixTime"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Order from "effect/Order"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as ownerTable from "./internal/ownerTable.js"
import { WindowClock } from "./internal/windowClock.js"
import type { OwnerChanges, Query } from "./OwnerChanges.js"
import type { MtToken, Nft } from "./Token.js"
import type { TokenData } from "./TokenData.js"
import { type OfContract, ofContract } from "./TokenInput.js"

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
  /** How many tokens are read concurrently, at least 1; 4 by default. Above 1, the rows of different tokens are interleaved. */
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
  /** Start of the window, by the service's clock. */
  readonly from: UnixTime.UnixTime
  /** End of the window, by the service's clock. */
  readonly to: UnixTime.UnixTime
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

const SnapshotInput = Schema.Struct({
  ...ofContract,
  readings: Schema.optional(Input.wholeNumber("the number of readings is a whole number, 1 or more", 1)),
  slack: Schema.optional(
    Input.duration("the slack is a duration up to a day", Duration.lessThanOrEqualTo(Duration.days(1)))
  ),
  size: Paged.fields.size,
  concurrency: Schema.optional(Input.Count),
  // A function.
  changes: Schema.Unknown
})

interface Definition<Record, E, R> {
  readonly operation: string
  readonly kind: Query["kind"]
  readonly options: Options<E, R>
  readonly balance: (record: Record) => bigint
  readonly rows: (contract: Address) => Stream.Stream<Record, StreamError, TokenData>
}

const timeOf = (millis: number): Effect.Effect<UnixTime.UnixTime> =>
  Effect.orDie(UnixTime.fromMillis(Math.max(0, millis)))

const snapshotOf = <Record extends Nft | MtToken, E, R>(
  definition: Definition<Record, E, R>
): Stream.Stream<Element<Record>, StreamError | E, TokenData | R> =>
  Stream.unwrap(Effect.gen(function*() {
    const { contract, readings, slack } = yield* Input.decode(definition.operation, SnapshotInput)(definition.options)
    const slackMillis = Duration.toMillis(slack ?? Duration.seconds(10))
    // One second more, since times are whole seconds: so no second is in two windows.
    const pause = Effect.sleep(slackMillis + 1000)

    const read = (
      reading: number
    ): Stream.Stream<Element<Record>, StreamError | E, TokenData | R> =>
      Stream.unwrap(Effect.gen(function*() {
        const clock = new WindowClock(yield* Clock.currentTimeMillis)
        const moved = new Set<bigint>()
        let owners = 0
        let unnamed = 0

        const table = Stream.provideService(definition.rows(contract), ServiceTime.Observer, clock.observe)
        const rows = Stream.map(table, (record): Owner<Record> => {
          owners++
          if (record.updatedAt >= Math.floor((clock.from() - slackMillis) / 1000)) moved.add(record.tokenId)
          const { owner, tokenId } = record
          return { _tag: "Owner", reading, tokenId, owner, balance: definition.balance(record), record }
        })

        const verdict = Effect.gen(function*() {
          yield* clock.agreed(definition.operation, Stream.runDrain(Stream.take(table, 1)))
          const from = yield* timeOf(clock.from() - slackMillis)
          const to = yield* timeOf((yield* clock.now) + slackMillis)
          yield* Effect.sleep(slackMillis)
          yield* Stream.runForEach(
            definition.options.changes({ kind: definition.kind, contract, since: from }),
            ({ timestamp, tokenId }) =>
              Effect.sync(() => {
                if (timestamp !== undefined && (timestamp < from || timestamp > to)) return
                if (tokenId === undefined) unnamed++
                else moved.add(tokenId)
              })
          )
          const window = { reading, from, to, owners }
          const result: Verdict = moved.size === 0 && unnamed === 0
            ? { _tag: "Unchanged", final: true, ...window }
            : {
              _tag: "Changed",
              final: reading >= (readings ?? 1),
              ...window,
              tokens: Array.from(moved).sort(Order.bigint),
              unnamed
            }
          return result
        })

        return Stream.concat(
          rows,
          Stream.flatMap(verdict, (result) =>
            Stream.concat(
              Stream.succeed(result),
              result.final ? Stream.empty : Stream.unwrap(Effect.as(pause, read(reading + 1)))
            ))
        )
      }))

    return read(1)
  }))

/**
 * Takes a snapshot of the owners of all NFTs of a contract. An unknown contract fails as `NotFound`. If the source of
 * changes fails, the snapshot fails, since it has no verdict.
 *
 * @category constructors
 */
export const snapshotNftOwners = <E, R>(
  options: Options<E, R>
): Stream.Stream<Element<Nft>, StreamError | E, TokenData | R> =>
  snapshotOf<Nft, E, R>({
    operation: "tokens.snapshotNftOwners",
    kind: "nft",
    options,
    balance: () => 1n,
    rows: (contract) => ownerTable.ofNft({ ...options, contract })
  })

/**
 * Takes a snapshot of the owners of all tokens of a multi-token contract, from the list of its tokens and the list of
 * owners of each: at least one call per token. Fails like {@link snapshotNftOwners}.
 *
 * @category constructors
 */
export const snapshotMtOwners = <E, R>(
  options: MtOptions<E, R>
): Stream.Stream<Element<MtToken>, StreamError | E, TokenData | R> =>
  snapshotOf<MtToken, E, R>({
    operation: "tokens.snapshotMtOwners",
    kind: "mt",
    options,
    balance: (record) => record.balance,
    rows: (contract) => ownerTable.ofMt({ ...options, contract })
  })

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
export const collect = <Record, E, R>(
  snapshot: Stream.Stream<Element<Record>, E, R>
): Effect.Effect<Table<Record>, E, R> =>
  Effect.suspend(() => {
    let owners: Array<Owner<Record>> = []
    let verdict: Verdict | undefined = undefined
    const add = (element: Element<Record>): void => {
      // A new reading starts a new table, even if it has no rows.
      if (owners[0]?.reading !== element.reading) owners = []
      if (element._tag === "Owner") {
        owners.push(element)
        verdict = undefined
      } else {
        verdict = element
      }
    }
    return Effect.map(Stream.runForEach(snapshot, (element) => Effect.sync(() => add(element))), () => ({
      owners,
      verdict
    }))
  })
