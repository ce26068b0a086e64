import type { Hex } from "@effect-klaytn/transaction/Hex"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { encodeArguments } from "../src/Abi.js"
import { ContractCalls } from "../src/internal/tokens/ContractCalls.js"

const contract: Hex = `0x${"c0".repeat(20)}`

describe("calls of contracts", () => {
  it.effect("end for a contract that has used its allowance, also if they are made at the same time", () =>
    Effect.gen(function*() {
      let called = 0
      const contractCalls = new ContractCalls({
        isBatched: true,
        call: ({ gas }) =>
          Effect.as(
            Effect.zipRight(Effect.sync(() => called++), Effect.yieldNow()),
            { kind: "failed", data: new Uint8Array(0), gasUsed: gas } as const
          ),
        code: () => Effect.succeed(new Uint8Array(0))
      }, 0n)
      // Half of 30,000,000 gas is enough for 75 calls.
      yield* contractCalls.each(Array(75), () => contractCalls.number(contract, "decimals()"))
      assert.strictEqual(called, 75)
      yield* contractCalls.number(contract, "decimals()")
      assert.strictEqual(called, 75)
    }))

  it.effect("return texts that SQLite reads as they were stored", () =>
    Effect.gen(function*() {
      const data = encodeArguments("(string)", ["Token\0\0"])
      const contractCalls = new ContractCalls({
        call: () => Effect.succeed({ kind: "returned", data, gasUsed: 1n } as const),
        code: () => Effect.succeed(new Uint8Array(0))
      }, 0n)
      assert.strictEqual(yield* contractCalls.text(contract, "name()", 10), "Token")
    }))
})
