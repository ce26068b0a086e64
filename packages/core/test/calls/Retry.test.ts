import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import * as Credentials from "@effect-klaytn/core/Credentials"
import type { Safety } from "@effect-klaytn/core/Operation"
import * as RetryPolicy from "@effect-klaytn/core/RetryPolicy"
import type * as ServiceError from "@effect-klaytn/core/ServiceError"
import * as Testing from "@effect-klaytn/core/Testing"
import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Client from "../support/client.js"
import * as Thing from "../support/thing.js"

const down = Testing.text(503, "")
const reset = Testing.broken(Testing.networkError("ECONNRESET"))
const refused = Testing.broken(Testing.networkError("ECONNREFUSED", { syscall: "connect" }))

const patient = { deadline: "10 minutes" } as const

const attemptsOf = (error: ServiceError.ServiceError) => error.attempts.map((one) => ({ ...one }))

/** A body that the client fetches over another connection, such as one of a cache, and can't. */
const lateConnect: Testing.Step = () =>
  Effect.sync(() => {
    const start = (controller: ReadableStreamDefaultController): void =>
      controller.error(Testing.networkError("ECONNREFUSED", { syscall: "connect" }))
    return new Response(new ReadableStream({ start }), { status: 200 })
  })

describe("a read", () => {
  for (const status of [408, 425, 429, 500, 502, 503, 504]) {
    it.effect(`is repeated after HTTP ${status}`, () =>
      Effect.gen(function*() {
        const wire = Testing.wire(Testing.text(status, ""), Thing.ok)
        assert.deepStrictEqual(yield* Client.read(wire).pipe(Client.within("200 millis")), Thing.thing)
        assert.strictEqual(wire.sent.length, 2)
      }))
  }

  for (const status of [400, 401, 403, 404, 409, 501]) {
    it.effect(`is not repeated after HTTP ${status}`, () =>
      Effect.gen(function*() {
        const wire = Testing.wire(Testing.text(status, ""), Thing.ok)
        yield* Effect.flip(Client.read(wire)).pipe(Client.within("1 hour"))
        assert.strictEqual(wire.sent.length, 1)
      }))
  }

  const network = [["a reset", reset], ["a refused connection", refused], ["half a body", Testing.cutOff(200)]] as const
  for (const [what, step] of network) {
    it.effect(`is repeated after ${what}`, () =>
      Effect.gen(function*() {
        const wire = Testing.wire(step, Thing.ok)
        assert.deepStrictEqual(yield* Client.read(wire).pipe(Client.within("200 millis")), Thing.thing)
        assert.strictEqual(wire.sent.length, 2)
      }))
  }

  it.effect("is repeated after an attempt that took too long", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Testing.silence, Thing.ok)
      const read = Client.read(wire, { attemptTimeout: "3 seconds" })
      assert.deepStrictEqual(yield* read.pipe(Client.within("3200 millis")), Thing.thing)
      assert.strictEqual(wire.interrupted(), 1)
    }))

  it.effect("is made four times at most, and waits 200, 400 and 800 ms at the longest in between", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(down)
      const error = yield* Client.read(wire).pipe(
        Client.failsAs("Unavailable"),
        Client.longestWaits,
        Client.within("1400 millis")
      )
      assert.deepStrictEqual(wire.sent.map((one) => one.at), [0, 200, 600, 1400])
      assert.deepStrictEqual(attemptsOf(error), [
        { status: 503, reason: "HTTP 503", waitMillis: 200 },
        { status: 503, reason: "HTTP 503", waitMillis: 400 },
        { status: 503, reason: "HTTP 503", waitMillis: 800 },
        { status: 503, reason: "HTTP 503", waitMillis: 0 }
      ])
    }))

  it.effect("may be repeated at once: the jitter goes down to no wait at all", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(down)
      yield* Client.read(wire).pipe(
        Client.failsAs("Unavailable"),
        Effect.withRandom(Random.fixed([0])),
        Client.within("0 millis")
      )
      assert.deepStrictEqual(wire.sent.map((one) => one.at), [0, 0, 0, 0])
    }))

  it.effect("has a wait after any number of attempts", () =>
    Effect.gen(function*() {
      for (const baseDelay of [0, 200]) {
        const policy = RetryPolicy.make({ attempts: Number.POSITIVE_INFINITY, baseDelay, maxDelay: "3 seconds" })
        const wait = yield* RetryPolicy.delay(policy, 2000).pipe(Effect.withRandom(Random.fixed([1])))
        assert.strictEqual(wait, baseDelay === 0 ? 0 : 3000)
      }
    }))

  it.effect("never waits longer than the longest delay", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(down)
      const retry = RetryPolicy.make({ attempts: 6, baseDelay: "1 second", maxDelay: "3 seconds" })
      const error = yield* Client.read(wire, { retry }).pipe(
        Client.failsAs("Unavailable"),
        Client.longestWaits,
        Client.within("12 seconds")
      )
      assert.deepStrictEqual(error.attempts.map((one) => one.waitMillis), [1000, 2000, 3000, 3000, 3000, 0])
    }))

  it.effect.prop(
    "waits between nothing and the bound of each retry, whatever the dice",
    [FastCheck.array(FastCheck.double({ min: 0, max: 1, noNaN: true }), { minLength: 3, maxLength: 3 })],
    ([dice]) =>
      Effect.gen(function*() {
        const [first = 0, ...rest] = dice
        const error = yield* Client.read(Testing.wire(down)).pipe(
          Client.failsAs("Unavailable"),
          Effect.withRandom(Random.fixed([first, ...rest])),
          Client.within("2 seconds")
        )
        error.attempts.slice(0, 3).forEach(({ waitMillis }, i) => {
          assert.isAtLeast(waitMillis, 0)
          assert.isAtMost(waitMillis, 200 * 2 ** i)
          assert.approximately(waitMillis, (dice[i] ?? 0) * 200 * 2 ** i, 0.5)
        })
      }),
    { fastCheck: { numRuns: 25 } }
  )

  it.effect("lists the outcome of each attempt when they differ", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(reset, Testing.silence, down, Testing.json(400, { code: 1040010 }))
      const error = yield* Client.read(wire, { attemptTimeout: "1 second" }).pipe(
        Client.failsAs("Rejected"),
        Client.longestWaits,
        Client.within("1 minute")
      )
      assert.deepStrictEqual(attemptsOf(error), [
        { reason: "ECONNRESET", waitMillis: 200 },
        { reason: "timeout", waitMillis: 400 },
        { status: 503, reason: "HTTP 503", waitMillis: 800 },
        { status: 400, reason: "HTTP 400", waitMillis: 0 }
      ])
    }))

  it.effect("reads the credential anew for each attempt, so that a rotated one is used", () =>
    Effect.gen(function*() {
      let turn = 0
      const credentials = Effect.suspend(() =>
        Credentials.fromPair({ accessKeyId: `KEY${++turn}`, secretAccessKey: Redacted.make("s") })
      )
      const wire = Testing.wire(down, Thing.ok)
      yield* Client.read(wire, { credentials }).pipe(Client.within("200 millis"))
      assert.deepStrictEqual(
        wire.sent.map((one) => one.headers["authorization"]),
        [`Basic ${btoa("KEY1:s")}`, `Basic ${btoa("KEY2:s")}`]
      )
    }))

  it.effect("without a credential asks the provider again, and is Unauthorized in the end", () =>
    Effect.gen(function*() {
      const wire = Testing.wire()
      let asked = 0
      const credentials = Effect.suspend(() => {
        asked++
        return Effect.fail(Credentials.unavailable("the store is down"))
      })
      for (const call of [Client.read(wire, { credentials }), Client.put(wire, "once", { credentials })]) {
        asked = 0
        const error = yield* Effect.asVoid(call).pipe(Client.failsAs("Unauthorized"), Client.within("2 seconds"))
        assert.strictEqual(error.problem, "no credentials: the store is down")
        assert.notProperty(error, "status")
        assert.isTrue(error.retrySafe)
        assert.deepStrictEqual([asked, error.attempts.length], [4, 4])
      }
      assert.strictEqual(wire.sent.length, 0)
    }))

  it.effect("is made once the provider has a credential", () =>
    Effect.gen(function*() {
      let asked = 0
      const credentials = Effect.suspend(() =>
        ++asked < 3 ? Effect.fail(Credentials.unavailable("the store is down")) : Client.options.credentials
      )
      const wire = Testing.wire(Thing.ok)
      yield* Client.put(wire, "once", { credentials }).pipe(Client.within("1 second"))
      assert.strictEqual(wire.sent.length, 1)
    }))

  it.effect("with a malformed credential is Unauthorized at once", () =>
    Effect.gen(function*() {
      let asked = 0
      const credentials = Effect.suspend(() => {
        asked++
        return Credentials.fromPair({ accessKeyId: "", secretAccessKey: Redacted.make("s") })
      })
      yield* Client.read(Testing.wire(), { credentials }).pipe(Client.failsAs("Unauthorized"), Client.within("1 hour"))
      assert.strictEqual(asked, 1)
    }))
})

