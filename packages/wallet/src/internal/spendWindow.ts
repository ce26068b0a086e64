/** A count of what was spent in the latest stretch of time. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Ref from "effect/Ref"

interface Spent {
  readonly at: number
  readonly value: bigint
}

const sum = (entries: ReadonlyArray<Spent>): bigint => entries.reduce((total, entry) => total + entry.value, 0n)

/** Counts a value and gives the way to take it back, or says how much is left. */
export type SpendWindow = (value: bigint) => Effect.Effect<Effect.Effect<void>, bigint>

export const make = (max: bigint, duration: Duration.DurationInput): Effect.Effect<SpendWindow> =>
  Effect.map(Ref.make<ReadonlyArray<Spent>>([]), (ref) => {
    const millis = Duration.toMillis(duration)
    const book = (entry: Spent): Effect.Effect<Either.Either<Effect.Effect<void>, bigint>> =>
      Ref.modify(ref, (all): readonly [Either.Either<Effect.Effect<void>, bigint>, ReadonlyArray<Spent>] => {
        const recent = all.filter((one) => one.at > entry.at - millis)
        const left = max - sum(recent)
        return entry.value > left
          ? [Either.left(left < 0n ? 0n : left), recent]
          : [Either.right(Ref.update(ref, (now) => now.filter((one) => one !== entry))), [...recent, entry]]
      })
    return (value) => Effect.flatMap(Clock.currentTimeMillis, (at) => Effect.flatten(book({ at, value })))
  })
