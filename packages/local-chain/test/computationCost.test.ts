import type { Hardfork } from "@effect-klaytn/transaction/Hardfork"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as DevAccount from "../src/DevAccount.js"
import * as LocalChain from "../src/LocalChain.js"

const seed = "computation cost"
const alice = DevAccount.derive(seed, "alice")

const withChain = (hardfork: Hardfork = "osaka") =>
  Effect.gen(function*() {
    const chain = yield* LocalChain.make({ chainId: 1001, hardfork })
    yield* chain.fund(alice.address, 1000n * 10n ** 18n)
    return chain
  })

type Chain = Effect.Effect.Success<ReturnType<typeof withChain>>

/** The cost of code that runs as that of a new contract. */
const costOf = (chain: Chain, code: string, gas?: bigint) =>
  Effect.map(
    chain.measure({ data: `0x${code}`, ...(gas !== undefined && { gas }) }),
    ({ computationCost }) => Number(computationCost)
  )

const addressOf = (precompile: number): Hex => `0x${precompile.toString(16).padStart(40, "0")}`

const zeros = (bytes: number): Hex => `0x${"00".repeat(bytes)}`

describe("The computation cost of instructions", () => {
  it.scoped("is the sum of what the chain's documentation lists", () =>
    Effect.gen(function*() {
      const chain = yield* withChain()
      const rows: ReadonlyArray<readonly [code: string, cost: number]> = [
        ["", 0],
        // PUSH1 PUSH1 ADD POP STOP
        ["60016002015000", 120 + 120 + 150 + 140],
        // PUSH0 CLZ: a leading zero has no cost.
        ["5f1e", 80],
        // Each of the operators on two zeros: PUSH0 PUSH0 and the operator.
        ...[150, 200, 219, 404, 360, 320, 560].map((cost, index) => [`5f5f0${index + 1}`, 160 + cost] as const),
        ["5f5f5f08", 240 + 360],
        ["5f5f5f09", 240 + 700],
        ["5f5f0a", 160 + 720],
        ["5f5f20", 160 + 560],
        // PUSH0 SLOAD, PUSH0 PUSH0 SSTORE, and the same in transient storage
        ["5f54", 80 + 2550],
        ["5f5f55", 160 + 2510],
        ["5f5c", 80 + 220],
        ["5f5f5d", 160 + 280],
        // DIFFICULTY is PREVRANDAO
        ["44", 1498],
        ["5f31", 80 + 1407],
        ["5f3f", 80 + 1000],
        ["5f5f5fa1", 240 + 500],
        // DUP15 and SWAP16 over 17 zeros
        [`${"5f".repeat(17)}8e9f`, 17 * 80 + 237 + 128],
        [`7f${"00".repeat(32)}`, 120],
        // PUSH1 4 JUMP to a JUMPDEST, over an INVALID
        ["600456fe5b", 120 + 253 + 10]
      ]
      for (const [code, cost] of rows) assert.strictEqual(yield* costOf(chain, code), cost, code)
    }))

  it.scoped("counts an instruction that fails in what depends on its operands, and no other that fails", () =>
    Effect.gen(function*() {
      const chain = yield* withChain()
      const rows: ReadonlyArray<readonly [code: string, gas: bigint, cost: number]> = [
        // ADD without operands, SSTORE with one, INVALID, and 1,024 items on the stack
        ["01", 100_000n, 0],
        ["5f55", 100_000n, 80],
        ["5ffe", 100_000n, 80],
        [`5b5f600056`, 1_000_000n, 1024 * (80 + 120 + 253 + 10) - 120 - 253],
        // PUSH1 without its gas, or with it
        ["6001", 2n, 0],
        ["6001", 3n, 120],
        // MLOAD far out, with its own 3 gas and without
        ["63ffffffff51", 6n, 120 + 376],
        ["63ffffffff51", 5n, 120],
        // EXP is counted before its gas, a log too; BALANCE after the price of a warm account
        ["5f5f0a", 4n, 160 + 720],
        ["5f5fa0", 4n, 160 + 100],
        ["3031", 102n, 284 + 1407],
        ["3031", 101n, 284],
        ["5f5ffd", 100n, 160]
      ]
      for (const [code, gas, cost] of rows) assert.strictEqual(yield* costOf(chain, code, gas), cost, `${code} ${gas}`)
    }))

  it.scoped("adds that of the contracts that are called, also if they fail", () =>
    Effect.gen(function*() {
      const chain = yield* withChain()
      // Writes 1 to slot 0.
      const { contractAddress = "0x" } = yield* chain.execute({
        kind: "deploy",
        from: alice,
        code: "0x60058060095f395ff360015f5500"
      })
      const write = 120 + 80 + 2510
      const called = (instruction: string, operands: number) =>
        costOf(chain, `${"5f".repeat(operands)}73${contractAddress.slice(2)}5a${instruction}`)
      assert.strictEqual(yield* called("f1", 5), 5 * 80 + 120 + 230 + 5000 + write)
      assert.strictEqual(yield* called("f4", 4), 4 * 80 + 120 + 230 + 696 + write)
      // A static call may not write, and SSTORE is counted before that is looked at.
      assert.strictEqual(yield* called("fa", 4), 4 * 80 + 120 + 230 + 10_000 + write)
      const { computationCost } = yield* chain.measure({ from: alice.address, to: contractAddress, data: "0x" })
      assert.strictEqual(Number(computationCost), write)
    }))

  it.scoped("does not change what the execution answers, uses and leaves", () =>
    Effect.gen(function*() {
      const chain = yield* withChain()
      const codes: ReadonlyArray<Hex> = [
        "0x5f5ffd",
        "0x60016002016000526020601ff3",
        "0x5b5f600056",
        "0xfe",
        "0x60015f555f545f5260205ff3",
        "0x5f5f5f5f5f60045af15f5260205ff3",
        "0x60806040526001600255"
      ]
      for (const data of codes) {
        const { computationCost, ...measured } = yield* chain.measure({ from: alice.address, data })
        assert.deepStrictEqual(measured, yield* chain.call({ from: alice.address, data }))
        assert.isAtLeast(Number(computationCost), 0)
        // Not even the warm slots of a measured execution stay.
        assert.deepStrictEqual(measured, yield* chain.call({ from: alice.address, data }))
      }
    }))
})