describe("a schedule", () => {
  const every = (duration: Duration.DurationInput) => RetryPolicy.make({ schedule: Schedule.spaced(duration) })
  const thrice = RetryPolicy.make({ schedule: Schedule.intersect(Schedule.spaced("3 seconds"), Schedule.recurs(3)) })

  it.effect("says when and how often a read is repeated, anew for each call", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(down)
      const client = yield* Client.make(wire, { retry: thrice })
      const read = client.call(Thing.getThing, Thing.theThing).pipe(Client.failsAs("Unavailable"))
      const error = yield* read.pipe(Client.within("9 seconds"))
      assert.deepStrictEqual(wire.sent.map((one) => one.at), [0, 3000, 6000, 9000])
      assert.deepStrictEqual(attemptsOf(error).map((one) => one.waitMillis), [3000, 3000, 3000, 0])
      yield* read.pipe(Client.within("9 seconds"))
      assert.strictEqual(wire.sent.length, 8)
    }))

  it.effect("is bounded by the attempts, if they are given, and by the deadline", () =>
    Effect.gen(function*() {
      const two = Testing.wire(down)
      const retry = RetryPolicy.make({ schedule: Schedule.spaced("1 second"), attempts: 2 })
      yield* Client.read(two, { retry }).pipe(Client.failsAs("Unavailable"), Client.within("1 second"))
      assert.strictEqual(two.sent.length, 2)
      const wire = Testing.wire(down)
      yield* Client.read(wire, { retry: every("1 second"), deadline: "5500 millis" }).pipe(
        Client.failsAs("Unavailable"),
        Client.within("5500 millis")
      )
      assert.strictEqual(wire.sent.length, 6)
    }))

  it.effect("does not shorten a Retry-After", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Testing.text(429, "", { "retry-after": "7" }), Thing.ok)
      yield* Client.read(wire, { retry: every("1 second") }).pipe(Client.within("7 seconds"))
      assert.deepStrictEqual(wire.sent.map((one) => one.at), [0, 7000])
    }))

  it.effect("repeats no call that is not safe, and no status outside the policy", () =>
    Effect.gen(function*() {
      const retry = every("1 second")
      const put = Testing.wire(down)
      yield* Client.put(put, "once", { retry }).pipe(Client.failsAs("OutcomeUnknown"), Client.within("1 hour"))
      assert.strictEqual(put.sent.length, 1)
      const read = Testing.wire(Testing.text(400, ""))
      yield* Client.read(read, { retry }).pipe(Client.failsAs("Rejected"), Client.within("1 hour"))
      assert.strictEqual(read.sent.length, 1)
    }))

  it.effect("gets each failed attempt as its input", () =>
    Effect.gen(function*() {
      const seen: Array<RetryPolicy.FailedAttempt> = []
      const schedule = Schedule.recurs(1).pipe(
        Schedule.tapInput((failed: RetryPolicy.FailedAttempt) => Effect.sync(() => seen.push(failed)))
      )
      const wire = Testing.wire(Testing.json(503, { code: 1041000 }, { "retry-after": "2" }), reset)
      const retry = RetryPolicy.make({ schedule })
      yield* Client.read(wire, { retry }).pipe(Client.failsAs("TransportFailed"), Client.within("2 seconds"))
      assert.deepStrictEqual(seen, [
        { reason: "HTTP 503", status: 503, code: 1041000, retryAfterMillis: 2000, made: 1 },
        { reason: "ECONNRESET", status: undefined, code: undefined, retryAfterMillis: undefined, made: 2 }
      ])
    }))

  it.effect("that dies or never decides ends the call as its last attempt did, within the deadline", () =>
    Effect.gen(function*() {
      for (const broken of [Effect.dieMessage("a defect"), Effect.never]) {
        const retry = RetryPolicy.make({ schedule: Schedule.tapInput(Schedule.forever, () => broken) })
        const wire = Testing.wire(down)
        yield* Client.read(wire, { retry }).pipe(Client.failsAs("Unavailable"), Client.within("30 seconds"))
        assert.strictEqual(wire.sent.length, 1)
      }
    }))
})

