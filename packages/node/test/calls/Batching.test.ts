import * as Deadline from "@effect-klaytn/core/Deadline"
import * as RetryPolicy from "@effect-klaytn/core/RetryPolicy"
import * as Testing from "@effect-klaytn/core/Testing"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/TestClock"
import * as Client from "../../../core/test/support/client.js"
import * as Batching from "../../src/Batching.js"
import type * as KlaytnNode from "../../src/KlaytnNode.js"
import * as Node from "../support/node.js"

const echo = (node: KlaytnNode.Service, n: number, safety: "safe" | "keyed" | "once" = "safe") =>
  node.call("klay_echo", [n], Schema.Unknown, { safety })

const all = { concurrency: "unbounded" } as const

/** What was asked for, by exchange. */
const asked = (wire: Testing.Wire) => wire.sent.map((sent) => Node.requestsIn(sent).map(({ params }) => params[0]))

/** The same, when it does not matter which came first. */
const askedInAnyOrder = (wire: Testing.Wire) => asked(wire).map((batch) => [...batch].sort()).sort()

describe("calls at the same time", () => {
  it.effect("share one request by default, from any fibers", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Node.echo)
      const node = yield* Node.make(wire)
      const fibers = yield* Effect.forEach([1, 2, 3], (n) => Effect.fork(echo(node, n)))
      assert.deepStrictEqual(yield* Fiber.join(Fiber.all(fibers)), [1, 2, 3])
      assert.deepStrictEqual(asked(wire), [[1, 2, 3]])
    }))

  it.effect("are requests of their own when batching is off", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Node.echo)
      const node = yield* Node.make(wire, { batching: Batching.off })
      assert.deepStrictEqual(yield* Effect.all([echo(node, 1), echo(node, 2)], all), [1, 2])
      assert.deepStrictEqual(wire.sent.map(({ body }) => body), [
        `{"jsonrpc":"2.0","id":1,"method":"klay_echo","params":[1]}`,
        `{"jsonrpc":"2.0","id":1,"method":"klay_echo","params":[2]}`
      ])
    }))

  it.effect("wait for others as long as the window says", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Node.echo)
      const node = yield* Node.make(wire, { batching: Batching.make({ window: "20 millis" }) })
      const first = yield* Effect.fork(echo(node, 1))
      yield* TestClock.adjust("19 millis")
      const second = yield* Effect.fork(echo(node, 2))
      yield* Effect.yieldNow()
      assert.strictEqual(wire.sent.length, 0)
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(yield* Fiber.join(Fiber.zip(first, second)), [1, 2])
      assert.deepStrictEqual(asked(wire), [[1, 2]])
      assert.strictEqual(wire.sent[0]?.at, 20)
    }))

  it.effect("are no more than the count in one request, and a full one does not wait", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Node.echo)
      const node = yield* Node.make(wire, { batching: Batching.make({ window: "1 hour", maxCount: 2 }) })
      const results = yield* Effect.all([1, 2, 3, 4].map((n) => echo(node, n)), all)
      assert.deepStrictEqual(results, [1, 2, 3, 4])
      assert.deepStrictEqual(askedInAnyOrder(wire), [[1, 2], [3, 4]])
    }))

  it.effect("are no more than the bytes in one request, and what is larger goes alone", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Node.echo)
      const node = yield* Node.make(wire, { batching: Batching.make({ maxBytes: 300 }) })
      const text = (n: number, length: number) => `${n}${"é".repeat(length)}`
      const call = (n: number, length: number) =>
        node.call("klay_echo", [text(n, length)], Schema.String, { safety: "safe" })
      yield* Effect.all([call(1, 10), call(2, 10), call(3, 400), call(4, 50), call(5, 50)], all)
      assert.deepStrictEqual(asked(wire).map((batch) => batch.map((given) => String(given)[0])), [
        ["1", "2"],
        ["3"],
        ["4"],
        ["5"]
      ])
      for (const { body = "" } of wire.sent.filter((_, i) => i !== 1)) assert.isAtMost(Buffer.byteLength(body), 300)
    }))

  it.effect("that are equal reads are sent once, and each gets the answer", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Node.echo)
      const node = yield* Node.make(wire)
      const results = yield* Effect.all([echo(node, 1), echo(node, 2), echo(node, 1), echo(node, 1)], all)
      assert.deepStrictEqual(results, [1, 2, 1, 1])
      assert.deepStrictEqual(asked(wire), [[1, 2]])
    }))

  it.effect("that change something are never taken for one", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Node.echo)
      const node = yield* Node.make(wire)
      yield* Effect.all([echo(node, 1, "once"), echo(node, 1, "once")], all)
      assert.deepStrictEqual(asked(wire), [[1, 1]])
    }))

  it.effect("share no request if they differ in what may be repeated", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Node.echo)
      const node = yield* Node.make(wire)
      yield* Effect.all([echo(node, 1), echo(node, 2, "keyed"), echo(node, 3, "once"), echo(node, 4)], all)
      assert.deepStrictEqual(asked(wire), [[1, 4], [2], [3]])
    }))

  it.effect("share no request if they differ in their retry policy", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Testing.text(503, ""))
      const node = yield* Node.make(wire)
      const fiber = yield* Effect.fork(Effect.all([
        Effect.either(echo(node, 1)),
        Effect.either(RetryPolicy.withRetryPolicy(echo(node, 2), RetryPolicy.none))
      ], all))
      yield* TestClock.adjust("1 minute")
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(asked(wire).filter(([n]) => n === 1).length, 4)
      assert.deepStrictEqual(asked(wire).filter(([n]) => n === 2).length, 1)
    }))

  it.effect("share a request if their retry policies say the same, wherever they were made", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Node.echo)
      const node = yield* Node.make(wire)
      const policy = () => RetryPolicy.make({ attempts: 2, baseDelay: "1 second", statuses: [503] })
      yield* Effect.all([1, 2, 3].map((n) => RetryPolicy.withRetryPolicy(echo(node, n), policy())), all)
      assert.deepStrictEqual(asked(wire), [[1, 2, 3]])
    }))

  it.effect("of two clients share nothing", () =>
    Effect.gen(function*() {
      const left = Testing.wire(Node.node(() => ({ result: "left" })))
      const right = Testing.wire(Node.node(() => ({ result: "right" })))
      const one = yield* Node.make(left)
      const two = yield* Node.make(right, { config: { chain: 8217 } })
      assert.deepStrictEqual(yield* Effect.all([echo(one, 1), echo(two, 1)], all), ["left", "right"])
      assert.strictEqual(left.sent[0]?.headers["x-chain-id"], "1001")
      assert.strictEqual(right.sent[0]?.headers["x-chain-id"], "8217")
    }))
})

