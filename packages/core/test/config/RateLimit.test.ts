import * as RateLimit from "@effect-klaytn/core/RateLimit"
import * as Testing from "@effect-klaytn/core/Testing"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import * as Client from "../support/client.js"
import { SteppedClock } from "../support/steppedClock.js"
import * as Thing from "../support/thing.js"

const reserve = (limit: RateLimit.RateLimit, times: number, atMostMillis = Number.POSITIVE_INFINITY) =>
  Effect.all(Array.from({ length: times }, () => limit.reserve(atMostMillis)))

const waits = (places: ReadonlyArray<RateLimit.Reservation>) => places.map((place) => place.waitMillis)

describe("a rate limit", () => {
  it.effect("lets its number through at once, and as many again when the interval is over", () =>
    Effect.gen(function*() {
      const limit = yield* RateLimit.make({ limit: 4, interval: "1 second" })
      assert.deepStrictEqual(waits(yield* reserve(limit, 9)), [0, 0, 0, 0, 1000, 1000, 1000, 1000, 2000])
    }))

  it.effect("gives its places back with time, up to its number", () =>
    Effect.gen(function*() {
      const limit = yield* RateLimit.make({ limit: 4, interval: "1 second" })
      yield* reserve(limit, 4)
      yield* TestClock.adjust("500 millis")
      assert.deepStrictEqual(waits(yield* reserve(limit, 1)), [500])
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(waits(yield* reserve(limit, 5)), [0, 0, 0, 0, 1000])
    }))

  it.effect("refuses a place that is too far away, and does not take it", () =>
    Effect.gen(function*() {
      const limit = yield* RateLimit.make({ limit: 1, interval: "1 second", maxWait: "2 seconds" })
      const places = yield* reserve(limit, 5)
      assert.deepStrictEqual(places.map((place) => [place._tag, place.waitMillis]), [
        ["Granted", 0],
        ["Granted", 1000],
        ["Granted", 2000],
        ["Refused", 3000],
        ["Refused", 3000]
      ])
      yield* TestClock.adjust("1 second")
      const [tight] = yield* reserve(limit, 1, 1999)
      assert.deepStrictEqual(tight, { _tag: "Refused", waitMillis: 2000 })
      const [wide] = yield* reserve(limit, 1, 2000)
      assert.deepStrictEqual(wide, { _tag: "Granted", waitMillis: 2000 })
    }))

  it.effect("waits ten seconds at most unless told otherwise", () =>
    Effect.gen(function*() {
      const limit = yield* RateLimit.make({ limit: 1, interval: "10 seconds" })
      assert.deepStrictEqual((yield* reserve(limit, 3)).map((place) => place._tag), ["Granted", "Granted", "Refused"])
    }))

  it.effect.each(
    [
      ["limit", { limit: Number.NaN, interval: "1 second" }],
      ["limit", { limit: 0, interval: "1 second" }],
      ["limit", { limit: 1.5, interval: "1 second" }],
      ["limit", { limit: Number.POSITIVE_INFINITY, interval: "1 second" }],
      ["interval", { limit: 1, interval: 0 }],
      ["interval", { limit: 1, interval: Number.NaN }],
      ["interval", { limit: 1, interval: "soon" as "1 second" }],
      ["interval", { limit: 1, interval: Number.POSITIVE_INFINITY }]
    ] as const
  )("that can't be kept is refused, and the refusal names the %s", ([path, options]) =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(RateLimit.make(options))
      assert.deepStrictEqual([error._tag, error.path], ["InvalidInput", [path]])
    }))

  it.effect("goes on when the clock of the system is set back", () =>
    Effect.gen(function*() {
      const clock = new SteppedClock()
      const limit = yield* RateLimit.make({ limit: 1, interval: "1 second" })
      const place = Effect.withClock(limit.reserve(Number.POSITIVE_INFINITY), clock)
      yield* place
      clock.stepMillis = -3_600_000
      clock.passedMillis = 400
      assert.deepStrictEqual(yield* place, { _tag: "Granted", waitMillis: 600 })
    }))

  it.effect.prop(
    "never lets more than its number through in one interval",
    [
      FastCheck.integer({ min: 1, max: 20 }),
      FastCheck.array(FastCheck.integer({ min: 0, max: 300 }), { minLength: 30, maxLength: 120 })
    ],
    ([number, pauses]) =>
      Effect.gen(function*() {
        const clock = new SteppedClock()
        const limit = yield* RateLimit.make({ limit: number, interval: "1 second", maxWait: "1 hour" })
        const times: Array<number> = []
        for (const pause of pauses) {
          clock.passedMillis += pause
          const place = yield* Effect.withClock(limit.reserve(Number.POSITIVE_INFINITY), clock)
          times.push(clock.passedMillis + place.waitMillis)
        }
        for (const [i, time] of times.entries()) {
          assert.isAtMost(times.slice(i).filter((other) => other < time + 1000).length, number)
        }
      }),
    { fastCheck: { numRuns: 30 } }
  )

  it.effect("without a limit never waits", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(waits(yield* reserve(RateLimit.unlimited, 3, 0)), [0, 0, 0])
    }))
})

