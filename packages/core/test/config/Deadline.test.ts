import * as Deadline from "@effect-klaytn/core/Deadline"
import * as RateLimit from "@effect-klaytn/core/RateLimit"
import * as RetryPolicy from "@effect-klaytn/core/RetryPolicy"
import type * as ServiceError from "@effect-klaytn/core/ServiceError"
import * as Testing from "@effect-klaytn/core/Testing"
import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import * as Client from "../support/client.js"
import { SteppedClock } from "../support/steppedClock.js"
import * as Thing from "../support/thing.js"

const down = Testing.text(503, "")

const spent = (error: ServiceError.TimedOut) => ({ ...error.spent })

/** A provider that gives the credential once and then never answers again. */
const stuckAfterOne = () => {
  let asked = 0
  return Effect.suspend(() => ++asked === 1 ? Effect.succeed(Client.credentials) : Effect.never)
}

describe("a limit that is no duration", () => {
  const limits = ["soon" as "1 second", Number.NaN, -1, "-1 second" as const, -1n]

  it.effect("is refused by every call inside, and nothing is sent", () =>
    Effect.gen(function*() {
      for (const limit of limits) {
        const wire = Testing.wire(Thing.ok)
        const single = Client.read(wire).pipe(Deadline.withDeadline(limit))
        const nested = [
          single,
          single.pipe(Deadline.withDeadline("1 second")),
          Client.read(wire).pipe(Deadline.withDeadline("1 second"), Deadline.withDeadline(limit)),
          Stream.runDrain(Deadline.withStreamDeadline(Stream.fromEffect(Client.read(wire)), limit))
        ]
        for (const call of nested) {
          const error = yield* Client.failsAs("InvalidInput")(call)
          assert.deepStrictEqual(error.path, ["deadline"])
        }
        assert.strictEqual(wire.sent.length, 0)
      }
    }))

  it.effect("is refused by the configuration", () =>
    Effect.gen(function*() {
      for (const limit of limits) {
        for (const name of ["deadline", "attemptTimeout"]) {
          const error = yield* Client.read(Testing.wire(Thing.ok), { [name]: limit }).pipe(
            Client.failsAs("InvalidInput")
          )
          assert.deepStrictEqual(error.path, [name])
        }
      }
    }))
})

