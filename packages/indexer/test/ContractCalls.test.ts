import type { Hex } from "@effect-klaytn/transaction/Hex"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { encodeArguments } from "../src/Abi.js"
import { ContractCalls } from "../src/internal/tokens/ContractCalls.js"
import type { ContractCall, Viewer } from "../src/Viewer.js"

const contract: Hex = `0x${"c0".repeat(20)}`

describe("calls of contracts", () => {
  it.effect("end for a contract that has used its allowance, also if they are made at the same time", () =>
    Effect.gen(function*() {
      let called = 0
      const call = ({ gas }: ContractCall) =>
        Effect.as(
          Effect.zipRight(Effect.sync(() => called++), Effect.yieldNow()),
          { kind: "failed", data: new Uint8Array(0), gasUsed: gas } as const
        )
      const code = () => Effect.succeed(new Uint8Array(0))
      const ask = (viewer: Viewer) => {
        const contractCalls = new ContractCalls(viewer, 0n)
        return Effect.gen(function*() {
          called = 0
          // Half of 30,000,000 gas is enough for 75 calls.
          yield* contractCalls.each(Array(75), () => contractCalls.number(contract, "decimals()"))
          yield* contractCalls.number(contract, "decimals()")
          assert.deepStrictEqual(yield* contractCalls.numberEach(contract, "decimals()", [[]]), [undefined])
          assert.strictEqual(called, 75)
        })
      }
      yield* ask({ call, code })
      yield* ask({ call, code, callAll: (calls) => Effect.forEach(calls, call) })
    }))

  it.effect("are made together where the source takes many, with the answers in the order of the values", () =>
    Effect.gen(function*() {
      const requests: Array<number> = []
      const contractCalls = new ContractCalls({
        call: () => Effect.die("one call"),
        callAll: (calls) => {
          requests.push(calls.length)
          return Effect.succeed(calls.map(({ data }) => ({ kind: "returned", data: data.slice(4), gasUsed: 1n })))
        },
        code: () => Effect.succeed(new Uint8Array(0))
      }, 0n)
      assert.deepStrictEqual(yield* contractCalls.numberEach(contract, "echo(uint256)", [[7n], [5n], [6n]]), [
        7n,
        5n,
        6n
      ])
      assert.deepStrictEqual(yield* contractCalls.numberEach(contract, "echo(uint256)", []), [])
      assert.deepStrictEqual(requests, [3])
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
