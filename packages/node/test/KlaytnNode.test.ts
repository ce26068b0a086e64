import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Wire from "../../core/test/support/wire.js"
import * as Node from "./support/node.js"

const alice = "0x1111111111111111111111111111111111111111"

describe("a call of a node", () => {
  it.effect("is a POST with exactly these headers and this body", () =>
    Effect.gen(function*() {
      const wire = Wire.make(Node.node(() => ({ result: "0xde0b6b3a7640000" })))
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
      const wire = Wire.make(
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
})
