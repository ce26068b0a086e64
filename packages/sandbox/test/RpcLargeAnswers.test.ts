import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { respond } from "../src/internal/rpc/envelope.js"
import { logMethods } from "../src/internal/rpc/logs.js"
import * as Sandbox from "../src/Sandbox.js"

const tooLarge = `{"jsonrpc":"2.0","id":1,"error":{"code":-32003,"message":"response too large"}}`

layer(Sandbox.layer({ seed: "large answers" }), { excludeTestServices: true })("A node's answer", (it) => {
  it.effect("that is longer than a text may be is an error", () =>
    Effect.gen(function*() {
      const { chains } = yield* Sandbox.Sandbox
      // As JSON.stringify fails for a value whose text would be too long.
      const endless = {
        toJSON: () => {
          throw new RangeError("Invalid string length")
        }
      }
      const body = `{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}`
      assert.strictEqual(yield* respond(chains.chain(1001), body, () => () => Effect.succeed(endless)), tooLarge)
    }))

  it.effect("that has more than 64,000,000 bytes of logs is an error", () =>
    Effect.gen(function*() {
      const { chains } = yield* Sandbox.Sandbox
      const log = {
        address: "0x",
        topics: [],
        data: `0x${"00".repeat(32_000_001)}`,
        blockNumber: 1,
        transactionHash: "0x",
        transactionIndex: 0,
        blockHash: "0x",
        logIndex: 0
      } as const
      const ask = (count: number) =>
        logMethods["getLogs"]?.(
          { ...chains.chain(1001), logs: () => Effect.succeed(Array.from({ length: count }, () => log)) },
          [{ fromBlock: "0x0" }]
        ) ?? assert.fail()
      assert.deepInclude(yield* Effect.flip(ask(2)), { code: -32003, message: "response too large" })
      const one = yield* ask(1)
      assert.isTrue(Array.isArray(one) && one.length === 1)
    }))
})
