import type * as Address from "@effect-klaytn/core/Address"
import * as Input from "@effect-klaytn/core/Input"
import * as Paged from "@effect-klaytn/core/Paged"
import type { StreamError } from "@effect-klaytn/core/ServiceError"
import * as UnixTime from "@effect-klaytn/core/UnixTime"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Order from "effect/Order"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type * as OwnerChanges from "../OwnerChanges.js"
import type * as OwnerSnapshot from "../OwnerSnapshot.js"
import type { MtToken, Nft } from "../Token.js"
import type { TokenData } from "../TokenData.js"
import { ofContract } from "../TokenInput.js"
import * as ownerTable from "./ownerTable.js"

const Given = Schema.Struct({
  ...ofContract,
  readings: Schema.optional(
    Schema.Int.pipe(Schema.positive({ message: () => "the number of readings is a whole number, 1 or more" }))
  ),
  slack: Schema.optional(
    Schema.DurationFromSelf.pipe(
      Schema.lessThanOrEqualToDuration(Duration.days(1), { message: () => "the slack is a duration up to a day" })
    )
  ),
  ...Paged.fields,
  // These two are checked where they are used.
  changes: Schema.Unknown,
  concurrency: Schema.optional(Schema.Unknown)
})

interface Line {
  readonly tokenId: bigint
  readonly owner: Address.Address
  readonly updatedAt: UnixTime.UnixTime
}

interface Snapshot<Record extends Line, E, R> {
  readonly operation: string
  readonly kind: OwnerChanges.Question["kind"]
  readonly options: OwnerSnapshot.Options<E, R>
  readonly balance: (record: Record) => bigint
  readonly rows: (contract: Address.Address) => Stream.Stream<Record, StreamError, TokenData>
}

const later = (millis: number): Effect.Effect<UnixTime.UnixTime> =>
  Effect.orDie(Effect.flatMap(Clock.currentTimeMillis, (now) => UnixTime.fromMillis(Math.max(0, now + millis))))

const take = <Record extends Line, E, R>(
  snapshot: Snapshot<Record, E, R>
): Stream.Stream<OwnerSnapshot.Element<Record>, StreamError | E, TokenData | R> =>
  Stream.unwrap(Effect.gen(function*() {
    const { contract, readings, slack } = yield* Input.decode(snapshot.operation, Given)({
      ...snapshot.options,
      slack: Option.getOrElse(Duration.decodeUnknown(snapshot.options.slack), () => snapshot.options.slack)
    })
    const slackMillis = Duration.toMillis(slack ?? Duration.seconds(10))
    // Times are whole seconds: wait one more, so that no second is in two windows.
    const pause = Effect.sleep(slackMillis + 1000)

    const read = (
      reading: number
    ): Stream.Stream<OwnerSnapshot.Element<Record>, StreamError | E, TokenData | R> =>
      Stream.unwrap(Effect.gen(function*() {
        const from = yield* later(-slackMillis)
        const moved = new Set<bigint>()
        let owners = 0
        let unnamed = 0

        const lines = Stream.map(snapshot.rows(contract), (record): OwnerSnapshot.Owner<Record> => {
          owners++
          if (record.updatedAt >= from) moved.add(record.tokenId)
          const { owner, tokenId } = record
          return { _tag: "Owner", reading, tokenId, owner, balance: snapshot.balance(record), record }
        })

        const verdict = Effect.gen(function*() {
          const to = yield* later(slackMillis)
          yield* Effect.sleep(slackMillis)
          yield* Stream.runForEach(
            snapshot.options.changes({ kind: snapshot.kind, contract, since: from }),
            ({ timestamp, tokenId }) =>
              Effect.sync(() => {
                if (timestamp !== undefined && (timestamp < from || timestamp > to)) return
                if (tokenId === undefined) unnamed++
                else moved.add(tokenId)
              })
          )
          const judged = { reading, from, to, owners }
          const result: OwnerSnapshot.Verdict = moved.size === 0 && unnamed === 0
            ? { _tag: "Unchanged", final: true, ...judged }
            : {
              _tag: "Changed",
              final: reading >= (readings ?? 1),
              ...judged,
              tokens: Array.from(moved).sort(Order.bigint),
              unnamed
            }
          return result
        })

        return Stream.concat(
          lines,
          Stream.flatMap(verdict, (result): ReturnType<typeof read> =>
            result.final
              ? Stream.succeed(result)
              : Stream.concat(
                Stream.succeed(result),
                Stream.unwrap(Effect.as(pause, read(reading + 1)))
              ))
        )
      }))

    return read(1)
  }))

export const ofNft = <E, R>(options: OwnerSnapshot.Options<E, R>) =>
  take<Nft, E, R>({
    operation: "tokens.snapshotNftOwners",
    kind: "nft",
    options,
    balance: () => 1n,
    rows: (contract) => ownerTable.ofNft({ ...options, contract })
  })

export const ofMt = <E, R>(options: OwnerSnapshot.MtOptions<E, R>) =>
  take<MtToken, E, R>({
    operation: "tokens.snapshotMtOwners",
    kind: "mt",
    options,
    balance: (record) => record.balance,
    rows: (contract) => ownerTable.ofMt({ ...options, contract })
  })

export const collect = <Record, E, R>(
  snapshot: Stream.Stream<OwnerSnapshot.Element<Record>, E, R>
): Effect.Effect<OwnerSnapshot.Table<Record>, E, R> =>
  Effect.suspend(() => {
    let owners: Array<OwnerSnapshot.Owner<Record>> = []
    let verdict: OwnerSnapshot.Verdict | undefined = undefined
    const add = (element: OwnerSnapshot.Element<Record>): void => {
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