describe("a batch that the node throttles inside of the answer", () => {
  const throttles = (code: number, message: string): Testing.Step => Node.node(() => ({ error: { code, message } }))
  const hundred = Array.from({ length: 100 }, (_, n) => n)

  it.effect.each(
    [
      ["429", throttles(429, "")],
      ["-32005", throttles(-32005, "slow down")],
      ["too many requests", throttles(-32600, "requests exceed the limit")]
    ] as const
  )(
    "by %s is sent again as a batch after one wait, with a try of one call alone, as often as the policy says",
    ([, step]) =>
      Effect.gen(function*() {
        const wire = Testing.wire(step)
        const node = yield* Node.make(wire)
        const fiber = yield* Effect.fork(
          Effect.all(hundred.map((n) => Client.failsAs("RateLimited")(echo(node, n))), all)
        )
        yield* TestClock.adjust("1 minute")
        const errors = yield* Fiber.join(fiber)
        const sizes = asked(wire).map(({ length }) => length)
        assert.deepStrictEqual(sizes.filter((size) => size > 1), [100, 100, 98, 98])
        // The first and the last call, alone.
        assert.isAtMost(sizes.length, 10)
        for (const { attempts } of errors) {
          assert.isTrue(attempts.every(({ reason, status }) => reason === "throttled" && status === 200))
          assert.strictEqual(attempts.length, 4)
          assert.isTrue(attempts.slice(0, 3).every(({ waitMillis }) => waitMillis >= 0))
        }
      })
  )

  it.effect("answers at once what it answers, and repeats the rest only", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(
        Node.node(({ params }) => params[0] === 2 ? { error: { code: 429, message: "" } } : { result: params[0] }),
        Node.echo
      )
      const node = yield* Node.make(wire, { config: { retry: RetryPolicy.make({ baseDelay: "10 seconds" }) } })
      const [first, throttled, third] = yield* Effect.all([1, 2, 3].map((n) => Effect.fork(echo(node, n))))
      assert.deepStrictEqual(yield* Fiber.join(Fiber.zip(first ?? Fiber.void, third ?? Fiber.void)), [1, 3])
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(yield* Fiber.join(throttled ?? Fiber.void), 2)
      assert.deepStrictEqual(asked(wire), [[1, 2, 3], [2]])
    }))

  it.effect("counts attempts that failed before for the policy", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(
        Testing.text(503, ""),
        throttles(429, ""),
        Testing.text(503, ""),
        Testing.text(503, ""),
        Node.echo
      )
      const node = yield* Node.make(wire)
      const fiber = yield* Effect.fork(Client.failsAs("Unavailable")(echo(node, 1)))
      yield* TestClock.adjust("1 minute")
      const { attempts } = yield* Fiber.join(fiber)
      assert.deepStrictEqual(attempts.map(({ reason }) => reason), ["HTTP 503", "throttled", "HTTP 503", "HTTP 503"])
    }))

  it.effect("lets go whoever is interrupted while it waits", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(throttles(429, ""), Node.echo)
      const node = yield* Node.make(wire, { config: { retry: RetryPolicy.make({ baseDelay: "10 seconds" }) } })
      const [gone, stays] = yield* Effect.forEach([1, 2], (n) => Effect.fork(echo(node, n)))
      yield* TestClock.adjust("1 millis")
      yield* Fiber.interrupt(gone ?? Fiber.void)
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(yield* Fiber.join(stays ?? Fiber.succeed(0)), 2)
      assert.deepStrictEqual(asked(wire), [[1, 2], [2]])
    }))
})

