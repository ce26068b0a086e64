import * as OwnNode from "@effect-klaytn/core/OwnNode"
import * as Testing from "@effect-klaytn/core/Testing"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Socket from "@effect/platform/Socket"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/TestClock"
import * as NodeReport from "../../src/NodeReport.js"

interface Request {
  readonly id: number
  readonly method: string
  readonly params: ReadonlyArray<string>
}

const key = "key-of-the-path"
const head = 2_000_000n

const refusal = (code: number, message: string) => ({ error: { code, message } })

/** A full node that has the state of 1,000 blocks, at the time 0. */
const full = ({ method, params }: Request): object => {
  switch (method.replace(/^(kaia|klay|eth)_/, "")) {
    case "blockNumber":
      return { result: `0x${head.toString(16)}` }
    case "chainId":
    case "chainID":
      return { result: "0x2019" }
    case "web3_clientVersion":
      return { result: "Klaytn/v2.1.0" }
    case "getBlockByNumber":
      return { result: { timestamp: "0x0" } }
    case "syncing":
      return { result: false }
    case "call":
      return refusal(3, "execution reverted")
    case "getLogs":
    case "getBlockReceipts":
    case "debug_traceBlockByNumber":
      return { result: [] }
    case "getBalance":
      return BigInt(params[1] ?? "") < head - 1000n ? refusal(-32000, "missing trie node") : { result: "0x0" }
    default:
      return refusal(-32601, "no such method")
  }
}

const answered = (calls: ReadonlyArray<Request>, answer: (call: Request) => object) => {
  const all = calls.map((call) => ({ jsonrpc: "2.0", id: call.id, ...answer(call) }))
  return Testing.json(200, calls.length === 1 ? all[0] : all)
}

type Form = (calls: ReadonlyArray<Request>, request: number) => Testing.Step

const nodeOf = (form: Form) => {
  let request = 0
  return Testing.wire((sent) => {
    const calls: ReadonlyArray<Request> = [JSON.parse(sent.body ?? "")].flat()
    return form(calls, request++)(sent)
  })
}

const inspect = (form: Form, options: NodeReport.Options = {}) => {
  const wire = nodeOf(form)
  return NodeReport.inspect(options).pipe(
    Effect.provide(OwnNode.layer({ chain: 8217, url: `${Testing.baseUrl}/${key}` })),
    Effect.provideService(HttpClient.HttpClient, wire.client),
    Effect.tap((report) => {
      assert.isAtMost(wire.sent.length, NodeReport.maxRequests)
      assert.notInclude(JSON.stringify({ ...report, chainId: 0, height: 0, oldestState: 0, syncing: 0 }), key)
    }),
    Effect.map((report) => ({ ...report, wire }))
  )
}

const usual: Form = (calls) => answered(calls, full)

const withoutMethod = (refused: string, code = -32601): Form => (calls) =>
  answered(calls, (call) => call.method === refused ? refusal(code, "refused") : full(call))