describe("The computation cost of precompiles", () => {
  const measured = (chain: Chain, precompile: number, data: Hex, gas?: bigint) =>
    chain.measure({ to: addressOf(precompile), data, ...(gas !== undefined && { gas }) })

  it.scoped("is what the chain's documentation lists, with the gas or without", () =>
    Effect.gen(function*() {
      const chain = yield* withChain()
      const rows: ReadonlyArray<readonly [precompile: number, bytes: number, cost: number]> = [
        [0x01, 128, 113_150],
        [0x02, 33, 1200],
        [0x03, 33, 120],
        [0x04, 64, 0],
        [0x06, 128, 8000],
        [0x07, 96, 100_000],
        [0x08, 384, 4_000_000],
        [0x09, 212, 0],
        [0x09, 213, 10_000],
        [0x0a, 192, 2_200_000],
        [0x0b, 256, 18_750],
        [0x0d, 512, 30_000],
        [0x0f, 768, 1_885_000 + 2 * 1_630_000],
        [0x10, 64, 275_000],
        [0x11, 128, 1_190_000],
        [0x100, 160, 235_000],
        [0x3fd, 10, 10],
        [0x3fe, 0, 10],
        [0x3ff, 52 + 130, 2 * 180_000 + 10_000]
      ]
      for (const [precompile, bytes, cost] of rows) {
        for (const gas of [undefined, 0n]) {
          const { computationCost } = yield* measured(chain, precompile, zeros(bytes), gas)
          assert.strictEqual(Number(computationCost), cost, `${precompile.toString(16)} ${gas}`)
        }
      }
      const rounds: Hex = `0x0000000c${"00".repeat(209)}`
      assert.strictEqual((yield* measured(chain, 0x09, rounds)).computationCost, 10_120n)
      const prague = yield* withChain("prague")
      assert.strictEqual((yield* measured(prague, 0x100, zeros(160))).computationCost, 0n)
    }))

  it.scoped("of a sum of products is fifty times its gas, for each number of pairs", () =>
    Effect.gen(function*() {
      const chain = yield* withChain()
      for (const pairs of [1, 2, 3, 16, 50, 77, 101, 127, 128, 129, 150]) {
        const g1 = yield* measured(chain, 0x0c, zeros(160 * pairs))
        assert.strictEqual(g1.computationCost, g1.gasUsed * 50n, `${pairs}`)
        const g2 = yield* measured(chain, 0x0e, zeros(288 * pairs))
        // The gas of half a unit is lost, its cost is not.
        assert.include([0n, 25n], g2.computationCost - g2.gasUsed * 50n, `${pairs}`)
        for (const [precompile, bytes, { computationCost }] of [[0x0c, 160, g1], [0x0e, 288, g2]] as const) {
          const short = yield* measured(chain, precompile, zeros(bytes * pairs), 1n)
          assert.strictEqual(short.computationCost, computationCost)
        }
      }
      assert.strictEqual((yield* measured(chain, 0x0c, zeros(159))).computationCost, 0n)
    }))

  const lengths = FastCheck.array(FastCheck.nat(70), { minLength: 3, maxLength: 3 })
  const operands = FastCheck.uint8Array({ maxLength: 120 })

  for (const hardfork of ["cancun", "osaka"] as const) {
    it.scoped(`of a modular exponentiation follows its gas by the rules of ${hardfork}`, () =>
      Effect.gen(function*() {
        const chain = yield* withChain(hardfork)
        for (const [sizes, rest] of FastCheck.sample(FastCheck.tuple(lengths, operands), 60)) {
          const head = sizes.map((size) => size.toString(16).padStart(64, "0")).join("")
          const data: Hex = `0x${head}${Buffer.from(rest).toString("hex")}`
          const { computationCost, fault, gasUsed } = yield* measured(chain, 0x05, data)
          assert.isUndefined(fault, data)
          assert.strictEqual(computationCost, gasUsed / 100n + 100n, data)
          assert.strictEqual((yield* measured(chain, 0x05, data, 1n)).computationCost, computationCost, data)
        }
        const least = hardfork === "osaka" ? 500n : 200n
        assert.strictEqual((yield* measured(chain, 0x05, "0x")).computationCost, least / 100n + 100n)
        // Lengths that 64 bits don't hold cost the most that they do.
        const most = yield* measured(chain, 0x05, `0x${"ff".repeat(96)}`)
        assert.strictEqual(most.computationCost, (2n ** 64n - 1n) / 100n + 100n)
      }))
  }
})
