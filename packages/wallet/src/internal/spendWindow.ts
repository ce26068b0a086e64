/** Counts what was spent in a sliding period: the value that moved, and the most that the fees can have been. */
import * as Deadline from "@effect-klaytn/core/Deadline"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Ref from "effect/Ref"

interface Amounts {
  readonly value: bigint
  readonly fee: bigint
}

interface Spent extends Amounts {
  readonly at: number
}

/** A limit that would be exceeded, and what is left of it. */
interface Exceeded {
  readonly of: keyof Amounts
  readonly left: bigint
}

const leftOf = (max: bigint, of: keyof Amounts, entries: ReadonlyArray<Spent>): bigint =>
  entries.reduce((left, entry) => left - entry[of], max)

/** Counts both amounts and returns how to take them back, or fails with the limit that would be exceeded. */
export type SpendWindow = (amounts: Amounts) => Effect.Effect<Effect.Effect<void>, Exceeded>

export const make = (limits: {
  readonly max: bigint
  readonly maxFees?: bigint | undefined
  readonly duration: Duration.DurationInput
}): Effect.Effect<SpendWindow> =>
  Effect.map(Ref.make<ReadonlyArray<Spent>>([]), (ref) => {
    const { duration, max, maxFees } = limits
    const millis = Duration.toMillis(duration)
    const exceeded = (entry: Spent, recent: ReadonlyArray<Spent>): Exceeded | undefined => {
      for (const [of, most] of [["value", max], ["fee", maxFees]] as const) {
        const left = most === undefined ? entry[of] : leftOf(most, of, recent)
        if (entry[of] > left) return { of, left }
      }
      return undefined
    }
    const book = (entry: Spent): Effect.Effect<Either.Either<Effect.Effect<void>, Exceeded>> =>
      Ref.modify(ref, (all): readonly [Either.Either<Effect.Effect<void>, Exceeded>, ReadonlyArray<Spent>] => {
        const recent = all.filter((one) => one.at > entry.at - millis)
        const problem = exceeded(entry, recent)
        return problem === undefined
          ? [Either.right(Ref.update(ref, (now) => now.filter((one) => one !== entry))), [...recent, entry]]
          : [Either.left(problem), recent]
      })
    return ({ fee, value }) =>
      Effect.flatMap(Effect.clock, (clock) => Effect.flatten(book({ at: Deadline.now(clock), value, fee })))
  })
