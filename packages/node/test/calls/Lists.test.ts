import * as Deadline from "@effect-klaytn/core/Deadline"
import * as RetryPolicy from "@effect-klaytn/core/RetryPolicy"
import * as Testing from "@effect-klaytn/core/Testing"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/TestClock"
import * as Client from "../../../core/test/support/client.js"
import { accountMethods } from "../../src/AccountMethods.js"
import * as Batching from "../../src/Batching.js"
import { chainMethods } from "../../src/ChainMethods.js"
import type * as KlaytnNode from "../../src/KlaytnNode.js"
import * as Method from "../../src/Method.js"
import * as Param from "../../src/Param.js"
import * as Node from "../support/node.js"
import * as TestNode from "../support/testNode.js"

/** Answers with its parameter. */
const echo = Method.make({
  namespace: "klay",
  name: "echo",
  safety: "safe",
  params: (n: number) => [Param.height("n", n)],
  result: Schema.NumberFromString.pipe(Schema.filter((n) => n !== 6666))
})

const numbers = (count: number): ReadonlyArray<readonly [number]> => Array.from({ length: count }, (_, i) => [i])

/** What was asked for, by exchange. */
const asked = (wire: Testing.Wire) =>
  wire.sent.map((sent) => Node.requestsIn(sent).map(({ params }) => Number(params[0])))

const sizes = (wire: Testing.Wire) => asked(wire).map(({ length }) => length)

/** Answers or the tags of failures, in order. */
const told = (outcomes: ReadonlyArray<Either.Either<unknown, { readonly _tag: string }>>) =>
  outcomes.map((outcome) => Either.isRight(outcome) ? outcome.right : outcome.left._tag)

const echoes = (node: KlaytnNode.Service, count: number, options?: KlaytnNode.ListOptions) =>
  node.runEach(echo, numbers(count), options)

const throttles = Node.node(() => ({ error: { code: 429, message: "slow down" } }))

