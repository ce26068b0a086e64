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

const SnapshotInput = Schema.Struct({
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

/** What a snapshot needs of a record. */
interface OwnerRecord {
  readonly tokenId: bigint
  readonly owner: Address.Address
  readonly updatedAt: UnixTime.UnixTime
}

interface Definition<Record extends OwnerRecord, E, R> {
  readonly operation: string
  readonly kind: OwnerChanges.Query["kind"]
  readonly options: OwnerSnapshot.Options<E, R>
  readonly balance: (record: Record) => bigint
  readonly rows: (contract: Address.Address) => Stream.Stream<Record, StreamError, TokenData>
}

/** The time `millis` from now; before now if negative. */
const timeIn = (millis: number): Effect.Effect<UnixTime.UnixTime> =>
  Effect.orDie(Effect.flatMap(Clock.currentTimeMillis, (now) => UnixTime.fromMillis(Math.max(0, now + millis))))

const snapshotOf = <Record extends OwnerRecord, E, R>(
  definition: Definition<Record, E, R>
): Stream.Stream<OwnerSnapshot.Element<Record>, StreamError | E, TokenData | R> =>
  Stream.unwrap(Effect.gen(function*() {
    const { contract, readings, slack } = yield* Input.decode(definition.operation, SnapshotInput)({
      ...definition.options,
      slack: Option.getOrElse(Duration.decodeUnknown(definition.options.slack), () => definition.options.slack)
    })
    const slackMillis = Duration.toMillis(slack ?? Duration.seconds(10))
    // One second more, since times are whole seconds: so no second is in two windows.
    const pause = Effect.sleep(slackMillis + 1000)

    const read = (
      reading: number
    ): Stream.Stream<OwnerSnapshot.Element<Record>, StreamError | E, TokenData | R> =>
      Stream.unwrap(Effect.gen(function*() {
        const from = yield* timeIn(-slackMillis)
        const moved = new Set<bigint>()
        let owners = 0
        let unnamed = 0

        const rows = Stream.map(definition.rows(contract), (record): OwnerSnapshot.Owner<Record> => {
          owners++
          if (record.updatedAt >= from) moved.add(record.tokenId)
          const { owner, tokenId } = record
          return { _tag: "Owner", reading, tokenId, owner, balance: definition.balance(record), record }
        })

        const verdict = Effect.gen(function*() {
          const to = yield* timeIn(slackMillis)
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
          const result: OwnerSnapshot.Verdict = moved.size === 0 && unnamed === 0
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
  snapshotOf<Nft, E, R>({
    operation: "tokens.snapshotNftOwners",
    kind: "nft",
    options,
    balance: () => 1n,
    rows: (contract) => ownerTable.ofNft({ ...options, contract })
  })

export const ofMt = <E, R>(options: OwnerSnapshot.MtOptions<E, R>) =>
  snapshotOf<MtToken, E, R>({
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
