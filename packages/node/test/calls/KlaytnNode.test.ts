import { BigIntFromQuantity } from "@effect-klaytn/core/HexEncoding"
import * as Testing from "@effect-klaytn/core/Testing"
import * as HttpClient from "@effect/platform/HttpClient"
import { assert, describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Metric from "effect/Metric"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/TestClock"
import * as Client from "../../../core/test/support/client.js"
import * as KlaytnNode from "../../src/KlaytnNode.js"
import * as Method from "../../src/Method.js"
import * as Param from "../../src/Param.js"
import * as Node from "../support/node.js"

const alice = "0x1111111111111111111111111111111111111111"

describe("a call of a node", () => {
  it.effect("is a POST with exactly these headers and this body", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Node.node(() => ({ result: "0xde0b6b3a7640000" })))
      const node = yield* Node.make(wire)
      const balance = yield* node.klay.getBalance(alice)
      assert.strictEqual(balance, 1_000_000_000_000_000_000n)
      assert.deepStrictEqual(wire.sent, [{
        method: "POST",
        url: "http://127.0.0.1:8080/prefix/v1/klaytn",
        headers: {
          accept: "application/json",
          authorization: "Basic S0FTSzBFWEFNUExFOm5vdC1hLXNlY3JldA==",
          "x-chain-id": "1001",
          "content-type": "application/json",
          "content-length": "116"
        },
        body:
          `{"jsonrpc":"2.0","id":1,"method":"klay_getBalance","params":["0x1111111111111111111111111111111111111111","latest"]}`,
        at: 0
      }])
    }))

  it.effect("shares one request with calls of other fibers that are made at the same time", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(
        Node.node(({ method }) => ({ result: method === "klay_gasPrice" ? "0x5d21dba00" : "0x7" }))
      )
      const node = yield* Node.make(wire)
      const all = yield* Effect.all(
        [node.klay.gasPrice(), node.klay.blockNumber(), node.eth.blockNumber(), node.klay.getTransactionCount(alice)],
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(all, [25_000_000_000n, 7n, 7n, 7n])
      assert.deepStrictEqual(Node.methods(wire), [[
        "klay_gasPrice",
        "klay_blockNumber",
        "eth_blockNumber",
        "klay_getTransactionCount"
      ]])
    }))

  it.effect("shares a request only as far as it goes out at the same time", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Node.node(() => ({ result: "0x7" })))
      const node = yield* Node.make(wire)
      yield* node.klay.blockNumber()
      yield* node.klay.blockNumber()
      assert.deepStrictEqual(Node.methods(wire), [["klay_blockNumber"], ["klay_blockNumber"]])
    }))

  it.effect("by name sends the parameters as they are and decodes the result", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Node.node(() => ({ result: "0x1c2" })))
      const node = yield* Node.make(wire)
      const answer = yield* node.call("x_weight", [{ a: null }, "b"], BigIntFromQuantity, { safety: "safe" })
      assert.strictEqual(answer, 450n)
      assert.strictEqual(
        Node.onlyBody(wire),
        `{"jsonrpc":"2.0","id":1,"method":"x_weight","params":[{"a":null},"b"]}`
      )
    }))

  it.effect("refuses a method that can't be one before anything is sent, and does not show it", () =>
    Effect.gen(function*() {
      const wire = Testing.wire()
      const node = yield* Node.make(wire)
      for (
        const method of ["", "blocknumber", "c47c84025e5ecbeb934b", `klay_${"x".repeat(65)}`, "klay_x y", "pass word_1"]
      ) {
        const error = yield* Client.failsAs("InvalidInput")(node.call(method, [], Schema.Unknown))
        assert.deepStrictEqual([error.operation, error.path], ["node.call", ["method"]])
        assert.isTrue(method === "" || !JSON.stringify(error).includes(method))
      }
      assert.lengthOf(wire.sent, 0)
    }))

  it.effect("by name is repeated as the method allows: a read is, an unknown one is not", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Testing.text(503, ""))
      const node = yield* Node.make(wire)
      yield* Client.failsAs("OutcomeUnknown")(node.call("x_weight", [], Schema.Unknown))
      assert.strictEqual(wire.sent.length, 1)
      const fiber = yield* Effect.fork(Client.failsAs("Unavailable")(node.call("kaia_blockNumber", [], Schema.Unknown)))
      yield* TestClock.adjust("1 minute")
      yield* Fiber.join(fiber)
      assert.strictEqual(wire.sent.length, 5)
    }))

  it.effect("by a name that is not known shares its place in the metrics with all such names", () =>
    Effect.gen(function*() {
      const node = yield* Node.make(Testing.wire(Node.node(() => ({ result: 1 }))))
      for (let n = 0; n < 20; n++) yield* node.call(`klay_odd${n}`, [], Schema.Unknown)
      const labels = (yield* Metric.snapshot).flatMap(({ metricKey }) => metricKey.tags.map(({ value }) => value))
      assert.isFalse(labels.some((label) => label.includes("klay_odd")))
      assert.include(labels, "node.call")
    }))

  it.effect("is measured with the server's name and port", () =>
    Effect.gen(function*() {
      const node = yield* Node.make(Testing.wire(Node.node(() => ({ result: 1 }))))
      yield* node.call("klay_odd", [], Schema.Unknown)
      const servers = (yield* Metric.snapshot)
        .filter(({ metricKey }) => metricKey.name === "klaytn.client.operation.duration")
        .map(({ metricKey }) => Object.fromEntries(metricKey.tags.map(({ key, value }) => [key, value])))
        .filter(({ operation }) => operation === "node.call")
        .map((labels) => `${labels["server.address"]} ${labels["server.port"]}`)
      assert.deepStrictEqual([...new Set(servers)], ["127.0.0.1 8080"])
    }))

  it.effect("of a method made by the caller is checked, sent and decoded like any other", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Node.node(() => ({ result: "0x5" })))
      const node = yield* Node.make(wire, { namespace: "kaia" })
      const getWeight = Method.make({
        namespace: "klay",
        name: "getWeight",
        safety: "safe",
        params: (account: string, block: bigint) => [Param.address("account", account), Param.height("block", block)],
        result: BigIntFromQuantity
      })
      assert.strictEqual(yield* node.run(getWeight, alice, 16n), 5n)
      assert.deepStrictEqual(
        Node.requestsIn(wire.sent[0] ?? assert.fail("nothing was sent")).map(({ method, params }) => ({
          method,
          params
        })),
        [
          { method: "kaia_getWeight", params: [alice, "0x10"] }
        ]
      )
      const error = yield* Client.failsAs("InvalidInput")(node.run(getWeight, "0x12", 1n))
      assert.deepStrictEqual(error.path, ["account"])
    }))

  it.effect("makes a span of its own, and the request it shares is linked to it", () =>
    Effect.gen(function*() {
      const tracer = Testing.tracer()
      const wire = Testing.wire(Node.node(() => ({ result: "0x7" })))
      const node = yield* Node.make(wire)
      yield* tracer.use(Effect.all([node.klay.blockNumber(), node.net.peerCount()], { concurrency: "unbounded" }))
      yield* tracer.use(node.klay.blockNumber())
      assert.deepStrictEqual(tracer.spans.map(({ id, links, parent }) => [id, parent, links]), [
        ["node.klay_blockNumber #0", undefined, []],
        ["node.net_peerCount #1", undefined, []],
        ["node.exchange #2", undefined, ["node.klay_blockNumber #0", "node.net_peerCount #1"]],
        ["POST /v1/klaytn #3", "node.exchange #2", ["node.klay_blockNumber #0", "node.net_peerCount #1"]],
        ["node.klay_blockNumber #4", undefined, []],
        ["node.exchange #5", "node.klay_blockNumber #4", []],
        ["POST /v1/klaytn #6", "node.exchange #5", []]
      ])
      assert.strictEqual(tracer.spans[2]?.attributes["rpc.batch.size"], 2)
      assert.deepStrictEqual(tracer.spans[1]?.attributes, {
        "klaytn.operation": "node.net_peerCount",
        "klaytn.chain.id": 1001,
        "rpc.system": "jsonrpc",
        "rpc.method": "net_peerCount"
      })
    }))
})

