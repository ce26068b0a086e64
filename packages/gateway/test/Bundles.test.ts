import * as OwnNode from "@effect-klaytn/core/OwnNode"
import * as ServiceClient from "@effect-klaytn/core/ServiceClient"
import * as NodeSource from "@effect-klaytn/indexer/NodeSource"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as world from "./support/world.js"

/** Code of contracts by what it does. */
const codes = {
  "returns a number": "0x602a60005260206000f3",
  "returns who called": "0x3360005260206000f3",
  "returns how much the caller has": "0x333160005260206000f3",
  "returns its input": "0x366000600037366000f3",
  "reverts": "0x60006000fd",
  "reverts with data": "0x602a60005260206000fd",
  "never ends": "0x5b600056",
  "runs into an unknown opcode": "0xfe",
  "writes, and returns what it read before": "0x600054600160005560005260206000f3",
  "returns 3,000 bytes": "0x610bb86000f3",
  "returns 2,048 bytes": "0x6108006000f3",
  "has no code": "0x"
} as const satisfies Readonly<Record<string, Hex>>

const addressOf = (index: number): Hex => `0x${(0xc0de00 + index).toString(16).padStart(40, "0")}`

describe("contracts that are called together", () => {
  it.scopedLive("answer what each answers alone", () =>
    Effect.gen(function*() {
      const { chains, url } = yield* world.sandbox
      const chain = chains.chain(world.chain)
      for (const [index, code] of Object.values(codes).entries()) yield* chain.edit(addressOf(index), { code })
      yield* chain.mine(2)
      const proxy = yield* world.proxyOf(`${url}/rpc/${world.chain}`)
      const source = yield* Effect.flatMap(ServiceClient.make("node"), (client) => NodeSource.make(client)).pipe(
        Effect.provide(OwnNode.layer({ chain: world.chain, url: proxy.url })),
        Effect.provide(FetchHttpClient.layer)
      )
      const state = source.stateAt(yield* source.head)
      const calls = Object.keys(codes).flatMap((_, index) =>
        [4, 36, 100].map((length) => ({
          to: addressOf(index),
          data: new Uint8Array(length).fill(7),
          gas: 200_000n
        }))
      )
      const alone = yield* Effect.forEach(calls, (call) => state.call(call))
      const kinds = new Set(alone.map(({ kind }) => kind))
      assert.deepStrictEqual([...kinds].sort(), ["failed", "refused", "returned"])
      proxy.seen.splice(0)
      // Many more than a bundle takes, and than its gas allows.
      const many = Array.from({ length: 8 }, () => calls).flat()
      const together = yield* state.callAll?.(many) ?? Effect.succeed([])
      assert.deepStrictEqual(together, Array.from({ length: 8 }, () => alone).flat())
      const sent = proxy.seen.map(({ body }) => JSON.parse(body)).flat()
      // What never ends, fails, writes or says much is asked alone.
      assert.isBelow(sent.length, many.length * 6 / 12)
      assert.isTrue(sent.some(({ params }) => params.length === 3))
    }), 30_000)
})