describe("Retry-After", () => {
  it.effect("in seconds is a floor under the wait", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Testing.text(429, "", { "retry-after": "7" }), Thing.ok)
      yield* Client.read(wire).pipe(Client.longestWaits, Client.within("7 seconds"))
      assert.deepStrictEqual(wire.sent.map((one) => one.at), [0, 7000])
    }))

  it.effect("shorter than the backoff does not shorten it", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Testing.text(429, "", { "retry-after": "0.1" }), Thing.ok)
      yield* Client.read(wire).pipe(Client.longestWaits, Client.within("200 millis"))
      assert.deepStrictEqual(wire.sent.map((one) => one.at), [0, 200])
    }))

  it.effect("as a date is a floor under the wait", () =>
    Effect.gen(function*() {
      const date = new Date(9_000).toUTCString()
      const wire = Testing.wire(Testing.text(503, "", { "retry-after": date }), Thing.ok)
      yield* Client.read(wire).pipe(Client.longestWaits, Client.within("9 seconds"))
      assert.deepStrictEqual(wire.sent.map((one) => one.at), [0, 9000])
    }))

  for (const value of ["Wed, 01 Jan 1969 00:00:00 GMT", "0", "soon", "-5", ""]) {
    it.effect(`of "${value}" adds nothing to the backoff`, () =>
      Effect.gen(function*() {
        const wire = Testing.wire(Testing.text(503, "", { "retry-after": value }), Thing.ok)
        yield* Client.read(wire).pipe(Client.longestWaits, Client.within("200 millis"))
        assert.deepStrictEqual(wire.sent.map((one) => one.at), [0, 200])
      }))
  }

  it.effect("of exactly the longest allowed wait is waited for", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Testing.text(429, "", { "retry-after": "60" }), Thing.ok)
      yield* Client.read(wire, patient).pipe(Client.within("60 seconds"))
      assert.strictEqual(wire.sent.length, 2)
    }))

  it.effect("longer than allowed is not waited for: the call fails at once, and its error contains the wait", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Testing.text(429, "", { "retry-after": "61" }), Thing.ok)
      const error = yield* Client.read(wire, patient).pipe(Client.failsAs("RateLimited"), Client.within("0 millis"))
      assert.strictEqual(error.retryAfterMillis, 61_000)
      assert.strictEqual(error.origin, "service")
      assert.strictEqual(wire.sent.length, 1)
    }))

  it.effect("longer than the time left before the deadline is not waited for either", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Testing.text(503, "", { "retry-after": "20" }), Thing.ok)
      const error = yield* Client.read(wire, { deadline: "20 seconds" }).pipe(
        Client.failsAs("Unavailable"),
        Client.within("0 millis")
      )
      assert.strictEqual(error.retryAfterMillis, 20_000)
      assert.strictEqual(wire.sent.length, 1)
    }))

  it.effect("beyond all numbers still makes an error that can be stored as JSON", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Testing.text(429, "", { "retry-after": "9".repeat(400) }))
      const error = yield* Client.read(wire).pipe(Client.failsAs("RateLimited"))
      assert.strictEqual(error.retryAfterMillis, Number.MAX_SAFE_INTEGER)
    }))
})