describe("a deadline", () => {
  it.effect("cuts an attempt off and tells where the time went", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(down, Testing.silence)
      const error = yield* Client.read(wire, { deadline: "5 seconds" }).pipe(
        Client.failsAs("TimedOut"),
        Client.longestWaits,
        Client.within("5 seconds")
      )
      assert.include(error, { limit: "deadline", limitMillis: 5000, retrySafe: true })
      assert.deepStrictEqual(spent(error), { attemptsMillis: 4800, retryWaitsMillis: 200, rateLimitMillis: 0 })
      assert.deepStrictEqual(error.attempts.map((one) => ({ ...one })), [
        { status: 503, reason: "HTTP 503", waitMillis: 200 },
        { reason: "deadline", waitMillis: 0 }
      ])
      yield* TestClock.adjust(0)
      assert.strictEqual(wire.interrupted(), 1)
    }))

  it.effect("counts the wait at the rate limit, and is not waited for beyond it", () =>
    Effect.gen(function*() {
      const rateLimit = yield* RateLimit.make({ limit: 1, interval: "4 seconds", maxWait: "1 minute" })
      const wire = Testing.wire(down, Testing.after("2 seconds", Thing.ok))
      const error = yield* Client.read(wire, { deadline: "5 seconds", rateLimit }).pipe(
        Client.failsAs("TimedOut"),
        Client.longestWaits,
        Client.within("5 seconds")
      )
      assert.deepStrictEqual(spent(error), { attemptsMillis: 1000, retryWaitsMillis: 200, rateLimitMillis: 3800 })
      const refused = yield* Client.read(wire, { deadline: "1 second", rateLimit }).pipe(Client.failsAs("RateLimited"))
      assert.strictEqual(refused.origin, "client")
      assert.strictEqual(wire.sent.length, 2)
    }))

  it.effect("that a rate limit shared with others overlooks cuts the wait there", () =>
    Effect.gen(function*() {
      const rateLimit: RateLimit.RateLimit = { reserve: () => Effect.succeed({ _tag: "Granted", waitMillis: 60_000 }) }
      const wire = Testing.wire()
      const error = yield* Client.put(wire, "once", { deadline: "5 seconds", rateLimit }).pipe(
        Client.failsAs("TimedOut"),
        Client.within("5 seconds")
      )
      assert.deepStrictEqual(spent(error), { attemptsMillis: 0, retryWaitsMillis: 0, rateLimitMillis: 5000 })
      assert.strictEqual(wire.sent.length, 0)
    }))

  it.effect("that ends together with an attempt is what ended the call", () =>
    Effect.gen(function*() {
      const error = yield* Client.read(Testing.wire(Testing.silence), {
        deadline: "5 seconds",
        attemptTimeout: "5 seconds"
      })
        .pipe(Client.failsAs("TimedOut"), Client.within("5 seconds"))
      assert.include(error, { limit: "deadline", limitMillis: 5000 })
    }))

  it.effect("lets no wait begin that it would cut short", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(down)
      const error = yield* Client.read(wire, { deadline: "600 millis" }).pipe(
        Client.failsAs("Unavailable"),
        Client.longestWaits,
        Client.within("200 millis")
      )
      assert.deepStrictEqual(error.attempts.map((one) => one.waitMillis), [200, 0])
    }))

  it.effect("that has passed before the call begins sends nothing", () =>
    Effect.gen(function*() {
      const wire = Testing.wire()
      const client = yield* Client.make(wire)
      const error = yield* client.call(Thing.putThing("once"), Thing.aValue).pipe(
        Deadline.withDeadline(0),
        Client.failsAs("TimedOut")
      )
      assert.deepStrictEqual(error.attempts, [])
      assert.strictEqual(wire.sent.length, 0)
    }))

  it.effect("leaves a change that may have left in doubt", () =>
    Effect.gen(function*() {
      for (const safety of ["once", "keyed"] as const) {
        const wire = Testing.wire(Testing.silence)
        const error = yield* Client.put(wire, safety, { deadline: "5 seconds" }).pipe(
          Client.failsAs("OutcomeUnknown"),
          Client.within("5 seconds")
        )
        assert.strictEqual(error.reason, "the deadline passed")
        assert.strictEqual(error.retrySafe, safety === "keyed")
        assert.deepStrictEqual(error.attempts.map((one) => one.reason), ["deadline"])
      }
    }))

  it.effect("leaves a change in doubt whose earlier attempt may have left", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Testing.broken(Testing.networkError("ECONNRESET")))
      const retry = RetryPolicy.make({ baseDelay: "4 seconds" })
      const call = Client.put(wire, "keyed", { deadline: "6 seconds", retry, credentials: stuckAfterOne() })
      const error = yield* call.pipe(
        Client.failsAs("OutcomeUnknown"),
        Client.longestWaits,
        Client.within("6 seconds")
      )
      assert.deepStrictEqual(error.attempts.map((one) => one.reason), ["ECONNRESET", "deadline"])
    }))

  it.effect("that passes while the credential is awaited leaves nothing in doubt", () =>
    Effect.gen(function*() {
      const wire = Testing.wire()
      yield* Client.put(wire, "once", { deadline: "5 seconds", credentials: Effect.never }).pipe(
        Client.failsAs("TimedOut"),
        Client.within("5 seconds")
      )
      assert.strictEqual(wire.sent.length, 0)
    }))

  it.effect("holds for a client that can't be interrupted", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(() => Effect.uninterruptible(Effect.never))
      const error = yield* Client.read(wire, { deadline: "5 seconds" }).pipe(
        Client.failsAs("TimedOut"),
        Client.within("5 seconds")
      )
      assert.strictEqual(error.limit, "deadline")
    }))

  it.effect("holds for a rate limit that never gives a place and can't be interrupted", () =>
    Effect.gen(function*() {
      const rateLimit: RateLimit.RateLimit = { reserve: () => Effect.uninterruptible(Effect.never) }
      yield* Client.put(Testing.wire(), "once", { deadline: "5 seconds", rateLimit }).pipe(
        Client.failsAs("TimedOut"),
        Client.within("5 seconds")
      )
    }))

  it.effect("is not what a call lasts in a region that can't be interrupted", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Testing.after("1 second", Thing.ok))
      const read = Client.read(wire, { deadline: "5 seconds" }).pipe(Effect.uninterruptible)
      assert.deepStrictEqual(yield* read.pipe(Client.within("1 second")), Thing.thing)
      const silent = Client.read(Testing.wire(Testing.silence), { deadline: "5 seconds" }).pipe(Effect.uninterruptible)
      yield* silent.pipe(Client.failsAs("TimedOut"), Client.within("5 seconds"))
    }))

  it.effect("around a program bounds all its calls together and takes the place of the configured one", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Testing.after("9 seconds", Thing.ok))
      const client = yield* Client.make(wire, { deadline: "10 seconds" })
      const call = client.call(Thing.getThing, Thing.theThing)
      yield* call.pipe(Effect.repeatN(3), Deadline.withDeadline("36100 millis"), Client.within("36 seconds"))
      assert.strictEqual(wire.sent.length, 4)
      const error = yield* call.pipe(
        Effect.repeatN(3),
        Deadline.withDeadline("20 seconds"),
        Client.failsAs("TimedOut"),
        Client.within("20 seconds")
      )
      assert.strictEqual(error.limitMillis, 20_000)
      assert.deepStrictEqual(spent(error), { attemptsMillis: 2000, retryWaitsMillis: 0, rateLimitMillis: 0 })
      assert.strictEqual(wire.sent.length, 7)
    }))

  it.effect("inside another one can only be nearer", () =>
    Effect.gen(function*() {
      const client = yield* Client.make(Testing.wire(Testing.silence), { attemptTimeout: "1 hour" })
      const call = client.call(Thing.getThing, Thing.theThing)
      const limitOf = (inner: number, outer: number) =>
        call.pipe(
          Deadline.withDeadline(inner),
          Deadline.withDeadline(outer),
          Client.failsAs("TimedOut"),
          Effect.map((error) => error.limitMillis),
          Client.within(Math.min(inner, outer))
        )
      assert.strictEqual(yield* limitOf(2000, 60_000), 2000)
      assert.strictEqual(yield* limitOf(60_000, 3000), 3000)
    }))

  it.effect("may be infinite", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Testing.after("3 hours", Thing.ok))
      const read = Client.read(wire, { deadline: Duration.infinity, attemptTimeout: Duration.infinity })
      assert.deepStrictEqual(yield* read.pipe(Client.within("3 hours")), Thing.thing)
    }))
})

