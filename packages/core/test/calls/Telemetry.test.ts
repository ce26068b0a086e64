import * as Endpoints from "@effect-klaytn/core/Endpoints"
import * as RateLimit from "@effect-klaytn/core/RateLimit"
import * as Telemetry from "@effect-klaytn/core/Telemetry"
import * as Testing from "@effect-klaytn/core/Testing"
import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Metric from "effect/Metric"
import type * as MetricPair from "effect/MetricPair"
import * as MetricState from "effect/MetricState"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"
import { serverAttributes } from "../../src/internal/calls/metrics.js"
import * as Client from "../support/client.js"
import * as Thing from "../support/thing.js"

/** The metrics of this SDK that have a value, as `name{labels}` and how often they were updated. */
const metrics = Effect.map(Metric.snapshot, (pairs) =>
  Object.fromEntries(
    pairs.filter(({ metricKey }) => /^(klaytn|http)\./.test(metricKey.name)).map((
      pair
    ) => [nameOf(pair), countOf(pair)])
  ))

const nameOf = ({ metricKey }: MetricPair.MetricPair.Untyped): string =>
  `${metricKey.name}{${metricKey.tags.map(({ key, value }) => `${key}=${value}`).sort().join(",")}}`

const countOf = ({ metricState }: MetricPair.MetricPair.Untyped): number | bigint =>
  MetricState.isCounterState(metricState) || MetricState.isHistogramState(metricState) ? metricState.count : -1

/** What a program added to the metrics. */
const added = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const before: Record<string, number | bigint> = yield* metrics
    yield* effect
    const after = yield* metrics
    return Object.fromEntries(
      Object.entries(after).map(([name, count]) => [name, Number(count) - Number(before[name] ?? 0)] as const)
        .filter(([, count]) => count !== 0)
    )
  })

describe("the catalogue", () => {
  it("is this", () => {
    assert.deepStrictEqual(Telemetry.attributes, {
      method: "http.request.method",
      route: "url.template",
      address: "server.address",
      port: "server.port",
      status: "http.response.status_code",
      resendCount: "http.request.resend_count",
      errorType: "error.type",
      operation: "klaytn.operation",
      chainId: "klaytn.chain.id",
      attempts: "klaytn.attempts",
      serviceCode: "klaytn.service.code",
      requestId: "klaytn.request.id"
    })
    assert.deepStrictEqual(Telemetry.spans, {
      operation: ["klaytn.operation", "klaytn.chain.id", "klaytn.attempts", "error.type"],
      attempt: [
        "http.request.method",
        "url.template",
        "server.address",
        "server.port",
        "klaytn.chain.id",
        "http.request.resend_count",
        "http.response.status_code",
        "klaytn.service.code",
        "klaytn.request.id",
        "error.type"
      ]
    })
  })
})