describe("a policy", () => {
  it.effect("of none makes one attempt", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(down)
      yield* Client.read(wire, { retry: RetryPolicy.none }).pipe(Client.failsAs("Unavailable"))
      assert.strictEqual(wire.sent.length, 1)
    }))

  it.effect("around a call replaces the configured one, for that call only", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(down)
      const client = yield* Client.make(wire, { retry: RetryPolicy.make({ attempts: 2, baseDelay: 0 }) })
      const call = client.call(Thing.getThing, Thing.theThing).pipe(Client.failsAs("Unavailable"))
      yield* RetryPolicy.withRetryPolicy(call, RetryPolicy.make({ attempts: 5, baseDelay: 0 }))
      assert.strictEqual(wire.sent.length, 5)
      yield* call
      assert.strictEqual(wire.sent.length, 7)
    }))

  it.effect("says after which statuses to repeat", () =>
    Effect.gen(function*() {
      const retry = RetryPolicy.make({ statuses: [404], baseDelay: 0 })
      const once = Testing.wire(Testing.text(503, ""), Thing.ok)
      yield* Client.read(once, { retry }).pipe(Client.failsAs("Unavailable"))
      assert.strictEqual(once.sent.length, 1)
      const twice = Testing.wire(Testing.text(404, ""), Thing.ok)
      yield* Client.read(twice, { retry })
      assert.strictEqual(twice.sent.length, 2)
    }))

  const refused: ReadonlyArray<Parameters<typeof RetryPolicy.make>[0] & {}> = [
    ...[0, -1, Number.NaN, 1.9].map((attempts) => ({ attempts })),
    ...["soon" as "1 second", -1, Number.NaN, "-1 second" as const, -1n].flatMap((time) => [
      { baseDelay: time },
      { maxDelay: time },
      { maxRetryAfter: time }
    ]),
    ...[99, 600, 503.5, Number.NaN].map((status) => ({ statuses: [status] }))
  ]

  it.effect("outside its range is refused by the configuration and by every call, and nothing is sent", () =>
    Effect.gen(function*() {
      for (const options of refused) {
        const policy = RetryPolicy.make(options)
        const wire = Testing.wire(Thing.ok)
        const path = ["retry", ...Object.keys(options)]
        const configured = yield* Effect.flip(Client.read(wire, { retry: policy }))
        assert.deepInclude(configured, { _tag: "InvalidInput", operation: "configuration" })
        const used = yield* Client.read(wire).pipe(RetryPolicy.withRetryPolicy(policy), Effect.flip)
        for (const error of [configured, used]) {
          assert.deepStrictEqual("path" in error ? error.path.slice(0, 2) : [], path)
        }
        assert.strictEqual(wire.sent.length, 0)
      }
    }))

  it("by default is the one of the configuration's defaults", () => {
    assert.deepStrictEqual(RetryPolicy.make(), RetryPolicy.defaultPolicy)
    assert.deepStrictEqual(ClientConfig.defaults.retry, RetryPolicy.defaultPolicy)
    assert.strictEqual(Duration.toMillis(RetryPolicy.none.baseDelay), 200)
  })
})

