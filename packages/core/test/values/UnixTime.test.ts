import * as UnixTime from "@effect-klaytn/core/UnixTime"
import { assert, describe, it } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/TestClock"

describe("UnixTime", () => {
  it("is whole seconds that a date can name", () => {
    for (const seconds of [0, 1, 1_610_000_001, 8_640_000_000_000]) {
      assert.strictEqual(Either.getOrThrow(UnixTime.make(seconds)) as number, seconds)
      assert.isTrue(UnixTime.is(seconds))
    }
    for (const bad of [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 8_640_000_000_001, 2 ** 53]) {
      assert.isTrue(Either.isLeft(UnixTime.make(bad)), String(bad))
    }
    for (const bad of ["5", 5n, null, new Date(0)]) assert.isFalse(UnixTime.is(bad), String(bad))
  })

  it("drops the part of a second of milliseconds and dates", () => {
    assert.strictEqual(Either.getOrThrow(UnixTime.fromMillis(1_610_000_001_999)) as number, 1_610_000_001)
    assert.strictEqual(
      Either.getOrThrow(UnixTime.fromDateTime(DateTime.unsafeMake("2021-01-07T06:13:21.999Z"))) as number,
      1_610_000_001
    )
    assert.strictEqual(
      Either.getOrThrow(
        UnixTime.fromDateTime(DateTime.unsafeMakeZoned("2021-01-07T06:13:21Z", { timeZone: "Asia/Seoul" }))
      ) as number,
      1_610_000_001
    )
  })

  it("refuses a moment before 1970, even by a millisecond", () => {
    assert.isTrue(Either.isLeft(UnixTime.fromMillis(-1)))
    assert.isTrue(Either.isLeft(UnixTime.fromDateTime(DateTime.unsafeMake("1969-12-31T23:59:59.999Z"))))
    assert.isTrue(Either.isLeft(UnixTime.fromMillis(Number.NaN)))
  })

  it("stands in a query as decimal digits", () => {
    const decode = Schema.decodeUnknownEither(UnixTime.FromString)
    assert.strictEqual(Either.getOrThrow(decode("1610000001")) as number, 1_610_000_001)
    for (const bad of ["", "-1", "+1", "1.0", "1e9", "0x10", "007", " 1", "9999999999999", 1]) {
      assert.isTrue(Either.isLeft(decode(bad)), String(bad))
    }
  })

  it.effect("is now by the clock of the fiber", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* UnixTime.now) as number, 0)
      yield* TestClock.setTime(1_610_000_001_999)
      assert.strictEqual((yield* UnixTime.now) as number, 1_610_000_001)
      yield* TestClock.setTime(-5)
      assert.strictEqual((yield* UnixTime.now) as number, 0)
    }))

  it.prop(
    "comes back from a date and from text unchanged",
    [UnixTime.UnixTime],
    ([time]) =>
      Either.getOrThrow(UnixTime.fromDateTime(UnixTime.toDateTime(time))) === time &&
      Schema.decodeSync(UnixTime.FromString)(Schema.encodeSync(UnixTime.FromString)(time)) === time
  )

  it.prop("of milliseconds is never after them", [FastCheck.integer({ min: 0, max: 2 ** 47 })], ([millis]) => {
    const seconds = Either.getOrThrow(UnixTime.fromMillis(millis))
    return seconds * 1000 <= millis && millis < (seconds + 1) * 1000
  })
})