describe("an endpoint that refuses", () => {
  it.effect.each(
    [
      ["400", Testing.json(400, { code: 1010007, message: "no" }), "Rejected"],
      [
        "an error for none of its calls",
        Node.body(`{"id":null,"error":{"code":-32600,"message":"invalid request"}}`),
        "RpcFailed"
      ]
    ] as const
  )(
    "every request by %s is asked for each call alone, which fails as alone",
    ([, step, tag]) =>
      Effect.gen(function*() {
        const wire = Testing.wire(step)
        const node = yield* Node.make(wire)
        const errors = yield* Effect.all([1, 2].map((n) => Effect.flip(echo(node, n))), all)
        assert.deepStrictEqual(errors.map(({ _tag }) => _tag), [tag, tag])
        assert.deepStrictEqual(asked(wire), [[1, 2], [1], [2]])
        assert.notInclude(errors[0]?.message, "Batching.off")
      })
  )

  it.effect.each(
    [
      ["a word of the gateway", Testing.json(200, { code: 1010007, message: "no" }), "Rejected"],
      ["nothing", Node.body("[]"), "MalformedResponse"]
    ] as const
  )(
    "a batch by %s fails with the setting that helps, which a call alone does not name",
    ([, step, tag]) =>
      Effect.gen(function*() {
        const node = yield* Node.make(Testing.wire(step))
        const [first] = yield* Effect.all([1, 2].map((n) => Effect.flip(echo(node, n))), all)
        assert.deepStrictEqual([first?._tag, first?.message.includes("Batching.off")], [tag, true])
        const alone = yield* Effect.flip(echo(node, 3))
        assert.notInclude(alone.message, "Batching.off")
      })
  )
})

describe("a batch that is too large for the endpoint (413)", () => {
  const upTo = (most: number): Testing.Step => (sent) =>
    Node.requestsIn(sent).length > most ? Testing.text(413, "too large")(sent) : Node.echo(sent)

  it.effect("is halved until it is not", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(upTo(2))
      const node = yield* Node.make(wire)
      const results = yield* Effect.all([1, 2, 3, 4, 5].map((n) => echo(node, n)), all)
      assert.deepStrictEqual(results, [1, 2, 3, 4, 5])
      assert.deepStrictEqual(asked(wire).map((batch) => batch.length), [5, 3, 2, 1, 2])
    }))

  it.effect("down to one call fails as it was answered", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(upTo(0))
      const node = yield* Node.make(wire)
      const errors = yield* Effect.all([1, 2].map((n) => Client.failsAs("Rejected")(echo(node, n))), all)
      assert.deepStrictEqual(errors.map(({ attempts, status }) => [status, attempts.length]), [[413, 2], [413, 2]])
    }))

  it.effect("is not sent again if that may happen once only", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(upTo(1))
      const node = yield* Node.make(wire)
      yield* Effect.all([1, 2].map((n) => Effect.flip(echo(node, n, "once"))), all)
      assert.strictEqual(wire.sent.length, 1)
    }))
})

