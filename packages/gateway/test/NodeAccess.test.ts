import * as Methods from "@effect-klaytn/node/Methods"
import { maxBytes } from "@effect-klaytn/service/Route"
import { noble } from "@effect-klaytn/transaction/Secp256k1"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/TestClock"
import * as connect from "../src/internal/connect.js"
import { GatewayMetrics } from "../src/internal/GatewayMetrics.js"
import * as nodeApp from "../src/internal/nodeApp.js"
import * as unavailable from "../src/internal/unavailable.js"
import { isServed, limits } from "../src/NodeAccess.js"
import * as world from "./support/world.js"

/** A gateway in front of a proxy in front of a sandbox. The proxy forgets what the index has asked so far. */
const gatewayWith = (options: Parameters<typeof world.open>[1] = {}) =>
  Effect.gen(function*() {
    const sandbox = yield* world.sandbox
    const proxy = yield* world.proxyOf(`${sandbox.url}/rpc/${world.chain}`)
    const gateway = yield* world.open(proxy.url, options)
    yield* world.ready(gateway)
    return { sandbox, proxy, gateway }
  })

/** The requests of callers: those of the index have other methods. */
const asked = (proxy: world.Proxy, method: string) => proxy.seen.filter((seen) => seen.body.includes(`"${method}"`))

const json = ({ text }: world.Answer): unknown => JSON.parse(text)

describe("the methods that are passed on", () => {
  it("read, or send a raw transaction, and are of the chain's documented ones", () => {
    for (const prefix of ["klay", "kaia", "eth"]) {
      for (const name of ["getBalance", "call", "getLogs", "sendRawTransaction", "getTransactionReceipt"]) {
        assert.isTrue(isServed(`${prefix}_${name}`), name)
      }
      for (const name of ["sendTransaction", "sign", "newFilter", "getFilterLogs", "accounts", "subscribe"]) {
        assert.isFalse(isServed(`${prefix}_${name}`), name)
      }
    }
    for (
      const name of [
        "debug_traceBlockByNumber",
        "admin_peers",
        "personal_unlockAccount",
        "txpool_content",
        "governance_vote",
        "ETH_getBalance",
        "constructor",
        "eth_",
        ""
      ]
    ) assert.isFalse(isServed(name), name)
    const namespaces = new Set(
      Methods.all.filter(({ name, namespace }) => isServed(`${namespace}_${name}`)).map((one) => one.namespace)
    )
    assert.deepStrictEqual([...namespaces].sort(), ["eth", "klay", "net", "rpc", "web3"])
  })
})