describe("the spans of a call", () => {
  it.effect("that succeeds at once are one of the operation and one of the attempt, and the platform makes none", () =>
    Effect.gen(function*() {
      const tracer = Testing.tracer()
      const wire = Testing.wire(Thing.ok)
      yield* Client.read(wire).pipe(tracer.use)
      assert.deepStrictEqual(
        tracer.spans.map(({ attributes, events, kind, name, parent }) => ({ attributes, events, kind, name, parent })),
        [
          {
            name: "history.getThing",
            kind: "internal",
            parent: undefined,
            attributes: { "klaytn.operation": "history.getThing", "klaytn.chain.id": 1001, "klaytn.attempts": 1 },
            events: []
          },
          {
            name: "GET /v2/thing/{id}",
            kind: "client",
            parent: "history.getThing #0",
            attributes: {
              "http.request.method": "GET",
              "url.template": "/v2/thing/{id}",
              "server.address": "127.0.0.1",
              "server.port": 8080,
              "klaytn.chain.id": 1001,
              "http.response.status_code": 200
            },
            events: []
          }
        ]
      )
      assert.deepStrictEqual(Object.keys(wire.sent[0]?.headers ?? {}).sort(), ["accept", "authorization", "x-chain-id"])
    }))

  it.effect("that is repeated and refused show each attempt, code and request id", () =>
    Effect.gen(function*() {
      const tracer = Testing.tracer()
      const wire = Testing.wire(
        Testing.broken(Testing.networkError("ECONNRESET")),
        Testing.text(503, ""),
        Testing.json(400, { code: 1040010, message: "bad", requestId: "r-1" })
      )
      yield* Client.read(wire).pipe(Client.failsAs("Rejected"), tracer.use, Client.within("1 second"))
      const [operation, ...attempts] = tracer.spans
      assert.deepStrictEqual(operation?.attributes, {
        "klaytn.operation": "history.getThing",
        "klaytn.chain.id": 1001,
        "klaytn.attempts": 3,
        "error.type": "Rejected"
      })
      const common = {
        "http.request.method": "GET",
        "url.template": "/v2/thing/{id}",
        "server.address": "127.0.0.1",
        "server.port": 8080,
        "klaytn.chain.id": 1001
      }
      assert.deepStrictEqual(attempts.map((one) => one.attributes), [
        { ...common, "error.type": "network" },
        {
          ...common,
          "http.request.resend_count": 1,
          "http.response.status_code": 503,
          "error.type": "HTTP 503"
        },
        {
          ...common,
          "http.request.resend_count": 2,
          "http.response.status_code": 400,
          "klaytn.service.code": 1040010,
          "klaytn.request.id": "r-1",
          "error.type": "HTTP 400"
        }
      ])
      const messages = tracer.spans.map(({ exit }) =>
        exit !== undefined && Exit.isFailure(exit) ? Cause.prettyErrors(exit.cause).map((error) => error.message) : []
      )
      assert.deepStrictEqual(messages, [
        ["history.getThing: the service refused the call [HTTP 400, code 1040010, \"bad\", request r-1]"],
        ["ECONNRESET"],
        ["HTTP 503"],
        ["HTTP 400"]
      ])
    }))

  it.effect("have only attributes of the catalogue, whatever the outcome", () =>
    Effect.gen(function*() {
      const tracer = Testing.tracer()
      const steps = [
        Thing.ok,
        Testing.silence,
        Testing.json(200, []),
        Testing.text(302, "", { location: "https://evil.example/" }),
        Testing.json(401, { code: 1010009, message: "no", requestId: "r" }),
        Testing.text(429, "", { "retry-after": "3600" }),
        Testing.broken("odd")
      ]
      for (const step of steps) {
        for (const call of [Client.read(Testing.wire(step)), Client.put(Testing.wire(step), "keyed")]) {
          const exit = yield* Effect.exit(call).pipe(tracer.use, Client.within("1 minute"))
          assert.isFalse(Exit.isFailure(exit) && Cause.isDie(exit.cause))
        }
      }
      assert.isAbove(tracer.spans.length, 2 * steps.length)
      for (const span of tracer.spans) {
        const allowed: ReadonlyArray<string> = span.kind === "client"
          ? Telemetry.spans.attempt
          : Telemetry.spans.operation
        for (const name of Object.keys(span.attributes)) assert.include(allowed, name)
      }
    }))

  it.effect("are not made under the runtime's own tracer, and are under any other", () =>
    Effect.gen(function*() {
      const around: Array<string | undefined> = []
      const wire = Testing.wire((sent) =>
        Effect.flatMap(Effect.option(Effect.currentSpan), (span) => {
          around.push(Option.getOrUndefined(Option.map(span, ({ name }) => name)))
          return Thing.ok(sent)
        })
      )
      yield* Client.read(wire)
      yield* Effect.withSpan(Client.read(wire), "mine")
      yield* Client.read(wire).pipe(Testing.tracer().use)
      assert.deepStrictEqual(around, [undefined, "mine", "GET /v2/thing/{id}"])
    }))

  it.effect("are not made for input that is refused", () =>
    Effect.gen(function*() {
      const tracer = Testing.tracer()
      const client = yield* Client.make(Testing.wire())
      yield* client.call(Thing.getThing, { ...Thing.theThing, urlParams: { size: -1 } }).pipe(
        Client.failsAs("InvalidInput"),
        tracer.use
      )
      assert.deepStrictEqual(tracer.spans, [])
    }))
})