describe("a failed request", () => {
  it.effect("of reads is repeated as a whole", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Testing.text(503, "timeout"), Node.echo)
      const node = yield* Node.make(wire)
      const fiber = yield* Effect.fork(Effect.all([echo(node, 1), echo(node, 2)], all))
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* Fiber.join(fiber), [1, 2])
      assert.deepStrictEqual(asked(wire), [[1, 2], [1, 2]])
    }))

  it.effect("of what may not be repeated is not, and nobody knows what became of its calls", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Testing.text(503, "timeout"), Node.echo)
      const node = yield* Node.make(wire)
      const [once] = yield* Effect.all([Effect.either(echo(node, 1, "once")), echo(node, 2)], all)
      assert.strictEqual(once._tag === "Left" ? once.left._tag : "answered", "OutcomeUnknown")
      assert.deepStrictEqual(asked(wire), [[1], [2]])
    }))

  it.effect("is the failure of each call under the call's own name", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Testing.json(400, { code: 1010007, message: "no such path", requestId: "r-7" }))
      const node = yield* Node.make(wire)
      const errors = yield* Effect.all([
        Client.failsAs("Rejected")(node.klay.blockNumber()),
        Client.failsAs("Rejected")(node.net.peerCount())
      ], all)
      assert.deepStrictEqual(
        errors.map(({ code, operation, requestId, status }) => [operation, status, code, requestId]),
        [
          ["node.klay_blockNumber", 400, 1010007, "r-7"],
          ["node.net_peerCount", 400, 1010007, "r-7"]
        ]
      )
    }))
})

describe("a caller that is interrupted", () => {
  const window = Batching.make({ window: "10 millis" })

  it.effect("is not sent if it was not yet, and the others are", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Node.echo)
      const node = yield* Node.make(wire, { batching: window })
      const gone = yield* Effect.fork(echo(node, 1))
      const stays = yield* Effect.fork(echo(node, 2))
      yield* Effect.yieldNow()
      yield* Fiber.interrupt(gone)
      yield* TestClock.adjust("10 millis")
      assert.strictEqual(yield* Fiber.join(stays), 2)
      assert.deepStrictEqual(asked(wire), [[2]])
    }))

  it.effect("leaves no request behind if it was alone", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Node.echo)
      const node = yield* Node.make(wire, { batching: window })
      const gone = yield* Effect.fork(echo(node, 1))
      yield* Effect.yieldNow()
      yield* Fiber.interrupt(gone)
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(wire.sent, [])
    }))

  it.effect("is released at once while the request goes on for the others, which the last one aborts", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Testing.silence)
      const node = yield* Node.make(wire)
      const [first, second] = yield* Effect.forEach([1, 2], (n) => Effect.fork(echo(node, n)))
      yield* TestClock.adjust("1 second")
      assert.strictEqual(wire.sent.length, 1)
      const exit = yield* Fiber.interrupt(first ?? Fiber.void)
      assert.isTrue(Exit.isInterrupted(exit))
      yield* TestClock.adjust("1 second")
      assert.strictEqual(wire.interrupted(), 0)
      yield* Fiber.interrupt(second ?? Fiber.void)
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(wire.interrupted(), 1)
    }))

  it.effect("is not given the answer to its request, which is not even decoded for it", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Testing.after("1 second", Node.echo))
      const node = yield* Node.make(wire)
      const decoded: Array<unknown> = []
      const seen = Schema.Unknown.pipe(Schema.filter((value) => decoded.push(value) > 0))
      const ask = (n: number) => Effect.fork(node.call("klay_echo", [n], seen, { safety: "safe" }))
      const [stays, gone] = yield* Effect.forEach([1, 2], ask)
      yield* TestClock.adjust("10 millis")
      yield* Fiber.interrupt(gone ?? Fiber.void)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* Fiber.join(stays ?? Fiber.succeed(0)), 1)
      assert.deepStrictEqual(asked(wire), [[1, 2]])
      assert.deepStrictEqual(decoded, [1])
    }))

  it.effect("does not take an equal call of another with it", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Testing.after("1 second", Node.echo))
      const node = yield* Node.make(wire)
      const [gone, stays] = yield* Effect.forEach([1, 1], (n) => Effect.fork(echo(node, n)))
      yield* TestClock.adjust("10 millis")
      yield* Fiber.interrupt(gone ?? Fiber.void)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* Fiber.join(stays ?? Fiber.succeed(0)), 1)
      assert.strictEqual(wire.interrupted(), 0)
    }))

  it.effect("ends an equal call with the last of its callers, in whatever order they are interrupted", () =>
    Effect.gen(function*() {
      for (const order of [[0, 1, 2], [2, 1, 0], [1, 0, 2], [1, 2, 0]]) {
        const wire = Testing.wire(Testing.silence)
        const node = yield* Node.make(wire)
        const callers = yield* Effect.forEach([1, 1, 1], (n) => Effect.fork(echo(node, n)))
        yield* TestClock.adjust("1 second")
        for (const [ended, index] of order.entries()) {
          assert.strictEqual(wire.interrupted(), 0, `${ended} of ${order.join()}`)
          yield* Fiber.interrupt(callers[index] ?? Fiber.void)
          yield* TestClock.adjust("1 millis")
        }
        assert.strictEqual(wire.interrupted(), 1, order.join())
      }
    }))

  it.effect("by a timeout around it still shares a request", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Node.echo)
      const node = yield* Node.make(wire)
      const results = yield* Effect.all([1, 2, 3].map((n) => Effect.timeout(echo(node, n), "1 second")), all)
      assert.deepStrictEqual(results, [1, 2, 3])
      assert.deepStrictEqual(asked(wire), [[1, 2, 3]])
    }))
})