describe("requests to the node", () => {
  it.scopedLive("are written anew: IDs are kept, and no header, ID or further member of the caller reaches the node", () =>
    Effect.gen(function*() {
      const { gateway, proxy } = yield* gatewayWith()
      const body = `[
        {"jsonrpc":"2.0","id":"a b","method":"klay_gasPrice","params":[],"Method":"debug_setHead","canary":"caller-canary"},
        {"jsonrpc":"2.0","id":12345678901234567890,"method":"klay_gasPrice"},
        {"jsonrpc":"2.0","id":null,"method":"net_version","params":null},
        {"jsonrpc":"2.0","method":"klay_gasPrice"}
      ]`
      const headers = {
        authorization: "Basic Y2FsbGVyOmNhbmFyeS1vZi1jYWxsZXI=",
        cookie: "caller-canary",
        "x-canary": "1"
      }
      const { status, text } = yield* world.rpc(gateway, body, headers)
      assert.strictEqual(status, 200)
      assert.strictEqual(
        text,
        "[{\"jsonrpc\":\"2.0\",\"id\":\"a b\",\"result\":\"0x66720b300\"}," +
          "{\"jsonrpc\":\"2.0\",\"id\":12345678901234567890,\"result\":\"0x66720b300\"}," +
          "{\"jsonrpc\":\"2.0\",\"id\":null,\"result\":\"1001\"}]"
      )
      const [seen] = asked(proxy, "klay_gasPrice")
      assert(seen !== undefined)
      assert.deepStrictEqual(
        JSON.parse(seen.body).map((one: Record<string, unknown>) => Object.keys(one).sort().join()),
        Array.from({ length: 4 }, () => "id,jsonrpc,method,params")
      )
      assert.notMatch(JSON.stringify(seen), /canary|debug_setHead|Y2Fsb|12345678901234567890/)
    }))

  it.scopedLive("are answered here where they are not passed on, in their places", () =>
    Effect.gen(function*() {
      const { gateway, proxy } = yield* gatewayWith()
      const answer = yield* world.rpc(gateway, [
        world.call("debug_traceBlockByNumber", "0x1"),
        7,
        { ...world.call("klay_gasPrice"), id: {} },
        { ...world.call("klay_gasPrice"), params: { a: 1 } },
        world.call("klay_gasPrice")
      ])
      const codes = (json(answer) as ReadonlyArray<{ readonly error?: { readonly code: number } }>)
        .map(({ error }) => error?.code)
      assert.deepStrictEqual(codes, [-32601, -32600, -32600, -32602, undefined])
      assert.strictEqual(asked(proxy, "debug_traceBlockByNumber").length, 0)
      const single = (body: string) =>
        Effect.map(world.rpc(gateway, body), (one) =>
          (json(one) as { readonly error: { readonly code: number } }).error.code)
      assert.strictEqual(yield* single("{"), -32700)
      assert.strictEqual(yield* single("[]"), -32600)
      assert.strictEqual(yield* single("[".repeat(100_000)), -32700)
      const long = `{"jsonrpc":"2.0","id":1,"method":"klay_getBlockByNumber","params":[12345678901234567890,false]}`
      assert.strictEqual(yield* single(long), -32602)
      const nothing = yield* world.rpc(gateway, { jsonrpc: "2.0", method: "debug_setHead", params: [] })
      assert.deepStrictEqual([nothing.status, nothing.text], [200, ""])
    }))

  it.scopedLive("have limits: bytes, calls, and a content type that no form of a web page has", () =>
    Effect.gen(function*() {
      const { gateway, proxy } = yield* gatewayWith()
      const padding = "0".repeat(maxBytes)
      const before = asked(proxy, "klay_gasPrice").length
      assert.strictEqual((yield* world.rpc(gateway, world.call("klay_gasPrice", padding))).status, 413)
      // Without a length in the headers, the rest of the body is not read: the connection is cut.
      const streamed = world.send(`${gateway.url}/v1/klaytn`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: new Blob([JSON.stringify(world.call("klay_gasPrice", padding))]).stream(),
        ...{ duplex: "half" }
      })
      assert.isTrue(Exit.isFailure(yield* Effect.exit(streamed)))
      const plain = { "content-type": "text/plain" }
      assert.strictEqual((yield* world.rpc(gateway, world.call("klay_gasPrice"), plain)).status, 415)
      const many = Array.from({ length: limits.calls + 1 }, () => world.call("klay_gasPrice"))
      assert.match((yield* world.rpc(gateway, many)).text, /"code":-32600,"message":"a batch has 1000 calls at most/)
      assert.strictEqual(asked(proxy, "klay_gasPrice").length, before)
      const most = yield* world.rpc(gateway, many.slice(1))
      assert.strictEqual((json(most) as ReadonlyArray<unknown>).length, limits.calls)
    }))

  it.scopedLive("keep every digit of a result, and the data of a revert", () =>
    Effect.gen(function*() {
      const { gateway, proxy } = yield* gatewayWith()
      const data = `0x08c379a0${"20".padEnd(64, "0")}`
      proxy.answer = (seen, response) => {
        const calls: ReadonlyArray<{ readonly id: number }> = JSON.parse(seen.body)
        const results = [
          `"result":{"amount":123456789012345678901234567890,"text":"a 1"}`,
          `"error":{"code":3,"message":"execution reverted","data":"${data}"}`
        ]
        response.end(`[${calls.map(({ id }, i) => `{"jsonrpc":"2.0","id":${id},${results[i]}}`).join(",")}]`)
      }
      const { text } = yield* world.rpc(
        gateway,
        [world.call("klay_getReward"), world.call("klay_call")].map((one) => ({
          ...one,
          method: "klay_call"
        }))
      )
      assert.strictEqual(
        text,
        "[{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"amount\":123456789012345678901234567890,\"text\":\"a 1\"}}," +
          `{"jsonrpc":"2.0","id":1,"error":{"code":3,"message":"execution reverted","data":"${data}"}}]`
      )
    }))
})