describe("a notification", () => {
  it.effect("has no ID, goes alone, and does not care for what comes back", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Testing.text(204, ""))
      const node = yield* Node.make(wire)
      yield* node.notify("klay_note", [1])
      assert.strictEqual(Node.onlyBody(wire), `{"jsonrpc":"2.0","method":"klay_note","params":[1]}`)
    }))

  it.effect("fails when it is refused, and is not repeated when nobody knows", () =>
    Effect.gen(function*() {
      const refused = yield* Node.make(Testing.wire(Testing.json(401, { code: 1010009 })))
      assert.strictEqual((yield* Effect.flip(refused.notify("klay_note", [])))._tag, "Unauthorized")
      const wire = Testing.wire(Testing.text(503, ""))
      const node = yield* Node.make(wire)
      assert.strictEqual((yield* Effect.flip(node.notify("klay_note", [])))._tag, "OutcomeUnknown")
      assert.strictEqual(wire.sent.length, 1)
    }))

  it.effect("that can't be written as JSON is refused", () =>
    Effect.gen(function*() {
      const wire = Testing.wire()
      const node = yield* Node.make(wire)
      assert.strictEqual((yield* Effect.flip(node.notify("klay_note", [1n])))._tag, "InvalidInput")
      assert.deepStrictEqual(wire.sent, [])
    }))
})