describe("a deadline around one call", () => {
  it.effect("ends that call and leaves the others of its request alone", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Testing.after("3 seconds", Node.echo))
      const node = yield* Node.make(wire)
      const fiber = yield* Effect.fork(Effect.all([
        Client.failsAs("TimedOut")(Deadline.withDeadline(echo(node, 1), "1 second")),
        echo(node, 2)
      ], all))
      yield* TestClock.adjust("3 seconds")
      const [error, answer] = yield* Fiber.join(fiber)
      assert.strictEqual(answer, 2)
      assert.deepStrictEqual([error.operation, error.limit, error.limitMillis], ["node.klay_echo", "deadline", 1000])
      assert.deepStrictEqual(askedInAnyOrder(wire), [[1, 2]])
    }))

  it.effect("of a neighbour does not lengthen that of a call without one", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Testing.silence)
      const node = yield* Node.make(wire, { config: { deadline: "1 second", attemptTimeout: "1 hour" } })
      const fiber = yield* Effect.fork(Client.failsAs("TimedOut")(echo(node, 1)))
      yield* Effect.fork(Deadline.withDeadline(echo(node, 2), "10 minutes"))
      yield* TestClock.adjust("1 second")
      const error = yield* Fiber.join(fiber)
      assert.deepStrictEqual([error.operation, error.limit, error.limitMillis], ["node.klay_echo", "deadline", 1000])
      assert.deepStrictEqual(askedInAnyOrder(wire), [[1, 2]])
      assert.strictEqual(wire.interrupted(), 0)
    }))

  it.effect("counts from the call, not from the end of its window", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Testing.silence)
      const node = yield* Node.make(wire, {
        batching: Batching.make({ window: "900 millis" }),
        config: { deadline: "1 second" }
      })
      const fiber = yield* Effect.fork(Client.failsAs("TimedOut")(echo(node, 1)))
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(fiber)).limitMillis, 1000)
    }))

  it.effect("that ends with its request tells every attempt of it", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Testing.text(503, ""), Testing.silence)
      const node = yield* Node.make(wire)
      const fiber = yield* Effect.fork(Client.failsAs("TimedOut")(Deadline.withDeadline(echo(node, 1), "5 seconds")))
      yield* TestClock.adjust("5 seconds")
      const { attempts } = yield* Fiber.join(fiber)
      assert.deepStrictEqual(attempts.map(({ reason }) => reason), ["HTTP 503", "deadline"])
    }))

  it.effect("that is longer than the client's is kept for the whole request", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Testing.after("50 seconds", Node.echo))
      const node = yield* Node.make(wire, { config: { attemptTimeout: "1 minute" } })
      const fiber = yield* Effect.fork(Deadline.withDeadline(echo(node, 1), "1 minute"))
      yield* TestClock.adjust("50 seconds")
      assert.strictEqual(yield* Fiber.join(fiber), 1)
    }))

  it.effect("leaves a call that changes something with an unknown outcome", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Testing.silence)
      const node = yield* Node.make(wire)
      const fiber = yield* Effect.fork(
        Client.failsAs("OutcomeUnknown")(Deadline.withDeadline(echo(node, 1, "once"), "1 second"))
      )
      yield* TestClock.adjust("1 second")
      const error = yield* Fiber.join(fiber)
      assert.strictEqual(error.retrySafe, false)
      assert.strictEqual(wire.interrupted(), 1)
    }))

  it.effect("that passes before the window ends sends nothing", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Node.echo)
      const node = yield* Node.make(wire, { batching: Batching.make({ window: "1 minute" }) })
      const fiber = yield* Effect.fork(
        Client.failsAs("TimedOut")(Deadline.withDeadline(echo(node, 1, "once"), "1 second"))
      )
      yield* TestClock.adjust("2 minutes")
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(wire.sent, [])
    }))
})