describe("the limit of an attempt", () => {
  it.effect("fails the call as TimedOut once no attempt is left, with the time of all of them", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Testing.silence)
      const error = yield* Client.read(wire, { attemptTimeout: "2 seconds" }).pipe(
        Client.failsAs("TimedOut"),
        Client.longestWaits,
        Client.within("9400 millis")
      )
      assert.include(error, { limit: "attempt", limitMillis: 2000 })
      assert.deepStrictEqual(spent(error), { attemptsMillis: 8000, retryWaitsMillis: 1400, rateLimitMillis: 0 })
      assert.strictEqual(wire.interrupted(), 4)
    }))

  it.effect("holds for a client that can't be interrupted", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(() => Effect.uninterruptible(Effect.never), Thing.ok)
      yield* Client.read(wire, { attemptTimeout: "2 seconds" }).pipe(Client.longestWaits, Client.within("2200 millis"))
      assert.strictEqual(wire.sent.length, 2)
    }))

  it.effect("counts the time that the credential takes", () =>
    Effect.gen(function*() {
      const credentials = Effect.delay(Effect.succeed(Client.credentials), "1500 millis")
      const wire = Testing.wire(Testing.after("1 second", Thing.ok))
      const error = yield* Client.read(wire, { attemptTimeout: "2 seconds", credentials, retry: RetryPolicy.none })
        .pipe(Client.failsAs("TimedOut"), Client.within("2 seconds"))
      assert.strictEqual(error.limit, "attempt")
    }))
})

