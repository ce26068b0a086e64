import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import { unnoticed } from "../../../drills/sandbox/chainFault.js"
import { chainRuns } from "../../../drills/sandbox/chainRuns.js"

describe("hostile transactions, in every mode of mining and over /rpc", () => {
  it.live(
    "stop no chain: each ends in a receipt or leaves with a reason, and coin, state and token data add up",
    () =>
      Effect.gen(function*() {
        const { counts, wrong } = yield* chainRuns({ transactions: 25, seed: "test", maxGas: 100_000 })
        assert.deepStrictEqual(wrong, [])
        assert.isAbove(counts.executed, 40)
        assert.isAbove(counts.failed, 5)
        assert.isAbove(Object.keys(counts.programs).length, 10)
        assert.sameMembers(Object.keys(counts.sent), [
          "eth_sendRawTransaction",
          "eth_sendTransaction",
          "klay_sendRawTransaction"
        ])
      }),
    120_000
  )
})

describe("the drill of the chain", () => {
  it.live(
    "notices coin from nowhere, lost transactions and state, a chain that is stuck, and token data that lag",
    () =>
      Effect.map(
        Logger.withMinimumLogLevel(unnoticed("test"), LogLevel.None),
        (missed) => assert.deepStrictEqual(missed, [])
      ),
    120_000
  )
})