describe("a change that may be made once only", () => {
  const ambiguous: ReadonlyArray<readonly [string, Testing.Step, string, number | undefined]> = [
    ["HTTP 408", Testing.text(408, ""), "HTTP 408", 408],
    ["HTTP 425", Testing.text(425, ""), "HTTP 425", 425],
    ["HTTP 500", Testing.json(500, { code: 1041000, message: "boom", requestId: "r-9" }), "HTTP 500", 500],
    ["HTTP 501", Testing.text(501, ""), "HTTP 501", 501],
    ["HTTP 502", Testing.text(502, "<html>"), "HTTP 502", 502],
    ["HTTP 503", Testing.text(503, "", { "retry-after": "1" }), "HTTP 503", 503],
    ["HTTP 504", Testing.text(504, ""), "HTTP 504", 504],
    ["a reset", reset, "ECONNRESET", undefined],
    ["a time-out", Testing.silence, "timeout", undefined],
    ["a good answer that breaks off", Testing.cutOff(200), "UND_ERR_SOCKET", undefined],
    ["a good answer that breaks off in a connection made later", lateConnect, "ECONNREFUSED", undefined],
    ["a good answer that is malformed", Testing.json(200, []), "malformed", 200],
    ["a refusal that breaks off", Testing.cutOff(400), "HTTP 400", 400],
    ["a refusal with a code that is not of the service", Testing.json(403, { code: 403 }), "HTTP 403", 403],
    ...[300, 301, 302, 303, 304, 305, 307, 308].map((status) =>
      [`a redirect ${status}`, Testing.text(status, "", { location: "https://h/" }), `HTTP ${status}`, status] as const
    ),
    ...[400, 401, 402, 403, 404, 405, 406, 409, 410, 412, 413, 415, 422, 429, 431, 451, 499].map((status) =>
      [`${status} without a code of the service`, Testing.text(status, "<html>"), `HTTP ${status}`, status] as const
    )
  ]
  for (const [what, step, reason, status] of ambiguous) {
    it.effect(`is not repeated after ${what}: its outcome is unknown`, () =>
      Effect.gen(function*() {
        const wire = Testing.wire(step, Thing.ok)
        const error = yield* Client.put(wire, "once").pipe(Client.failsAs("OutcomeUnknown"), Client.within("1 minute"))
        assert.strictEqual(wire.sent.length, 1)
        assert.strictEqual(error.reason, reason)
        assert.strictEqual(error.status, status)
        assert.isFalse(error.retrySafe)
        assert.strictEqual(error.attempts.length, 1)
      }))
  }

  it.effect("keeps code, message and request id of the answer that left it unknown", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Testing.json(500, { code: 1041000, message: "boom", requestId: "r-9" }))
      const error = yield* Client.put(wire, "once").pipe(Client.failsAs("OutcomeUnknown"))
      assert.include(error, { code: 1041000, serviceMessage: "boom", requestId: "r-9" })
    }))

  const definite: ReadonlyArray<readonly [string, Testing.Step, ServiceError.ServiceError["_tag"]]> = [
    ["HTTP 400", Testing.json(400, { code: 1061914 }), "Rejected"],
    ["HTTP 401", Testing.json(401, { code: 1010009 }), "Unauthorized"],
    ["HTTP 404", Testing.json(404, { code: 1040400 }), "NotFound"],
    ["HTTP 429", Testing.json(429, { code: 1040010 }, { "retry-after": "1" }), "RateLimited"]
  ]
  for (const [what, step, tag] of definite) {
    it.effect(`is refused for certain after ${what}, and may be tried again by hand`, () =>
      Effect.gen(function*() {
        const wire = Testing.wire(step, Thing.ok)
        const error = yield* Client.put(wire, "once").pipe(Client.failsAs(tag), Client.within("1 minute"))
        assert.isTrue(error.retrySafe)
        assert.strictEqual(wire.sent.length, 1)
      }))
  }

  it.effect("is repeated as long as it is proven that nothing was sent", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(refused, refused, Thing.ok)
      assert.deepStrictEqual(yield* Client.put(wire, "once").pipe(Client.within("600 millis")), Thing.thing)
      assert.strictEqual(wire.sent.length, 3)
    }))

  it.effect("stays unknown when a first attempt was never sent and a second one breaks", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(refused, reset, Thing.ok)
      const error = yield* Client.put(wire, "once").pipe(Client.failsAs("OutcomeUnknown"), Client.within("1 minute"))
      assert.strictEqual(wire.sent.length, 2)
      assert.deepStrictEqual(error.attempts.map((one) => one.reason), ["ECONNREFUSED", "ECONNRESET"])
    }))

  it.effect("that was never sent in the end is TransportFailed", () =>
    Effect.gen(function*() {
      const error = yield* Client.put(Testing.wire(refused), "once").pipe(
        Client.failsAs("TransportFailed"),
        Client.within("1 minute")
      )
      assert.isFalse(error.sent)
      assert.strictEqual(error.attempts.length, 4)
    }))

  it.effect("is not in doubt while its credential is being waited for: it is repeated, then it timed out", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Thing.ok)
      let asked = 0
      const credentials = Effect.suspend(() => ++asked === 1 ? Effect.never : Effect.succeed(Client.credentials))
      yield* Client.put(wire, "once", { credentials }).pipe(Client.within("11 seconds"))
      assert.strictEqual(wire.sent.length, 1)
      const error = yield* Client.put(wire, "once", { credentials: Effect.never, ...patient }).pipe(
        Client.failsAs("TimedOut"),
        Client.within("1 minute")
      )
      assert.strictEqual(error.limit, "attempt")
      assert.strictEqual(wire.sent.length, 1)
    }))
})