describe("a clock that is set while a call is under way", () => {
  it.effect.each([["forward", 3_600_000], ["back", -3_600_000]] as const)(
    "%s moves neither the deadline nor the waits",
    ([_, step]) =>
      Effect.gen(function*() {
        const clock = new SteppedClock()
        const wire = Testing.wire((sent) => {
          clock.stepMillis += step
          clock.passedMillis += 1200
          return down(sent)
        })
        const error = yield* Client.read(wire, { deadline: "5 seconds", retry: RetryPolicy.make({ attempts: 9 }) })
          .pipe(
            Client.longestWaits,
            Effect.withClock(clock),
            Effect.flip
          )
        // 200 and 400 ms of waiting, and no place for the next 800 behind a third attempt.
        assert.deepStrictEqual([error._tag, wire.sent.length, clock.passedMillis], ["Unavailable", 3, 4200])
      })
  )
})

describe("a call that fails", () => {
  it.effect("is logged by nobody but its caller", () =>
    Effect.gen(function*() {
      const logged: Array<unknown> = []
      const logger = Logger.make(({ message }) => void logged.push(message))
      yield* Client.read(Testing.wire(down)).pipe(
        Client.longestWaits,
        Effect.flip,
        Client.within("1 minute"),
        Effect.provide(Layer.merge(
          Logger.replace(Logger.defaultLogger, logger),
          Logger.minimumLogLevel(LogLevel.All)
        ))
      )
      assert.deepStrictEqual(logged, [])
    }))
})

/** A clock that counts who sleeps by it; nobody wakes. */
class CountingClock extends SteppedClock {
  sleepers = 0
  override sleep(): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.sleepers++
      return Effect.never
    }).pipe(Effect.ensuring(Effect.sync(() => this.sleepers--)))
  }
}

describe("a call that is over", () => {
  it.effect.each([["ended", Thing.ok], ["failed", Testing.text(404, "")]] as const)(
    "since it %s leaves no timer running",
    ([, step]) =>
      Effect.gen(function*() {
        const clock = new CountingClock()
        let during = 0
        const wire = Testing.wire((sent) => {
          during = clock.sleepers
          return step(sent)
        })
        yield* Effect.exit(Client.read(wire)).pipe(Effect.withClock(clock))
        yield* Effect.yieldNow()
        assert.deepStrictEqual([during, clock.sleepers], [1, 0])
      })
  )

  it.live("was ended by a timer of the system's clock, if the program has no other", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(
        Client.read(Testing.wire(Testing.silence), { attemptTimeout: "5 millis", retry: RetryPolicy.none })
      )
      assert.strictEqual(error._tag === "TimedOut" && error.limit, "attempt")
    }))

  it.effect("since it was interrupted leaves no timer running", () =>
    Effect.gen(function*() {
      const clock = new CountingClock()
      const fiber = yield* Effect.fork(Effect.withClock(Client.read(Testing.wire(Testing.silence)), clock))
      yield* TestClock.adjust(0)
      assert.strictEqual(clock.sleepers, 1)
      yield* Fiber.interrupt(fiber)
      yield* TestClock.adjust(0)
      assert.strictEqual(clock.sleepers, 0)
    }))
})

describe("interruption", () => {
  it.effect("releases the caller at once, even from a client that can't be interrupted", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(() => Effect.uninterruptible(Effect.never))
      const fiber = yield* Effect.fork(Client.read(wire))
      yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(fiber)
      assert.strictEqual(wire.sent.length, 1)
    }))

  it.effect("reaches the exchange, and no further attempt is made", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Testing.silence)
      const fiber = yield* Effect.fork(Client.read(wire))
      yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(fiber)
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(wire.interrupted(), 1)
      assert.strictEqual(wire.sent.length, 1)
    }))
})
