import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Sandbox from "../src/Sandbox.js"
import * as Rpc from "./support/rpc.js"
import { basic, send, uuid } from "./support/wire.js"

const sandbox = Sandbox.layer({ seed: "rpc", clock: { start: 1_600_000_000, step: 1 } })

const credential = Effect.map(Sandbox.Sandbox, ({ accessKeyId, secretAccessKey }) => ({
  authorization: basic(accessKeyId, Redacted.value(secretAccessKey)),
  "x-chain-id": "1001"
}))

/** A body, and the answer to it, byte for byte. */
const bodies: ReadonlyArray<readonly [name: string, body: string, answer: string]> = [
  [
    "a call",
    `{"jsonrpc":"2.0","id":1,"method":"klay_blockNumber","params":[]}`,
    `{"jsonrpc":"2.0","id":1,"result":"0x0"}`
  ],
  ["a call without params", `{"id":1,"method":"eth_chainId"}`, `{"jsonrpc":"2.0","id":1,"result":"0x3e9"}`],
  [
    "a call whose params are null",
    `{"id":1,"method":"kaia_chainID","params":null}`,
    `{"jsonrpc":"2.0","id":1,"result":"0x3e9"}`
  ],
  ["a text as ID", `{"id":"a\\"b","method":"net_version"}`, `{"jsonrpc":"2.0","id":"a\\"b","result":"1001"}`],
  ["an empty text as ID", `{"id":"","method":"net_networkID"}`, `{"jsonrpc":"2.0","id":"","result":1001}`],
  ["zero as ID", `{"id":0,"method":"net_listening"}`, `{"jsonrpc":"2.0","id":0,"result":true}`],
  [
    "an ID above 2^53",
    `{"id":9007199254740993,"method":"net_version"}`,
    `{"jsonrpc":"2.0","id":9007199254740993,"result":"1001"}`
  ],
  [
    "an ID of forty digits",
    `{"id":1234567890123456789012345678901234567890,"method":"net_version"}`,
    `{"jsonrpc":"2.0","id":1234567890123456789012345678901234567890,"result":"1001"}`
  ],
  [
    "a negative ID with a fraction",
    `{ "id" : -1.50 , "method":"net_version"}`,
    `{"jsonrpc":"2.0","id":-1.50,"result":"1001"}`
  ],
  ["an ID with an exponent", `{"id":1e3,"method":"net_version"}`, `{"jsonrpc":"2.0","id":1e3,"result":"1001"}`],
  ["null as ID", `{"id":null,"method":"net_version"}`, `{"jsonrpc":"2.0","id":null,"result":"1001"}`],
  ["a notification", `{"jsonrpc":"2.0","method":"klay_blockNumber"}`, ""],
  ["a notification of an unknown method", `{"jsonrpc":"2.0","method":"klay_teleport"}`, ""],
  [
    "an unknown method",
    `{"id":1,"method":"klay_newFilter","params":[{}]}`,
    `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"the method klay_newFilter does not exist/is not available"}}`
  ],
  [
    "a subscription",
    `{"id":1,"method":"klay_subscribe","params":["newHeads"]}`,
    `{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"notifications not supported"}}`
  ],
  [
    "named params",
    `{"id":1,"method":"klay_getBalance","params":{"address":"0x"}}`,
    `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"non-array args"}}`
  ],
  ["no JSON", `{"id":1,`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}`],
  ["nothing", "", `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}`],
  [
    "a number that is none",
    `{"id":1.2.3,"method":"net_version"}`,
    `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}`
  ],
  ["a text", `"hello"`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request"}}`],
  ["no method", `{"id":7}`, `{"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"invalid request"}}`],
  [
    "a method that is no text",
    `{"id":12345678901234567890,"method":5}`,
    `{"jsonrpc":"2.0","id":12345678901234567890,"error":{"code":-32600,"message":"invalid request"}}`
  ],
  [
    "an object as ID",
    `{"id":{},"method":"net_version"}`,
    `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request"}}`
  ],
  ["an empty batch", "[]", `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"empty batch"}}`],
  ["a batch of notifications", `[{"method":"net_version"},{"method":"klay_teleport"}]`, ""],
  [
    "a batch of all sorts",
    ` [{"id":2,"method":"net_version"},1,{"method":"net_version"},[],{"id":"2","method":"klay_x"},{"id":3},null]`,
    `[{"jsonrpc":"2.0","id":2,"result":"1001"},` +
    `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request"}},` +
    `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request"}},` +
    `{"jsonrpc":"2.0","id":"2","error":{"code":-32601,"message":"the method klay_x does not exist/is not available"}},` +
    `{"jsonrpc":"2.0","id":3,"error":{"code":-32600,"message":"invalid request"}},` +
    `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request"}}]`
  ],
  [
    "the same ID twice",
    `[{"id":1,"method":"net_version"},{"id":1,"method":"eth_syncing"}]`,
    `[{"jsonrpc":"2.0","id":1,"result":"1001"},{"jsonrpc":"2.0","id":1,"result":false}]`
  ]
]