describe("a list of calls of one method", () => {
  it.effect("is sent in requests of 1,000, and keeps its order", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Node.echo)
      const node = yield* Node.make(wire)
      const outcomes = yield* echoes(node, 2500)
      assert.deepStrictEqual(told(outcomes), numbers(2500).map(([n]) => n))
      assert.deepStrictEqual(sizes(wire), [1000, 1000, 500])
    }))

  it.effect("keeps its order whichever request is answered first", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Testing.after("3 seconds", Node.echo), Testing.after("1 second", Node.echo), Node.echo)
      const node = yield* Node.make(wire)
      const outcomes = yield* Client.within("3 seconds")(echoes(node, 6, { maxCount: 2 }))
      assert.deepStrictEqual(told(outcomes), [0, 1, 2, 3, 4, 5])
    }))

  it.effect("has no more requests at the same time than it may", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Testing.after("1 second", Node.echo))
      const node = yield* Node.make(wire)
      yield* Client.within("3 seconds")(echoes(node, 5, { maxCount: 1, concurrency: 2 }))
      assert.deepStrictEqual(wire.sent.map(({ at }) => at), [0, 0, 1000, 1000, 2000])
    }))

  it.effect("has four requests at the same time by default", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Testing.after("1 second", Node.echo))
      const node = yield* Node.make(wire)
      yield* Client.within("2 seconds")(echoes(node, 5, { maxCount: 1 }))
      assert.deepStrictEqual(wire.sent.map(({ at }) => at), [0, 0, 0, 0, 1000])
    }))

  it.effect("has 1,000 requests at the same time at most", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Testing.after("1 second", Node.echo))
      const node = yield* Node.make(wire)
      yield* Client.within("2 seconds")(echoes(node, 1001, { maxCount: 1, concurrency: 1000 }))
      assert.deepStrictEqual(wire.sent.filter(({ at }) => at > 0).map(({ at }) => at), [1000])
    }))

  it.effect("that is empty sends nothing", () =>
    Effect.gen(function*() {
      const wire = Testing.wire()
      const node = yield* Node.make(wire)
      assert.deepStrictEqual(yield* echoes(node, 0), [])
    }))

  it.effect("follows the settings of batching", () =>
    Effect.gen(function*() {
      const sizesWith = (batching: Batching.Batching, options?: KlaytnNode.ListOptions) =>
        Effect.gen(function*() {
          const wire = Testing.wire(Node.echo)
          const node = yield* Node.make(wire, { batching })
          yield* echoes(node, 6, options)
          return sizes(wire)
        })
      assert.deepStrictEqual(yield* sizesWith(Batching.make({ maxCount: 4 })), [4, 2])
      assert.deepStrictEqual(yield* sizesWith(Batching.make({ maxCount: 4, maxListCount: 5 })), [5, 1])
      assert.deepStrictEqual(yield* sizesWith(Batching.make({ maxBytes: 230 })), [3, 3])
      assert.deepStrictEqual(yield* sizesWith(Batching.off, { maxCount: 4 }), [1, 1, 1, 1, 1, 1])
    }))

  it.effect("refuses what it can't keep to before anything is sent: its options, and the policy and deadline around it", () =>
    Effect.gen(function*() {
      const wire = Testing.wire()
      const node = yield* Node.make(wire)
      const refusedAt = (path: ReadonlyArray<string>) => (list: ReturnType<typeof echoes>) =>
        Effect.map(Effect.flip(list), (error) => assert.deepStrictEqual(error.path, path))
      for (const wrong of [0, -7, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
        yield* refusedAt(["maxCount"])(echoes(node, 1, { maxCount: wrong }))
        yield* refusedAt(["concurrency"])(echoes(node, 1, { concurrency: wrong }))
        const called = yield* node.klay.blockNumber().pipe(Deadline.withDeadline(-1), Effect.flip)
        assert.deepInclude(called, { _tag: "InvalidInput", path: ["deadline"] })
      }
      yield* refusedAt(["concurrency"])(echoes(node, 1, { concurrency: 1001 }))
      yield* refusedAt(["deadline"])(Deadline.withDeadline(echoes(node, 1), -1))
      const policy = RetryPolicy.make({ attempts: 0 })
      yield* refusedAt(["retry", "attempts"])(RetryPolicy.withRetryPolicy(echoes(node, 1), policy))
      assert.deepStrictEqual(wire.sent, [])
    }))

  it.effect("and its client refuse settings of batching outside their range", () =>
    Effect.gen(function*() {
      const refused: ReadonlyArray<readonly [string, Parameters<typeof Batching.make>[0]]> = [
        ...[0, -7, 1.5, Number.NaN, Number.POSITIVE_INFINITY].flatMap((wrong) =>
          (["maxCount", "maxBytes", "maxListCount"] as const).map((name) => [name, { [name]: wrong }] as const)
        ),
        ...[-1, Number.NaN, Number.POSITIVE_INFINITY, "soon" as "1 second"].map((window) =>
          ["window", { window }] as const
        )
      ]
      for (const [name, options] of refused) {
        const error = yield* Effect.flip(Node.make(Testing.wire(), { batching: Batching.make(options) }))
        assert.deepInclude(error, { _tag: "InvalidInput", path: ["batching", name] })
      }
    }))

  it.effect("can be run again, with requests of its own", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Node.echo)
      const node = yield* Node.make(wire)
      const list = echoes(node, 2)
      assert.deepStrictEqual(told(yield* list), [0, 1])
      assert.deepStrictEqual(told(yield* list), [0, 1])
      assert.deepStrictEqual(asked(wire), [[0, 1], [0, 1]])
    }))
})

