/** Compares a decoder with the schema that it is made from. */
import * as Decoder from "@effect-klaytn/core/Decoder"
import { assert } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"

const told = (result: Either.Either<unknown, { readonly message: string }>): Either.Either<unknown, string> =>
  Either.mapLeft(result, ({ message }) => message)

/**
 * Reads a value both ways. The schema throws at an object without a string form in the field that it picks the member of a
 * union by, also when another member fits: there, the decoder gives a value or an error, and doesn't throw.
 */
export const agree = <A, I>(schema: Schema.Schema<A, I>, value: unknown): void => {
  const expected = Either.try(() => Schema.decodeUnknownEither(schema)(value))
  const actual = Decoder.make(schema)(value)
  if (Either.isRight(expected)) assert.deepStrictEqual(told(actual), told(expected.right))
}

type Change = (value: unknown) => unknown

/** Ways to damage a value: replace it, or add or remove something. */
const changes: FastCheck.Arbitrary<Change> = FastCheck.oneof(
  FastCheck.oneof(
    FastCheck.constantFrom<unknown>(null, undefined, "", "0x", "0x0", "0xA", "0xfF", 0, -1, 1.5, true, {}, []),
    FastCheck.anything()
  ).map((other): Change => () => other),
  FastCheck.constant<Change>((value) => typeof value === "string" ? value.toUpperCase() : value),
  FastCheck.constant<Change>((value) => typeof value === "string" ? `${value}g` : [value]),
  FastCheck.constant<Change>((value) =>
    Predicate.isRecord(value) ? { ...value, unexpected: 1 } : Array.isArray(value) ? [...value, 1] : String(value)
  )
)

const gone = Symbol("gone")

/** Changes a value in one place: `path` picks a field or an item on each level. */
const changedAt = (value: unknown, path: ReadonlyArray<number>, change: Change): unknown => {
  const [step, ...rest] = path
  if (step === undefined) return change(value)
  if (Array.isArray(value)) {
    return value.length === 0 ?
      change(value) :
      value.map((item, i) => i === step % value.length ? changedAt(item, rest, change) : item)
  }
  if (!Predicate.isRecord(value)) return change(value)
  const entries = Object.entries(value)
  return Object.fromEntries(
    entries.map(([name, field], i): readonly [string, unknown] => [
      name,
      i === step % entries.length ? changedAt(field, rest, change) : field
    ]).filter(([, field]) => field !== gone)
  )
}

/** A good value, and the same with something wrong in it. */
const spoiled = (good: unknown): FastCheck.Arbitrary<unknown> =>
  FastCheck.oneof(
    FastCheck.constant(good),
    FastCheck.tuple(
      FastCheck.array(FastCheck.nat(40), { minLength: 1, maxLength: 5 }),
      FastCheck.oneof(FastCheck.constant<Change>(() => gone), changes)
    ).map(([path, change]) => {
      const value = changedAt(good, path, change)
      return value === gone ? undefined : value
    })
  )

/** Whether a schema accepts a value. */
export const takes = <A, I>(schema: Schema.Schema<A, I>, value: unknown): boolean =>
  Either.isRight(Schema.decodeUnknownEither(schema)(value))

/** Reads a value, and many that are nearly the same. */
export const agreeNear = <A, I>(schema: Schema.Schema<A, I>, value: unknown, numRuns: number): void =>
  FastCheck.assert(FastCheck.property(spoiled(value), (near) => agree(schema, near)), { numRuns })

/** Reads a good value, and many that are nearly good. */
export const agreeAround = <A, I>(schema: Schema.Schema<A, I>, good: unknown, numRuns: number): void => {
  assert.isTrue(takes(schema, good), "the value to begin with is good")
  agreeNear(schema, good, numRuns)
}

/** The answer of an operation: arbitrary values of its schema, and many that nearly are. */
export const agreeOn = (schema: Schema.Schema.Any, numRuns: number): void => {
  // A contract keeps the schemas of its endpoints without their types.
  const known = schema as Schema.Schema<unknown, unknown>
  const values = Arbitrary.make(Schema.typeSchema(known))
  const encode = Schema.encodeUnknownEither(known)
  // Some values have no form on the wire, such as a record of an unknown kind without that kind.
  const written = values.map(encode).filter(Either.isRight)
  FastCheck.assert(FastCheck.property(written.chain(({ right }) => spoiled(right)), (value) => agree(known, value)), {
    numRuns
  })
}