describe("NodeReport.inspect", () => {
  it.effect("says what a full node can do, within the requests it states, and sends nothing that changes a chain", () =>
    Effect.gen(function*() {
      const { wire, ...report } = yield* inspect(usual)
      assert.deepStrictEqual(report, {
        host: "127.0.0.1:8080",
        requests: wire.sent.length,
        clients: ["Klaytn/v2.1.0"],
        chainId: Option.some(8217n),
        height: Option.some(head),
        blockAge: Option.some(0),
        syncing: Option.some<false>(false),
        prefixes: ["kaia", "klay", "eth"],
        batch: 1000,
        blockRange: Option.some(10_000),
        blockReceipts: "yes",
        traces: "yes",
        unknownRevert: Option.none(),
        oldestState: Option.some(head - 1000n),
        hasSeveralNodes: false,
        throttled: 0,
        slowestMillis: 0,
        webSocket: { sameAddress: "unknown", service: "unknown" }
      })
      assert.isFalse(wire.sent.some(({ body }) => /send|sign/i.test(body ?? "")))
    }))

  it.effect("says how far a node that syncs has come, and when its chain is ahead of this machine's clock", () =>
    Effect.gen(function*() {
      const { blockAge, syncing } = yield* inspect((calls) =>
        answered(calls, (call) => {
          if (call.method.endsWith("_getBlockByNumber")) return { result: { timestamp: "0x64" } }
          return call.method.endsWith("_syncing")
            ? { result: { startingBlock: "0x0", currentBlock: "0x5", highestBlock: "0x10", pulledStates: "0x1" } }
            : full(call)
        })
      )
      assert.deepStrictEqual(blockAge, Option.some(-100))
      const at = { startingBlock: 0n, currentBlock: 5n, highestBlock: 16n, pulledStates: 1n }
      assert.deepStrictEqual(syncing, Option.some(at))
      assert.deepStrictEqual((yield* inspect(withoutMethod("kaia_syncing"))).syncing, Option.none())
    }))

  it.effect("names words for a refused call that are not known, and no others", () =>
    Effect.gen(function*() {
      const said = (code: number, message: string) =>
        Effect.map(
          inspect((calls) =>
            answered(calls, (call) => call.method.endsWith("_call") ? refusal(code, message) : full(call))
          ),
          ({ unknownRevert }) => Option.getOrUndefined(unknownRevert)
        )
      const known = ["execution reverted", "VM Exception while processing transaction: revert"]
      for (const message of known) assert.isUndefined(yield* said(-32000, message))
      assert.isUndefined(yield* said(3, "no"))
      assert.isUndefined(yield* said(-32601, "the method does not exist"))
      assert.strictEqual(yield* said(-32015, "Reverted 0x"), "Reverted 0x")
    }))

  it.effect("finds the size of a request that a node takes, however it refuses a larger one", () =>
    Effect.gen(function*() {
      const limited = (most: number, refuse: Testing.Step): Form => (calls) =>
        calls.length > most ? refuse : usual(calls, 0)
      const tooLarge = Testing.json(413, { error: "too large" })
      const exceeded = Testing.json(200, { jsonrpc: "2.0", id: null, ...refusal(-32005, "limit exceeded") })
      for (const refuse of [tooLarge, exceeded]) {
        const { batch, throttled } = yield* inspect(limited(10, refuse))
        assert.deepStrictEqual([batch, throttled], [10, 0])
      }
      assert.strictEqual((yield* inspect(limited(2, tooLarge))).batch, 2)
      assert.strictEqual((yield* inspect(limited(1, tooLarge))).batch, 1)
    }))

  it.effect("asks again where a connection broke, and not more often than the requests that it states", () =>
    Effect.gen(function*() {
      const reset = Testing.broken(Testing.networkError("ECONNRESET"))
      const { requests, wire, ...report } = yield* inspect((calls, request) =>
        request % 6 === 5 ? reset : usual(calls, 0)
      )
      const { wire: _, ...whole } = yield* inspect(usual)
      assert.deepStrictEqual({ ...report, requests: 0 }, { ...whole, requests: 0 })
      assert.strictEqual(requests, wire.sent.length)
      assert.isAbove(requests, whole.requests)
      const ending = (end: Testing.Step): Form => (calls, request) => request > 8 ? end : usual(calls, 0)
      const [dropped, busy] = [yield* inspect(ending(reset)), yield* inspect(ending(Testing.json(503, {})))]
      assert.strictEqual(dropped.requests, busy.requests + 4)
    }))

  it.effect("finds how many blocks a log search may have", () =>
    Effect.gen(function*() {
      const { blockRange, throttled } = yield* inspect((calls) =>
        answered(calls, (call) => {
          if (!call.method.endsWith("_getLogs")) return full(call)
          const { fromBlock, toBlock }: { fromBlock: string; toBlock: string } = JSON.parse(
            JSON.stringify(call.params[0])
          )
          return BigInt(toBlock) - BigInt(fromBlock) >= 100n ? refusal(-32005, "limit exceeded") : { result: [] }
        })
      )
      assert.deepStrictEqual([blockRange, throttled], [Option.some(100), 0])
    }))

  it.effect("tells a method that the node lacks from one whose answer was throttled", () =>
    Effect.gen(function*() {
      const lacking = yield* inspect(withoutMethod("debug_traceBlockByNumber"))
      assert.deepStrictEqual([lacking.traces, lacking.throttled], ["no", 0])
      const throttling = yield* inspect(withoutMethod("debug_traceBlockByNumber", -32005))
      assert.deepStrictEqual([throttling.traces, throttling.throttled], ["unknown", 1])
    }))

  it.effect("sees that two nodes share an address: by heights that go back, and by their versions", () =>
    Effect.gen(function*() {
      const pair = (method: string, result: string) =>
        inspect((calls, request) =>
          answered(calls, (call) => call.method.endsWith(method) && request % 2 === 1 ? { result } : full(call))
        )
      const lagging = yield* pair("_blockNumber", "0x1e8470")
      assert.deepStrictEqual([lagging.hasSeveralNodes, lagging.height], [true, Option.some(head)])
      const versions = yield* pair("_clientVersion", "Klaytn/v2.0.3")
      assert.isTrue(versions.hasSeveralNodes)
      assert.strictEqual(versions.clients.length, 2)
    }))

  it.effect("measures a slow node, and gives each request ten seconds", () =>
    Effect.gen(function*() {
      const slow: Form = (calls) =>
        Testing.after(calls[0]?.method === "debug_traceBlockByNumber" ? "1 hour" : "2 seconds", usual(calls, 0))
      const fiber = yield* Effect.fork(inspect(slow))
      yield* TestClock.adjust("10 minutes")
      const { slowestMillis, traces } = yield* Fiber.join(fiber)
      assert.deepStrictEqual([slowestMillis, traces], [10_000, "unknown"])
    }))

  it.effect("uses the prefixes that the node has, and a young chain's own blocks", () =>
    Effect.gen(function*() {
      const young: Form = (calls) =>
        answered(calls, (call) => {
          if (/^(kaia|klay)_/.test(call.method)) return refusal(-32601, "no such method")
          return call.method === "eth_blockNumber"
            ? { result: "0x3" }
            : { ...full(call), ...(call.method === "eth_getBalance" ? { result: "0x0", error: undefined } : {}) }
        })
      const { blockRange, oldestState, prefixes } = yield* inspect(young)
      assert.deepStrictEqual([prefixes, blockRange, oldestState], [["eth"], Option.some(4), Option.some(1n)])
    }))

  it.effect("fails if nothing answers, or the credential is refused", () =>
    Effect.gen(function*() {
      const down = yield* Effect.flip(inspect(() => Testing.text(503, "down")))
      assert.strictEqual(down._tag, "Unavailable")
      const refused = yield* Effect.flip(inspect(() => Testing.text(401, "who?")))
      assert.strictEqual(refused._tag, "Unauthorized")
    }))

  it.effect("tries WebSockets at the address and in the service's form, and reports no error of them", () =>
    Effect.gen(function*() {
      const tried: Array<string> = []
      const construct = (url: string) => {
        tried.push(url)
        throw new Error(url)
      }
      const { requests, webSocket, wire } = yield* Effect.provideService(
        inspect(usual, { webSocketUrl: Redacted.make(`ws://127.0.0.1:8080/${key}`) }),
        Socket.WebSocketConstructor,
        construct
      )
      assert.deepStrictEqual(tried, [`ws://127.0.0.1:8080/${key}`, "ws://127.0.0.1:8080/v1/ws/open?chain-id=8217"])
      assert.deepStrictEqual(webSocket, { sameAddress: "unknown", service: "unknown" })
      assert.strictEqual(requests, wire.sent.length + 2)
    }))
})