describe("a call of a list that fails", () => {
  it.effect("fails in its place: before it is sent, by the node's answer, or by a wrong result", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(
        Node.node(({ params }) =>
          params[0] === "0x2" ? { error: { code: -32601, message: "no" } } : { result: params[0] }
        )
      )
      const node = yield* Node.make(wire)
      const outcomes = yield* node.runEach(echo, [[0], [-1], [2], [6666], [4]])
      assert.deepStrictEqual(told(outcomes), [0, "InvalidInput", "MethodNotFound", "MalformedResponse", 4])
      assert.deepStrictEqual(asked(wire), [[0, 2, 6666, 4]])
      const malformed = Either.flip(outcomes[3] ?? Either.right(0))
      assert.deepInclude(yield* malformed, { operation: "node.klay_echo", path: ["result"] })
    }))

  it.effect("without an answer fails alone", () =>
    Effect.gen(function*() {
      const node = yield* Node.make(Testing.wire(Node.body(`[{"jsonrpc":"2.0","id":2,"result":"0x1"}]`)))
      assert.deepStrictEqual(told(yield* echoes(node, 2)), ["MalformedResponse", 1])
    }))

  it.effect("with its request fails under its own name, and the other requests are answered", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Testing.json(404, { message: "no such path" }), Node.echo)
      const node = yield* Node.make(wire)
      const outcomes = yield* echoes(node, 4, { maxCount: 2, concurrency: 1 })
      assert.deepStrictEqual(told(outcomes), ["NotFound", "NotFound", 2, 3])
      assert.deepInclude(yield* Either.flip(outcomes[1] ?? Either.right(0)), {
        operation: "node.klay_echo",
        status: 404
      })
    }))

  it.effect("may not change anything", () =>
    Effect.gen(function*() {
      const wire = Testing.wire()
      const node = yield* Node.make(wire)
      // As a program without types would.
      const once = Method.make({ ...echo, safety: "once" }) as unknown as typeof echo
      assert.deepStrictEqual(told(yield* node.runEach(once, [[1]])), ["InvalidInput"])
    }))

  it.effect("because its request is too large is sent in halves", () =>
    Effect.gen(function*() {
      const wire = Testing.wire((sent) =>
        (Node.requestsIn(sent).length > 2 ? Testing.text(413, "too large") : Node.echo)(sent)
      )
      const node = yield* Node.make(wire)
      assert.deepStrictEqual(told(yield* echoes(node, 5)), [0, 1, 2, 3, 4])
      assert.deepStrictEqual(sizes(wire), [5, 3, 2, 1, 2])
    }))

  it.effect("because its request failed is sent again", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Testing.text(503, ""), Node.echo)
      const node = yield* Node.make(wire)
      assert.deepStrictEqual(told(yield* Client.within("1 minute")(echoes(node, 2))), [0, 1])
      assert.deepStrictEqual(asked(wire), [[0, 1], [0, 1]])
    }))

  it.effect("because the node throttles it is sent again, and only it", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(
        Node.node(({ params }) =>
          params[0] === "0x1" ? { error: { code: 429, message: "slow down" } } : { result: params[0] }
        ),
        Node.echo
      )
      const node = yield* Node.make(wire)
      assert.deepStrictEqual(told(yield* Client.within("1 minute")(echoes(node, 3))), [0, 1, 2])
      assert.deepStrictEqual(asked(wire), [[0, 1, 2], [1]])
    }))

  it.effect("because it is throttled to the end says so, with its attempts", () =>
    Effect.gen(function*() {
      const node = yield* Node.make(Testing.wire(throttles), {
        config: { retry: RetryPolicy.make({ attempts: 3 }) }
      })
      const [outcome] = yield* Client.within("10 minutes")(echoes(node, 1))
      const error = yield* Either.flip(outcome ?? Either.right(0))
      assert.deepInclude(error, { _tag: "RateLimited", operation: "node.klay_echo" })
      assert.deepStrictEqual("attempts" in error && error.attempts.map(({ reason }) => reason), [
        "throttled",
        "throttled",
        "throttled"
      ])
    }))
})