describe("a node in a test", () => {
  const layer = KlaytnNode.layerTest((method, params) =>
    method === "kaia_getBalance"
      ? Effect.succeed(params[0] === alice ? "0x2" : "0x0")
      : Effect.fail({ code: -32000, message: "nonce too low" }), { chain: 8217, namespace: "kaia" })

  it.effect("answers through everything but the wire", () =>
    Effect.gen(function*() {
      const node = yield* KlaytnNode.KlaytnNode
      assert.strictEqual(yield* node.klay.getBalance(alice), 2n)
      assert.strictEqual(node.chain, 8217)
      assert.strictEqual((yield* Effect.flip(node.klay.gasPrice()))._tag, "NonceTooLow")
      assert.strictEqual((yield* Effect.flip(node.klay.getBalance("0x12")))._tag, "InvalidInput")
      yield* node.notify("klay_note", [])
    }).pipe(Effect.provide(layer)))
})

describe("the configuration of a node", () => {
  it.effect("needs a base address", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(Node.make(Testing.wire(), { config: { endpoints: {} } }))
      assert.strictEqual(error._tag, "InvalidInput")
    }))

  it.effect("takes one that ends in the path", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Node.node(() => ({ result: "0x7" })))
      const node = yield* Node.make(wire, { config: { endpoints: { node: "https://node.example/v1/klaytn/" } } })
      yield* node.klay.blockNumber()
      assert.strictEqual(wire.sent[0]?.url, "https://node.example/v1/klaytn")
    }))

  it.effect("is read from the environment", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Node.node(() => ({ result: "0x7" })))
      const environment = ConfigProvider.fromMap(
        new Map([
          ["KLAYTN_CHAIN_ID", "8217"],
          ["KLAYTN_ACCESS_KEY_ID", "KASK0EXAMPLE"],
          ["KLAYTN_SECRET_ACCESS_KEY", "not-a-secret"],
          ["KLAYTN_NODE_URL", "https://node.example"]
        ])
      )
      const height = yield* Effect.flatMap(KlaytnNode.KlaytnNode, (node) => node.klay.blockNumber()).pipe(
        Effect.provide(KlaytnNode.layerConfig({ namespace: "kaia" })),
        Effect.provideService(HttpClient.HttpClient, wire.client),
        Effect.withConfigProvider(environment)
      )
      assert.strictEqual(height, 7n)
      assert.strictEqual(wire.sent[0]?.url, "https://node.example/v1/klaytn")
      assert.deepStrictEqual(Node.methods(wire), [["kaia_blockNumber"]])
    }))
})
