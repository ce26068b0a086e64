import type { Hex } from "@effect-klaytn/transaction/Hex"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as LocalChain from "../src/LocalChain.js"
import { blsVectors } from "./support/blsVectors.js"
import { p256Gas, p256Vectors } from "./support/p256Vectors.js"

const withChain = LocalChain.make({ chainId: 1001 })

const addressOf = (precompile: number): Hex => `0x${precompile.toString(16).padStart(40, "0")}`

const p256 = addressOf(0x100)

describe("The precompiles of EIP-2537", () => {
  for (const { address, fail, succeed } of blsVectors) {
    const to = addressOf(address)
    it.scoped(`${to.slice(-4)} answers the published vectors for their gas, and fails without it`, () =>
      Effect.gen(function*() {
        const chain = yield* withChain
        for (const [name, input, expected, gas] of succeed) {
          const { data, fault, gasUsed } = yield* chain.call({ to, data: `0x${input}`, gas })
          assert.deepStrictEqual(
            { data, fault, gasUsed },
            { data: `0x${expected}`, fault: undefined, gasUsed: gas },
            name
          )
          const short = yield* chain.call({ to, data: `0x${input}`, gas: gas - 1n })
          assert.deepInclude(short, { fault: "out of gas", gasUsed: gas - 1n, data: "0x" }, name)
        }
      }))

    it.scoped(`${to.slice(-4)} fails for the published wrong input and takes all gas`, () =>
      Effect.gen(function*() {
        const chain = yield* withChain
        const gas = 1_000_000n
        for (const [name, input] of fail) {
          const { data, fault, gasUsed } = yield* chain.call({ to, data: `0x${input}`, gas })
          assert.deepInclude({ data, gasUsed }, { data: "0x", gasUsed: gas }, name)
          assert.notInclude([undefined, "out of gas"], fault, name)
        }
      }))
  }
})

describe("The precompile of EIP-152", () => {
  const blake = (rounds: number): Hex => `0x${rounds.toString(16).padStart(8, "0")}${"00".repeat(208)}01`

  it.scoped("ends a call, and a transaction, whose rounds would hold the process for long", () =>
    Effect.gen(function*() {
      const chain = yield* withChain
      const to = addressOf(9)
      const gas = 400_000_000n
      assert.strictEqual((yield* chain.call({ to, data: blake(390_000_000), gas })).fault, "time limit")
      assert.strictEqual((yield* chain.call({ to, data: blake(390_000_000), gas: 100_000n })).fault, "out of gas")
      assert.isUndefined((yield* chain.call({ to, data: blake(1_000), gas })).fault)
      // CALLDATASIZE PUSH0 PUSH0 CALLDATACOPY, then STATICCALL of 9 with the data and all gas
      const caller: Hex = `0x${"09".repeat(20)}`
      yield* chain.edit(caller, { code: "0x365f5f375f5f365f60095afa" })
      const failure = yield* Effect.flip(
        chain.execute({ kind: "execute", from: chain.faucet, to: caller, data: blake(390_000_000), gas })
      )
      assert.deepInclude(failure, { _tag: "ExecutionFailed", txError: 0xa })
    }))
})

describe("The precompile of EIP-7951", () => {
  it.scoped("answers the published vectors, for one price whether the signature is valid or not", () =>
    Effect.gen(function*() {
      const chain = yield* withChain
      for (const [name, input, isValid] of p256Vectors) {
        const found = yield* chain.call({ to: p256, data: `0x${input}`, gas: p256Gas })
        const data: Hex = isValid ? `0x${"1".padStart(64, "0")}` : "0x"
        assert.deepInclude(found, { data, fault: undefined, gasUsed: p256Gas }, name)
        const short = yield* chain.call({ to: p256, data: `0x${input}`, gas: p256Gas - 1n })
        assert.deepInclude(short, { fault: "out of gas", data: "0x" }, name)
      }
    }))
})