describe("a deadline", () => {
  it.effect("of the client is one for each request of a list", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Testing.after("800 millis", Node.echo))
      const node = yield* Node.make(wire, { config: { deadline: "1 second" } })
      const outcomes = yield* Client.within("3200 millis")(echoes(node, 4, { maxCount: 1, concurrency: 1 }))
      assert.deepStrictEqual(told(outcomes), [0, 1, 2, 3])
    }))

  it.effect("around a list is one for all of it: what is left is not sent", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Testing.after("1 second", Node.echo))
      const node = yield* Node.make(wire)
      const list = Deadline.withDeadline(echoes(node, 4, { maxCount: 1, concurrency: 1 }), "1500 millis")
      const outcomes = yield* Client.within("1500 millis")(list)
      assert.deepStrictEqual(told(outcomes), [0, "TimedOut", "TimedOut", "TimedOut"])
      assert.strictEqual(wire.sent.length, 2)
    }))
})

describe("a list that is interrupted", () => {
  it.effect("ends at once, and so do its requests", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Testing.silence)
      const node = yield* Node.make(wire)
      const fiber = yield* Effect.fork(echoes(node, 3, { maxCount: 1, concurrency: 2 }))
      yield* TestClock.adjust("1 second")
      assert.isTrue(Exit.isInterrupted(yield* Fiber.interrupt(fiber)))
      assert.deepStrictEqual([wire.sent.length, wire.interrupted()], [2, 2])
    }))
})

describe("a list of calls of several methods", () => {
  const alice = "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed"

  it.effect("has a typed result for each", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Node.node(({ method }) => ({ result: method === "klay_getCode" ? 5 : "0x10" })))
      const node = yield* Node.make(wire)
      const [balance, height, code, bad] = yield* node.runAll([
        Method.call(accountMethods.getBalance, alice),
        Method.call(chainMethods.chainId),
        Method.call(accountMethods.getCode, alice, 5n),
        Method.call(accountMethods.getBalance, "nobody")
      ])
      const sum: bigint = (yield* balance) + BigInt(yield* height)
      assert.strictEqual(sum, 32n)
      assert.deepStrictEqual(told([code, bad]), ["MalformedResponse", "InvalidInput"])
      assert.deepStrictEqual(
        wire.sent.map((sent) => Node.requestsIn(sent).map(({ method, params }) => [method, ...params])),
        [[
          ["klay_getBalance", alice, "latest"],
          ["klay_chainID"],
          ["klay_getCode", alice, "0x5"]
        ]]
      )
    }))

  it.effect("is sent in the namespace of the client", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Node.node(() => ({ result: "0x10" })))
      const node = yield* Node.make(wire, { namespace: "kaia" })
      yield* node.runAll([Method.call(chainMethods.chainId)])
      assert.deepStrictEqual(Node.methods(wire), [["kaia_chainID"]])
    }))

  it.effect("is answered by a node without HTTP too", () =>
    Effect.gen(function*() {
      const node = TestNode.make({
        klay_getBalance: ([account]) => account === alice ? "0x10" : new TestNode.Said(-32000, "missing trie node")
      })
      const outcomes = yield* node.use((one) =>
        one.runEach(accountMethods.getBalance, [[alice], [alice.replace("5a", "5b")], ["nobody"], [alice, 7n]])
      )
      assert.deepStrictEqual(told(outcomes), [16n, "StatePruned", "InvalidInput", 16n])
      assert.deepStrictEqual(node.asked.at(-1), ["klay_getBalance", alice, "0x7"])
    }))
})

describe("the telemetry of a list", () => {
  it.effect("has one span for it, above those of its requests", () =>
    Effect.gen(function*() {
      const tracer = Testing.tracer()
      const node = yield* Node.make(Testing.wire(Node.echo))
      yield* tracer.use(echoes(node, 3, { maxCount: 2 }))
      const names = new Map(tracer.spans.map(({ id, name }) => [id, name]))
      assert.deepStrictEqual(
        tracer.spans.filter(({ name }) => name.startsWith("node.")).map(({ name, parent }) => [
          name,
          names.get(parent ?? "")
        ]),
        [["node.runEach", undefined], ["node.exchange", "node.runEach"], ["node.exchange", "node.runEach"]]
      )
    }))
})