layer(sandbox, { excludeTestServices: true })("The node over JSON-RPC", (it) => {
  it.effect.each(bodies)(
    "answers %s",
    ([, body, answer]) => Effect.map(Rpc.text(body), (text) => assert.strictEqual(text, answer))
  )

  it.effect("gives JSON", () =>
    Effect.map(Rpc.post("[]"), ({ headers }) => assert.strictEqual(headers.get("content-type"), "application/json")))

  it.effect("asks for the credential before anything else, in the gateway's words", () =>
    Effect.gen(function*() {
      const none = yield* Rpc.post("{", { authorization: undefined })
      assert.strictEqual(none.status, 401)
      const { requestId, ...rest } = JSON.parse(none.text)
      assert.match(requestId, uuid)
      assert.deepStrictEqual(rest, {
        code: 1010008,
        message: "The authorization header you provided is invalid."
      })
      const wrong = yield* Rpc.post("[]", { authorization: "Basic YTpi" })
      assert.strictEqual(wrong.status, 401)
      assert.strictEqual(JSON.parse(wrong.text).code, 1010009)
    }))

  it.effect("serves the chain of the header, and no other", () =>
    Effect.gen(function*() {
      const mainnet = yield* Rpc.post(`{"id":1,"method":"klay_chainID"}`, { "x-chain-id": "8217" })
      assert.strictEqual(mainnet.text, `{"jsonrpc":"2.0","id":1,"result":"0x2019"}`)
      for (const chain of [undefined, "1", "testnet"]) {
        const { status, text } = yield* Rpc.post("[]", { "x-chain-id": chain })
        assert.deepStrictEqual([status, JSON.parse(text).code], [400, 1040010])
      }
    }))

  it.effect("has no other verb: that is an unknown operation", () =>
    Effect.gen(function*() {
      for (const method of ["GET", "PUT", "DELETE"]) {
        const { status, text } = yield* send("/v1/klaytn", { method, headers: yield* credential })
        assert.deepStrictEqual([status, JSON.parse(text).code], [400, 1010007])
      }
    }))

  it.effect("takes JSON only, and half a mebibyte of it at most, and says so in plain text", () =>
    Effect.gen(function*() {
      const text = yield* Rpc.post("[]", { "content-type": "text/plain" })
      assert.deepStrictEqual(
        [text.status, text.text],
        [415, "invalid content type, only application/json is supported\n"]
      )
      for (const type of ["application/json; charset=utf-8", "application/json-rpc", "APPLICATION/JSON"]) {
        assert.strictEqual((yield* Rpc.post("[]", { "content-type": type })).status, 200)
      }
      const large = yield* Rpc.post(`{"id":1,"method":"web3_sha3","params":["0x${"00".repeat(262_144)}"]}`)
      assert.strictEqual(large.status, 413)
      assert.match(large.text, /^content length too large \(524\d{3}>524288\)\n$/)
      const most = yield* Rpc.post(`{"id":1,"method":"web3_sha3","params":["0x${"00".repeat(262_000)}"]}`)
      assert.strictEqual(most.status, 200)
    }))
})