describe("the metrics of a call", () => {
  it("name a server as OpenTelemetry does: without its port, which stands apart, the usual one too", () => {
    const of = (address: string) => Object.values(serverAttributes(Either.getOrThrow(Endpoints.endpoint(address))))
    assert.deepStrictEqual(of("https://th-api.klaytnapi.com/v2"), ["th-api.klaytnapi.com", 443])
    assert.deepStrictEqual(of("http://127.0.0.1"), ["127.0.0.1", 80])
    assert.deepStrictEqual(of("http://[::1]:8080"), ["::1", 8080])
  })

  it.effect("count attempts, durations and waits under these labels", () =>
    Effect.gen(function*() {
      const rateLimit = yield* RateLimit.make({ limit: 1, interval: "1 second" })
      const wire = Testing.wire(Testing.broken(Testing.networkError("ECONNRESET")), Testing.text(503, ""), Thing.ok)
      const call = Client.read(wire, { rateLimit }).pipe(Client.longestWaits, Client.within("2 seconds"))
      assert.deepStrictEqual(yield* added(call), {
        "klaytn.client.attempts{operation=history.getThing,outcome=network,server.address=127.0.0.1,server.port=8080,unit={attempt}}":
          1,
        "klaytn.client.attempts{operation=history.getThing,outcome=HTTP 503,server.address=127.0.0.1,server.port=8080,unit={attempt}}":
          1,
        "klaytn.client.attempts{operation=history.getThing,outcome=success,server.address=127.0.0.1,server.port=8080,unit={attempt}}":
          1,
        "http.client.request.duration{error.type=network,http.request.method=GET,server.address=127.0.0.1,server.port=8080,unit=s,url.template=/v2/thing/{id}}":
          1,
        "http.client.request.duration{error.type=HTTP 503,http.request.method=GET,http.response.status_code=503,server.address=127.0.0.1,server.port=8080,unit=s,url.template=/v2/thing/{id}}":
          1,
        "http.client.request.duration{http.request.method=GET,http.response.status_code=200,server.address=127.0.0.1,server.port=8080,unit=s,url.template=/v2/thing/{id}}":
          1,
        "klaytn.client.operation.duration{operation=history.getThing,outcome=success,server.address=127.0.0.1,server.port=8080,unit=s}":
          1,
        "klaytn.client.wait.duration{kind=retry,operation=history.getThing,server.address=127.0.0.1,server.port=8080,unit=s}":
          2,
        "klaytn.client.wait.duration{kind=rate-limit,operation=history.getThing,server.address=127.0.0.1,server.port=8080,unit=s}":
          2
      })
    }))

  it.effect("count an attempt that the deadline cuts off, and the failure of the call", () =>
    Effect.gen(function*() {
      const call = Client.put(Testing.wire(Testing.silence), "once", { deadline: "1 second" }).pipe(
        Client.failsAs("OutcomeUnknown"),
        Client.within("1 second"),
        Effect.zipLeft(Effect.yieldNow())
      )
      assert.deepStrictEqual(yield* added(call), {
        "klaytn.client.attempts{operation=history.putThing,outcome=interrupted,server.address=127.0.0.1,server.port=8080,unit={attempt}}":
          1,
        "http.client.request.duration{error.type=interrupted,http.request.method=POST,server.address=127.0.0.1,server.port=8080,unit=s,url.template=/v2/thing}":
          1,
        "klaytn.client.operation.duration{operation=history.putThing,outcome=OutcomeUnknown,server.address=127.0.0.1,server.port=8080,unit=s}":
          1
      })
    }))

  it.effect("count an attempt that is interrupted or dies as that", () =>
    Effect.gen(function*() {
      const interrupted = Effect.gen(function*() {
        const fiber = yield* Effect.fork(Client.read(Testing.wire(Testing.silence)))
        yield* TestClock.adjust("1 second")
        yield* Fiber.interrupt(fiber)
      })
      const died = Effect.gen(function*() {
        const exit = yield* Effect.exit(Client.read(Testing.wire(() => Effect.dieMessage("a defect"))))
        assert.isTrue(Exit.isFailure(exit) && Cause.isDie(exit.cause))
        assert.include(Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "", "a defect")
      })
      const request =
        "http.request.method=GET,server.address=127.0.0.1,server.port=8080,unit=s,url.template=/v2/thing/{id}"
      for (const [outcome, call] of [["interrupted", interrupted], ["defect", died]] as const) {
        assert.deepStrictEqual(yield* added(call), {
          [`klaytn.client.attempts{operation=history.getThing,outcome=${outcome},server.address=127.0.0.1,server.port=8080,unit={attempt}}`]:
            1,
          [`http.client.request.duration{error.type=${outcome},${request}}`]: 1
        })
      }
    }))

  it.effect("measure in seconds, from the beginning of the call or the attempt", () =>
    Effect.gen(function*() {
      const durations = [
        Telemetry.operationDuration.pipe(
          Metric.tagged("operation", "history.getThing"),
          Metric.tagged("outcome", "success"),
          Metric.tagged("server.address", "127.0.0.1"),
          Metric.tagged("server.port", "8080"),
          Metric.tagged("unit", "s")
        ),
        Telemetry.attemptDuration.pipe(
          Metric.tagged("http.request.method", "GET"),
          Metric.tagged("url.template", "/v2/thing/{id}"),
          Metric.tagged("http.response.status_code", "200"),
          Metric.tagged("server.address", "127.0.0.1"),
          Metric.tagged("server.port", "8080"),
          Metric.tagged("unit", "s")
        )
      ]
      const sums = Effect.forEach(durations, (duration) => Effect.map(Metric.value(duration), ({ sum }) => sum))
      const before = yield* sums
      yield* TestClock.adjust("1 hour")
      yield* Client.read(Testing.wire(Testing.after("1500 millis", Thing.ok))).pipe(Client.within("1500 millis"))
      for (const [i, sum] of (yield* sums).entries()) assert.approximately(sum - (before[i] ?? 0), 1.5, 1e-9)
    }))
})
