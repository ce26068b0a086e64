import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import { GatewayStatus } from "../src/GatewayStatus.js"
import * as world from "./support/world.js"

const sampleOf = (text: string, name: string): number | undefined => {
  const line = text.split("\n").find((one) => one.startsWith(`${name} `) || one.startsWith(`${name}{`))
  return line === undefined ? undefined : Number(line.slice(line.lastIndexOf(" ") + 1))
}

const readyStatus = (url: string) => Effect.map(world.send(`${url}/ready`), ({ status }) => status)

describe("readiness", () => {
  it.scopedLive(
    "comes when every block is there, goes when the index is behind, and comes back",
    () =>
      Effect.gen(function*() {
        const sandbox = yield* world.sandbox
        const chain = sandbox.chains.chain(world.chain)
        yield* chain.mine(3)
        const proxy = yield* world.proxyOf(`${sandbox.url}/rpc/${world.chain}`)
        // The node says how high it is, and no block.
        const refuseBlocks: world.Proxy["answer"] = (seen, response) => {
          if (seen.body.includes("getBlockByNumber")) return void response.writeHead(500).end()
          proxy.passOn(seen.body, response)
        }
        proxy.answer = refuseBlocks
        const gateway = yield* world.open(proxy.url)
        yield* world.until(Effect.map(gateway.status, ({ node }) => node.head === 3))
        assert.strictEqual(yield* readyStatus(gateway.url), 503)
        assert.strictEqual((yield* world.send(`${gateway.url}/health`)).status, 200)
        const early = yield* world.send(`${gateway.url}/v2/contract/ft`)
        assert.deepStrictEqual([early.status, early.headers.get("retry-after")], [503, "10"])
        assert.deepInclude((yield* gateway.status).lag, { blocks: 4 })
        proxy.answer = undefined
        yield* world.ready(gateway)
        proxy.answer = refuseBlocks
        yield* chain.mine(1)
        yield* world.until(Effect.map(readyStatus(gateway.url), (status) => status === 503))
        // What is indexed is served: only the newest block is missing.
        assert.strictEqual((yield* world.send(`${gateway.url}/v2/contract/ft`)).status, 200)
        proxy.answer = undefined
        yield* world.ready(gateway)
      }),
    60_000
  )

  it.scopedLive("does not need the node at the start, if the index is not new", () =>
    Effect.gen(function*() {
      const sandbox = yield* world.sandbox
      yield* sandbox.chains.chain(world.chain).mine(2)
      const proxy = yield* world.proxyOf(`${sandbox.url}/rpc/${world.chain}`)
      const database = yield* world.file("index.db")
      yield* Effect.scoped(Effect.flatMap(world.open(proxy.url, { database }), world.ready))
      const broken: ReadonlyArray<world.Proxy["answer"]> = [
        (_, response) => response.destroy(),
        (_, response) => response.end("<html>busy</html>"),
        (_, response) => response.end(`{"jsonrpc":"2.0","id":1,"error":{"code":-32005,"message":"too many"}}`)
      ]
      for (const answer of broken) {
        yield* Effect.scoped(Effect.gen(function*() {
          proxy.answer = answer
          const gateway = yield* world.open(proxy.url, { database })
          assert.strictEqual((yield* world.send(`${gateway.url}/v2/contract/ft`)).status, 200)
          assert.strictEqual(yield* readyStatus(gateway.url), 503)
          const failures = Effect.map(
            world.send(`${gateway.url}/metrics`),
            ({ text }) => sampleOf(text, "klaytn_gateway_follow_failures_total") ?? 0
          )
          yield* world.until(Effect.map(failures, (count) => count > 0))
          proxy.answer = undefined
          yield* world.ready(gateway)
        }))
      }
      proxy.answer = (_, response) => response.destroy()
      const refused = yield* Effect.flip(Effect.scoped(world.open(proxy.url)))
      assert.deepInclude(refused, { _tag: "GatewayError", reason: "Node" })
    }), 60_000)
})