describe("a call under a rate limit", () => {
  it.effect("takes a new place for each attempt", () =>
    Effect.gen(function*() {
      const rateLimit = yield* RateLimit.make({ limit: 1, interval: "1 second" })
      const wire = Testing.wire(Testing.text(503, ""), Testing.text(503, ""), Thing.ok)
      yield* Client.read(wire, { rateLimit }).pipe(Client.within("2 seconds"))
      assert.deepStrictEqual(wire.sent.map((one) => one.at), [0, 1000, 2000])
    }))

  it.effect("gives its place back when it is given up while it waits", () =>
    Effect.gen(function*() {
      const rateLimit = yield* RateLimit.make({ limit: 2, interval: "1 second" })
      const read = Effect.suspend(() => Client.read(Testing.wire(Thing.ok), { rateLimit }))
      yield* Effect.all([read, read])
      for (let i = 0; i < 30; i++) {
        const waiting = yield* Effect.fork(Effect.all([read, read, read], { concurrency: 3 }))
        yield* Effect.yieldNow()
        yield* TestClock.adjust("1 millis")
        yield* Fiber.interrupt(waiting)
      }
      assert.deepStrictEqual(waits(yield* reserve(rateLimit, 3)), [970, 970, 1970])
    }))

  it.effect("starts no sooner than the limit allows when all waits end at once", () =>
    Effect.gen(function*() {
      const limit = yield* RateLimit.make({ limit: 2, interval: "100 millis" })
      const { begin = Effect.succeed(0) } = limit
      yield* reserve(limit, 8)
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(yield* Effect.all([begin, begin, begin, begin]), [0, 0, 100, 100])
      yield* TestClock.adjust("100 millis")
      assert.deepStrictEqual(yield* Effect.all([begin, begin, begin]), [0, 0, 100])
    }))

  it.effect("counts when the request has left, not when it was let go", () =>
    Effect.gen(function*() {
      const clock = new SteppedClock()
      const limit = yield* RateLimit.make({ limit: 1, interval: "100 millis" })
      const begin = Effect.withClock(limit.begin ?? Effect.succeed(0), clock)
      assert.strictEqual(yield* begin, 0)
      clock.passedMillis += 8
      yield* Effect.promise(() => Promise.resolve())
      clock.passedMillis += 94
      assert.strictEqual(yield* begin, 6)
    }))

  it.effect("sends no more at once when a credential comes late", () =>
    Effect.gen(function*() {
      const rateLimit = yield* RateLimit.make({ limit: 1, interval: "1 second" })
      const wire = Testing.wire(Thing.ok)
      let isFirst = true
      const credentials = Effect.suspend(() => {
        const wait = isFirst ? "1500 millis" : "0 millis"
        isFirst = false
        return Effect.delay(Effect.succeed(Client.credentials), wait)
      })
      const read = Client.read(wire, { rateLimit, credentials, attemptTimeout: "1900 millis" })
      yield* Effect.all([read, read], { concurrency: 2 }).pipe(Client.within("3 seconds"))
      assert.deepStrictEqual(wire.sent.map((one) => one.at), [1000, 2000])
    }))

  it.effect("shares it with the calls of another client", () =>
    Effect.gen(function*() {
      const rateLimit = yield* RateLimit.make({ limit: 1, interval: "1 second" })
      const wire = Testing.wire(Thing.ok)
      yield* Effect.all([Client.read(wire, { rateLimit }), Client.put(wire, "once", { rateLimit })], {
        concurrency: "unbounded"
      }).pipe(Client.within("1 second"))
      assert.deepStrictEqual(wire.sent.map((one) => one.at), [0, 1000])
    }))

  it.effect("does not count the wait there as time of the attempt", () =>
    Effect.gen(function*() {
      const rateLimit = yield* RateLimit.make({ limit: 1, interval: "5 seconds" })
      const wire = Testing.wire(Testing.after("900 millis", Thing.ok))
      const read = Client.read(wire, { rateLimit, attemptTimeout: "1 second" })
      yield* Effect.zipRight(read, read).pipe(Client.within("6 seconds"))
      assert.deepStrictEqual(wire.sent.map((one) => one.at), [0, 5000])
    }))

  it.effect("is refused at once when its place is too far away, with the wait it would have been", () =>
    Effect.gen(function*() {
      const rateLimit = yield* RateLimit.make({ limit: 1, interval: "20 seconds" })
      const wire = Testing.wire(Thing.ok)
      yield* Client.read(wire, { rateLimit })
      const error = yield* Client.put(wire, "once", { rateLimit }).pipe(Client.failsAs("RateLimited"))
      assert.include(error, { origin: "client", retryAfterMillis: 20_000, retrySafe: true })
      assert.notProperty(error, "status")
      assert.strictEqual(wire.sent.length, 1)
    }))

  it.effect("that gets no place for another attempt fails with the attempts so far", () =>
    Effect.gen(function*() {
      const make = RateLimit.make({ limit: 1, interval: "20 seconds" })
      const read = yield* Client.read(Testing.wire(Testing.text(503, "")), { rateLimit: yield* make }).pipe(
        Client.failsAs("RateLimited"),
        Client.within("1 second")
      )
      assert.deepStrictEqual(read.attempts.map((one) => one.reason), ["HTTP 503"])
      const change = yield* Client.put(Testing.wire(Testing.text(503, "")), "keyed", { rateLimit: yield* make }).pipe(
        Client.failsAs("OutcomeUnknown"),
        Client.within("1 second")
      )
      assert.deepStrictEqual(change.attempts.map((one) => one.reason), ["HTTP 503"])
    }))
})
