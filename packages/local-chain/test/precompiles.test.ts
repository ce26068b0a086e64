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
