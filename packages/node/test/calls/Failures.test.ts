import * as Deadline from "@effect-klaytn/core/Deadline"
import * as RetryPolicy from "@effect-klaytn/core/RetryPolicy"
import * as Testing from "@effect-klaytn/core/Testing"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as TestClock from "effect/TestClock"
import * as Client from "../../../core/test/support/client.js"
import { SteppedClock } from "../../../core/test/support/steppedClock.js"
import * as Eip1193 from "../../src/Eip1193.js"
import * as KlaytnNode from "../../src/KlaytnNode.js"
import { RpcFailed } from "../../src/RpcError.js"
import * as Node from "../support/node.js"

const says = (code: number, message: string): Testing.Step => Node.node(() => ({ error: { code, message } }))

/** Every line that is logged while failing calls of all kinds are made. */
const logged = (answer: Testing.Step) =>
  Effect.gen(function*() {
    const lines: Array<unknown> = []
    const logger = Logger.make(({ cause, message }) => void lines.push(message, cause))
    yield* Effect.gen(function*() {
      const node = yield* Node.make(Testing.wire(answer))
      const provider = yield* Effect.provideService(Eip1193.make, KlaytnNode.KlaytnNode, node)
      const calls = yield* Effect.fork(
        Effect.all([
          Effect.exit(node.klay.blockNumber()),
          Effect.exit(node.klay.getBalance("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed")),
          Effect.exit(node.klay.sendRawTransaction("0x01")),
          Effect.exit(Deadline.withDeadline(node.klay.gasPrice(), "10 millis")),
          Effect.promise(() => provider.request({ method: "eth_chainId" }).catch(() => undefined))
        ], { concurrency: "unbounded" })
      )
      yield* TestClock.adjust("10 minutes")
      yield* Fiber.join(calls)
    }).pipe(
      Effect.provide(Logger.replace(Logger.defaultLogger, logger)),
      Logger.withMinimumLogLevel(LogLevel.All)
    )
    return lines
  })

describe("a call that fails", () => {
  it.effect.each<readonly [name: string, answer: Testing.Step]>([
    ["the service is down", Testing.text(503, "")],
    ["no answer comes", Testing.silence],
    ["the connection breaks", Testing.broken(Testing.networkError("ECONNRESET"))],
    ["the body is too large", Testing.text(413, "")],
    ["the node says no", says(-32000, "no")],
    ["the node has too much to do", says(-32005, "slow down")]
  ])("is logged by nobody but its caller, when %s", ([, answer]) =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* logged(answer), [])
    }))

  it.effect("can be written as JSON, whatever the node has in its data", () =>
    Effect.gen(function*() {
      const body =
        "{\"id\":1,\"error\":{\"code\":1,\"message\":\"no\",\"data\":[9007199254740993,{\"a\":-12345678901234567890}]}}"
      const node = yield* Node.make(Testing.wire(Node.body(body)))
      const error = yield* Effect.flip(node.klay.blockNumber())
      assert.instanceOf(error, RpcFailed)
      assert.deepStrictEqual(error.data, ["9007199254740993", { a: "-12345678901234567890" }])
      assert.include(JSON.stringify(error), "9007199254740993")
      const { klay } = yield* Effect.provide(
        KlaytnNode.KlaytnNode,
        KlaytnNode.layerTest(() => Effect.fail({ code: 1, message: "no", data: 9007199254740993n }))
      )
      assert.include(JSON.stringify(yield* Effect.flip(klay.blockNumber())), "9007199254740993")
    }))
})

describe("a clock that is set while a call is under way", () => {
  it.effect.each([["forward", 3_600_000], ["back", -3_600_000]] as const)(
    "%s moves neither the deadline nor the waits of calls that the node is too busy for",
    ([, step]) =>
      Effect.gen(function*() {
        const clock = new SteppedClock()
        const wire = Testing.wire((sent) => {
          clock.stepMillis += step
          clock.passedMillis += 1200
          return says(-32005, "slow down")(sent)
        })
        const retry = RetryPolicy.make({ attempts: 9, baseDelay: "100 millis" })
        const node = yield* Node.make(wire, { config: { deadline: "4 seconds", retry } })
        const error = yield* Effect.flip(node.klay.blockNumber()).pipe(Client.longestWaits, Effect.withClock(clock))
        // 100 and 200 ms of waiting, and no place for the next 400 behind a third attempt.
        assert.deepStrictEqual([error._tag, wire.sent.length, clock.passedMillis], ["RateLimited", 3, 3900])
      })
  )
})
