import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as HashMap from "effect/HashMap"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import { klay, open } from "./support/walletWorld.js"
import * as world from "./support/world.js"

const bob = `0x${"b0".repeat(20)}` as const

/** A wallet whose node a test can break, with a funded account. */
const start = Effect.gen(function*() {
  const sandbox = yield* Sandbox.make({ seed: "trouble" })
  const chain = sandbox.chains.chain(world.chain)
  const proxy = yield* world.proxyOf(`${sandbox.url}/rpc/${world.chain}`)
  const { ask } = yield* open(yield* world.file("index.db"), proxy.url)
  const { body: { address } } = yield* ask("POST", "/v2/account", {})
  yield* chain.fund(`0x${address.slice(2).toLowerCase()}`, 100n * klay)
  const pay = ask("POST", "/v2/tx/value", { from: address, to: bob, value: "0x5", submit: true })
  const received = Effect.map(chain.account(bob), Option.match({ onNone: () => 0n, onSome: ({ balance }) => balance }))
  return { ask, from: address, pay, proxy, received }
})

describe("the wallet's node", () => {
  it.scopedLive(
    "that hangs keeps no request for longer than the time that the page says, also of one account",
    () =>
      Effect.gen(function*() {
        const { pay, proxy, received } = yield* start
        assert.strictEqual((yield* pay).status, 200)
        // Requests are taken, and never answered.
        proxy.answer = () => {}
        const began = Date.now()
        const answers = yield* Effect.all(Array.from({ length: 5 }, () => pay), { concurrency: "unbounded" })
        assert.isBelow(Date.now() - began, 20_000)
        assert.deepStrictEqual(answers.map(({ body, status }) => [status, body.code]), Array(5).fill([500, 1041000]))
        assert.strictEqual(yield* received, 5n)
      }),
    60_000
  )

  it.scopedLive("that gives no answer is named to the caller, with what to do, and once in the log under its request ID", () => {
    const logged: Array<string> = []
    const logger = Logger.make(({ annotations, logLevel, message }) => {
      logged.push([logLevel.label, message, HashMap.toValues(annotations)].flat().join(" "))
    })
    return Effect.gen(function*() {
      const { ask, from, proxy } = yield* start
      proxy.answer = (_, response) => void response.destroy()
      const payment = { from, to: bob, value: "0x5", submit: true }
      const asked = [
        [ask("POST", "/v2/tx/value", payment, { "idempotency-key": "one" }), "repeat it with the same Idempotency-Key"],
        [
          ask("POST", "/v2/tx/value", payment),
          "without an Idempotency-Key, look whether it was done before you repeat it"
        ],
        [ask("GET", `/v2/tx/0x${"1".repeat(64)}`), "ask again"]
      ] as const
      for (const [answer, advice] of asked) {
        const { body, headers, status } = yield* answer
        assert.deepStrictEqual([status, body.code, headers.get("retry-after")], [500, 1041000, "2"])
        assert.match(
          body.message,
          /^\[InternalServerError\]the node behind this wallet gave no answer that can be used \(\w+\): /
        )
        assert.include(body.message, advice)
        const lines = logged.filter((line) => line.includes(body.requestId))
        assert.strictEqual(lines.length, 1, logged.join("\n"))
        assert.match(lines[0] ?? "", /^WARN a request was not answered: the node did not answer \w+: .*caller-/)
      }
    }).pipe(Effect.provide(Logger.add(logger)))
  })

  it.scopedLive("that gives no answer is told to whoever runs the gateway, and not to a caller of a service", () =>
    Effect.gen(function*() {
      const proxy = yield* world.proxyOf("http://127.0.0.1:9")
      proxy.answer = (_, response) => void response.destroy()
      const gateway = yield* world.open(proxy.url, { chain: world.chain })
      const failure = Effect.map(gateway.status, ({ node }) => node.failure)
      yield* world.until(Effect.map(failure, (text) => text !== undefined))
      assert.match(
        (yield* failure) ?? "",
        /no answer \(\w+\); look whether the node of --node or KLAYTN_OWN_NODE_URL is running/
      )
    }))

  it.scopedLive(
    "that is on another chain all at once is sent nothing, and believed nothing, until it is back",
    () =>
      Effect.gen(function*() {
        const { pay, proxy, received } = yield* start
        assert.strictEqual((yield* pay).status, 200)
        proxy.answer = ({ body }, response) => {
          if (!body.includes("chainID")) return proxy.passOn(body, response)
          const asked: { readonly id: number; readonly method: string } | ReadonlyArray<{ readonly id: number }> = JSON
            .parse(body)
          const answers = [asked].flat().map(({ id }) => ({ jsonrpc: "2.0", id, result: "0x2019" }))
          response.writeHead(200, { "content-type": "application/json" })
          response.end(JSON.stringify(Array.isArray(asked) ? answers : answers[0]))
        }
        yield* Effect.sleep("1100 millis")
        const before = proxy.seen.length
        const { body, status } = yield* pay
        assert.deepStrictEqual([status, body.code], [500, 1041000])
        assert.isFalse(proxy.seen.slice(before).some(({ body }) => body.includes("sendRawTransaction")))
        assert.strictEqual(yield* received, 5n)
        proxy.answer = undefined
        yield* world.until(Effect.map(pay, ({ status }) => status === 200))
        assert.isAtLeast(Number(yield* received), 10)
      }),
    40_000
  )

  it.scopedLive("that names a height once which it has not reached stops no account", () =>
    Effect.gen(function*() {
      const { pay, proxy } = yield* start
      proxy.answer = ({ body }, response) => {
        if (!body.includes("klay_blockNumber")) return proxy.passOn(body, response)
        proxy.answer = undefined
        const asked: { readonly id: number } | ReadonlyArray<{ readonly id: number }> = JSON.parse(body)
        const answers = [asked].flat().map(({ id }) => ({ jsonrpc: "2.0", id, result: "0xffff" }))
        response.writeHead(200, { "content-type": "application/json" })
        response.end(JSON.stringify(Array.isArray(asked) ? answers : answers[0]))
      }
      yield* pay
      assert.isUndefined(proxy.answer)
      yield* world.until(Effect.map(pay, ({ status }) => status === 200))
    }), 40_000)
})