describe("a node that fails", () => {
  it.scopedLive("is answered with the service's form and a status, and gets a raw transaction once", () =>
    Effect.gen(function*() {
      const { gateway, proxy } = yield* gatewayWith()
      const raw = world.call("klay_sendRawTransaction", "0x01")
      const failing = (answer: world.Proxy["answer"], body: unknown = raw) =>
        Effect.gen(function*() {
          proxy.answer = answer
          const before = asked(proxy, "klay_sendRawTransaction").length
          const { status, text } = yield* world.rpc(gateway, body)
          const { code, message, requestId } = JSON.parse(text)
          assert.strictEqual(typeof requestId, "string")
          assert.strictEqual(code, 1_041_000)
          return [status, message, asked(proxy, "klay_sendRawTransaction").length - before]
        })
      const unknown = "it is not known whether the node got the transaction: look up its hash before you send it again"
      assert.deepStrictEqual(yield* failing((_, response) => response.destroy()), [502, unknown, 1])
      assert.deepStrictEqual(yield* failing((_, response) => response.writeHead(503).end()), [502, unknown, 1])
      const read = world.call("klay_gasPrice")
      assert.deepStrictEqual(yield* failing((_, response) => response.destroy(), read), [
        502,
        "the node can't be reached",
        0
      ])
      assert.deepStrictEqual(yield* failing((_, response) => response.writeHead(401).end(), read), [
        502,
        "the node refuses the credential of this gateway",
        0
      ])
      assert.deepStrictEqual(yield* failing((_, response) => response.writeHead(429).end(), read), [
        503,
        "the node throttles this gateway",
        0
      ])
    }))

  it.effect("and does not answer: a caller learns that the outcome of a transaction is not known, in time", () =>
    Effect.gen(function*() {
      const metrics = new GatewayMetrics()
      const silent = HttpClient.make(() => Effect.never)
      const client = yield* connect.client({ url: "http://127.0.0.1:1" }, world.chain, "caller", metrics).pipe(
        Effect.provideService(HttpClient.HttpClient, silent)
      )
      const app = yield* nodeApp.make({
        client,
        metrics,
        unavailable: unavailable.make({ next: () => "1" }),
        callerOf: () => undefined,
        whyClosed: Effect.succeed(undefined)
      })
      const answer = (body: object) =>
        Effect.gen(function*() {
          const headers = { "content-type": "application/json" }
          const request = new Request("http://gateway", { method: "POST", headers, body: JSON.stringify(body) })
          const served = yield* Effect.fork(
            Effect.provideService(app, HttpServerRequest.HttpServerRequest, HttpServerRequest.fromWeb(request))
          )
          // The body of a request is read in real time.
          yield* Effect.promise(() => new Promise((done) => setTimeout(done, 20)))
          yield* TestClock.adjust(`${limits.seconds} seconds`)
          return (yield* Fiber.join(served)).status
        })
      assert.strictEqual(yield* answer(world.call("klay_sendRawTransaction", "0x01")), 502)
      assert.strictEqual(yield* answer(world.call("klay_gasPrice")), 504)
    }))

  it.scopedLive("can't send the gateway elsewhere: redirects are not followed", () =>
    Effect.gen(function*() {
      const { gateway, proxy } = yield* gatewayWith()
      const elsewhere = yield* world.proxyOf(proxy.url)
      proxy.answer = (_, response) => response.writeHead(307, { location: elsewhere.url }).end()
      assert.strictEqual((yield* world.rpc(gateway, world.call("klay_gasPrice"))).status, 502)
      assert.deepStrictEqual(elsewhere.seen, [])
    }))
})

describe("a raw transaction", () => {
  it.scopedLive("reaches the chain", () =>
    Effect.gen(function*() {
      const { gateway, sandbox } = yield* gatewayWith()
      const { chains: { account, chain } } = sandbox
      const alice = account("alice")
      const made = Transaction.make({
        type: "ValueTransfer",
        from: alice.address,
        to: account("bob").address,
        value: 5n,
        nonce: 0n,
        gas: 25_000n,
        gasPrice: 25_000_000_000n
      })
      const signed = made.ok
        ? Transaction.signAsSender(made.value, {
          chainId: world.chain,
          privateKey: Redacted.value(alice.privateKey),
          curve: noble
        })
        : made
      const raw = signed.ok ? Transaction.encode(signed.value) : signed
      assert(raw.ok)
      const { text } = yield* world.rpc(gateway, world.call("kaia_sendRawTransaction", raw.value))
      const { result } = JSON.parse(text)
      const found = Option.getOrThrow(yield* chain(world.chain).transaction(result))
      assert.deepInclude(found, { from: alice.address, value: 5n, status: 1 })
    }))
})