describe("a change that carries a key", () => {
  for (const step of [down, reset, Testing.silence, Testing.text(500, "")]) {
    it.effect(`is repeated with the same key (${[down, reset, Testing.silence].indexOf(step)})`, () =>
      Effect.gen(function*() {
        const wire = Testing.wire(step, Thing.ok)
        assert.deepStrictEqual(yield* Client.put(wire, "keyed").pipe(Client.within("11 seconds")), Thing.thing)
        assert.strictEqual(wire.sent.length, 2)
        assert.strictEqual(wire.sent[0]?.body, wire.sent[1]?.body)
      }))
  }

  const later: ReadonlyArray<readonly [string, Testing.Step]> = [
    ["refusal", Testing.json(400, { code: 1061914, message: "already submitted" })],
    ["missing right", Testing.json(401, { code: 1010009 })],
    ["redirect", Testing.text(307, "")]
  ]
  for (const [what, step] of later) {
    it.effect(`stays unknown when a ${what} follows an attempt that may have done it`, () =>
      Effect.gen(function*() {
        const wire = Testing.wire(reset, step)
        const error = yield* Client.put(wire, "keyed").pipe(
          Client.failsAs("OutcomeUnknown"),
          Client.within("1 minute")
        )
        assert.strictEqual(wire.sent.length, 2)
        assert.isTrue(error.retrySafe)
      }))
  }

  it.effect("keeps the code of the refusal that followed, which may explain what happened", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(reset, Testing.json(400, { code: 1061914, message: "already submitted" }))
      const error = yield* Client.put(wire, "keyed").pipe(Client.failsAs("OutcomeUnknown"), Client.within("1 minute"))
      assert.include(error, { status: 400, code: 1061914, serviceMessage: "already submitted" })
    }))

  it.effect("is refused for certain when only attempts that never left came before", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(refused, Testing.json(400, { code: 1040010 }))
      yield* Client.put(wire, "keyed").pipe(Client.failsAs("Rejected"), Client.within("1 minute"))
    }))

  it.effect("is unknown in the end when every attempt was in doubt, and may be made again with the key", () =>
    Effect.gen(function*() {
      const error = yield* Client.put(Testing.wire(down), "keyed").pipe(
        Client.failsAs("OutcomeUnknown"),
        Client.within("1 minute")
      )
      assert.strictEqual(error.attempts.length, 4)
      assert.isTrue(error.retrySafe)
    }))
})