describe("what a gateway says of itself", () => {
  it.scopedLive("stops in an order: /ready is 503, what is under way is answered, and then nothing is served any more", () =>
    Effect.gen(function*() {
      const { url } = yield* world.sandbox
      const proxy = yield* world.proxyOf(`${url}/rpc/${world.chain}`)
      const scope = yield* Scope.make()
      const gateway = yield* Scope.extend(world.open(proxy.url), scope)
      yield* world.ready(gateway)
      const held: Array<() => void> = []
      proxy.answer = ({ body }, response) =>
        body.includes("gasPrice") ? void held.push(() => proxy.passOn(body, response)) : proxy.passOn(body, response)
      const asked = yield* Effect.fork(world.rpc(gateway, world.call("klay_gasPrice")))
      yield* world.until(Effect.sync(() => held.length > 0))
      const stopping = yield* Effect.fork(Scope.close(scope, Exit.void))
      // A connection that was kept may end just when it is used again.
      const ready = world.send(`${gateway.url}/ready`).pipe(Effect.sandbox, Effect.retry({ times: 3 }), Effect.orDie)
      yield* world.until(Effect.map(ready, ({ status }) => status === 503))
      assert.strictEqual(JSON.parse((yield* ready).text).notReady, "this process stops")
      held.forEach((answer) => answer())
      assert.match((yield* Fiber.join(asked)).text, /"result":"0x/)
      yield* Fiber.join(stopping)
      assert.isDefined((yield* Effect.exit(ready)).pipe(Exit.causeOption, Option.getOrUndefined))
    }))

  it.scopedLive("has the schema of its status, and counts in the form of Prometheus", () =>
    Effect.gen(function*() {
      const sandbox = yield* world.sandbox
      const chain = sandbox.chains.chain(world.chain)
      const control = sandbox.control.chain(world.chain)
      yield* control.transfer({ from: "alice", to: "bob", amount: 1n })
      const gateway = yield* world.open(`${sandbox.url}/rpc/${world.chain}`)
      yield* world.ready(gateway)
      yield* world.send(`${gateway.url}/v2/contract/ft`)
      yield* world.rpc(gateway, [world.call("klay_gasPrice"), world.call("debug_setHead")])
      const { text } = yield* world.send(`${gateway.url}/status`)
      const status = yield* Schema.decodeUnknown(Schema.parseJson(GatewayStatus))(text)
      const { number } = yield* chain.head
      assert.deepInclude(status, { chain: 1001, isReady: true })
      assert.deepInclude(status.index, { from: 0, blocksIndexed: number + 1, transfersIndexed: 1 })
      assert.strictEqual(status.lag?.blocks, 0)
      const metrics = yield* world.send(`${gateway.url}/metrics`)
      assert.match(metrics.headers.get("content-type") ?? "", /^text\/plain; version=0\.0\.4/)
      const sample = (name: string) => sampleOf(metrics.text, `klaytn_gateway_${name}`)
      assert.strictEqual(sample("ready"), 1)
      assert.strictEqual(sample("node_head_block"), number)
      assert.strictEqual(sample("index_head_block"), number)
      assert.strictEqual(sample("lag_blocks"), 0)
      assert.strictEqual(sample("blocks_indexed_total"), number + 1)
      assert.strictEqual(sample("transfers_indexed_total"), 1)
      assert.strictEqual(sample("reorgs_total"), 0)
      assert.strictEqual(sample("node_calls_total{outcome=\"passed\"}"), 1)
      assert.strictEqual(sample("node_calls_total{outcome=\"refused\"}"), 1)
      assert.strictEqual(sample("node_requests_total{purpose=\"caller\",outcome=\"success\"}"), 1)
      assert.isAbove(sample("node_requests_total{purpose=\"index\",outcome=\"success\"}") ?? 0, 1)
      const page = "request_duration_seconds_count{operation=\"tokens.getFtContracts\",status=\"200\"}"
      assert.strictEqual(sample(page), 1)
      // The clients of core count how they ask the node.
      assert.match(metrics.text, /^klaytn_client_attempts_total\{.*outcome="success"/m)
      assert.match(metrics.text, /^# TYPE klaytn_client_operation_duration_seconds histogram$/m)
    }))

  it.scopedLive("never shows the credential of the node, whatever the node says", () =>
    Effect.gen(function*() {
      const sandbox = yield* world.sandbox
      const proxy = yield* world.proxyOf(`${sandbox.url}/rpc/${world.chain}`)
      const logged: Array<string> = []
      const logger = Logger.replace(
        Logger.defaultLogger,
        Logger.make(({ cause, message }) => void logged.push(JSON.stringify([message, cause])))
      )
      const [canary, key] = ["canary-of-the-node-0123", "canary-in-the-path-4567"]
      const node = {
        url: Redacted.make(`${proxy.url}/${key}`),
        authorization: Redacted.make(`Bearer ${canary}`)
      }
      const gateway = yield* Effect.provide(
        world.start({ node, database: ":memory:", access: "anyone", maxLag: 0 }),
        logger
      )
      yield* world.ready(gateway)
      assert.strictEqual(proxy.seen[0]?.headers.authorization, `Bearer ${canary}`)
      const outputs: Array<string> = []
      const echo = `Bearer ${canary} at ${proxy.url}/${key} ${encodeURIComponent(canary)}`
      const answers: ReadonlyArray<world.Proxy["answer"]> = [
        (_, response) => response.writeHead(401).end(echo),
        (_, response) => response.writeHead(500).end(echo),
        (_, response) => response.end(echo),
        (_, response) =>
          response.end(
            JSON.stringify({ jsonrpc: "2.0", id: 1, error: { code: -32000, message: echo, data: { echo } } })
          ),
        (_, response) => response.writeHead(302, { location: `${proxy.url}/${key}?${canary}` }).end(),
        (_, response) => response.destroy()
      ]
      for (const answer of answers) {
        proxy.answer = answer
        for (const method of ["klay_gasPrice", "klay_sendRawTransaction"]) {
          outputs.push((yield* world.rpc(gateway, world.call(method, "0x"))).text)
        }
        yield* world.until(Effect.map(gateway.status, ({ node }) => node.failure !== undefined))
        for (const path of ["/status", "/metrics", "/ready", "/health"]) {
          outputs.push((yield* world.send(`${gateway.url}${path}`)).text)
        }
      }
      assert.isAbove(logged.length, 0)
      assert.include(outputs.join("\n"), "<redacted>")
      assert.notMatch([...outputs, ...logged].join("\n"), /canary/)
    }), 60_000)
})