describe("a POST that changes nothing", () => {
  it.effect("is repeated like a read and is never in doubt", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(reset)
      yield* Client.put(wire, "safe").pipe(Client.failsAs("TransportFailed"), Client.within("1 minute"))
      assert.strictEqual(wire.sent.length, 4)
    }))
})

describe("any change, whatever the service does", () => {
  const steps: ReadonlyArray<readonly [Testing.Step, "done" | "not" | "maybe"]> = [
    [Thing.ok, "done"],
    [refused, "not"],
    [reset, "maybe"],
    [down, "maybe"],
    [Testing.silence, "maybe"],
    [Testing.json(200, []), "maybe"],
    [Testing.json(400, { code: 1061914 }), "not"],
    [Testing.json(400, { code: 1 }), "maybe"],
    [Testing.text(429, ""), "maybe"],
    [Testing.text(307, ""), "maybe"]
  ]
  const script = FastCheck.array(FastCheck.constantFrom(...steps), { minLength: 1, maxLength: 5 })
  const safety = FastCheck.constantFrom<Array<Safety>>("once", "keyed")

  it.effect.prop(
    "that is reported as not done was not done, and one made once only is not sent again after it may have left",
    [script, safety],
    ([answers, safety]) =>
      Effect.gen(function*() {
        const wire = Testing.wire(...answers.map(([step]) => step))
        const result = yield* Effect.either(Client.put(wire, safety)).pipe(Client.within("5 minutes"))
        const happened = answers.slice(0, wire.sent.length).map(([, what]) => what)
        const mayBeDone = happened.includes("maybe")
        if (Either.isRight(result)) {
          assert.strictEqual(happened.at(-1), "done")
        } else {
          assert.strictEqual(result.left._tag === "OutcomeUnknown", mayBeDone)
        }
        if (safety === "once") assert.isFalse(happened.slice(0, -1).includes("maybe"))
      }),
    { fastCheck: { numRuns: 100 } }
  )
})
