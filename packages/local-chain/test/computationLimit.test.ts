import { fromBytes, type Hex, zeroAddress } from "@effect-klaytn/transaction/Hex"
import { noble } from "@effect-klaytn/transaction/Secp256k1"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import { stretchesOf } from "../src/internal/ComputationBound.js"
import { instructionCosts } from "../src/internal/computationCosts.js"
import type { ComputationMeter } from "../src/internal/ComputationMeter.js"
import { Evm } from "../src/internal/Evm.js"
import { JournalState } from "../src/internal/JournalState.js"
import type { Message } from "../src/internal/Message.js"

const target: Hex = `0x${"a0".repeat(20)}`
const other: Hex = `0x${"b0".repeat(20)}`
const noHash = fromBytes(new Uint8Array(32))

const block = {
  number: 1,
  timestamp: 1,
  parentHash: noHash,
  miner: zeroAddress,
  gasLimit: 0n,
  baseFeePerGas: 0n,
  mixHash: noHash
}

const bytesOf = (codes: ReadonlyArray<ReadonlyArray<number>>) => Uint8Array.from(codes.flat())

/** Pieces of programs: a push, an instruction, a loop of a few rounds, and calls of another contract and of precompiles. */
const piece = FastCheck.oneof(
  { weight: 4, arbitrary: FastCheck.tuple(FastCheck.constant(0x60), FastCheck.nat(255)) },
  { weight: 6, arbitrary: FastCheck.tuple(FastCheck.constantFrom(...instructionCosts.keys())) },
  { weight: 2, arbitrary: FastCheck.constant([0x5b]) },
  {
    weight: 1,
    // CALL of the other contract, with some gas
    arbitrary: FastCheck.constant([
      0x5f,
      0x5f,
      0x5f,
      0x5f,
      0x5f,
      0x73,
      ...bytesOf([Array(20).fill(0xb0)]),
      0x61,
      8,
      0,
      0xf1
    ])
  },
  {
    weight: 1,
    // CALL of a precompile with 128 bytes of zeros, with gas or without
    arbitrary: FastCheck.tuple(FastCheck.integer({ min: 1, max: 17 }), FastCheck.nat(255)).map((
      [precompile, gas]
    ) => [0x5f, 0x5f, 0x60, 128, 0x5f, 0x5f, 0x60, precompile, 0x61, gas, 0, 0xf1])
  }
)

const program = FastCheck.tuple(FastCheck.array(piece, { maxLength: 60 }), FastCheck.nat(5)).map(([pieces, rounds]) =>
  // Counts down on the stack, and begins anew at the JUMPDEST.
  bytesOf([[0x60, rounds, 0x5b], ...pieces, [0x60, 1, 0x90, 0x03, 0x80, 0x60, 2, 0x57]])
)

const world = Effect.promise(async () => {
  const state = new JournalState()
  const machine = await Evm.make({
    chainId: 1001,
    hardfork: "osaka",
    isKaia: true,
    state,
    curve: noble,
    blockHash: () => undefined
  })
  const put = (address: Hex, code: Uint8Array) => state.update(address, { codeHash: state.editCode(code) })
  const message: Message = {
    from: zeroAddress,
    to: target,
    value: 0n,
    data: new Uint8Array(40),
    gasLimit: 100_000n,
    gasPrice: 0n,
    feePayer: zeroAddress,
    accessList: []
  }
  return { machine, message, put, state }
})

describe("The bound of computation cost", () => {
  it("adds what the table says of each instruction, from each place where a jump can arrive to the next", () => {
    for (const [opcode, cost] of instructionCosts) {
      if (opcode >= 0x60 && opcode <= 0x7f) continue
      const own = opcode === 0x5b ? [0, 0, Number(cost)] : [Number(cost), 0, 0]
      assert.strictEqual(stretchesOf(Uint8Array.of(opcode)).reduce((sum, one) => sum + one), Number(cost), `${opcode}`)
      assert.deepStrictEqual(Array.from(stretchesOf(Uint8Array.of(0x5f, opcode))).slice(1), own.slice(1), `${opcode}`)
    }
    // PUSH1 JUMPDEST is data; behind a JUMP nothing is reached until the next JUMPDEST.
    assert.deepStrictEqual(
      Array.from(stretchesOf(Uint8Array.of(0x60, 0x5b, 0x56, 0x44, 0x5b, 0x01, 0x5b))),
      [120 + 253, 0, 0, 0, 0, 10 + 150, 0, 10]
    )
  })

  it.effect(
    "never passes an execution that costs more than the limit, and never ends one that does not",
    () =>
      Effect.gen(function*() {
        const { machine, message, put, state } = yield* world
        let ended = 0
        for (const [code, called] of FastCheck.sample(FastCheck.tuple(program, program), 100)) {
          put(target, code)
          put(other, called)
          const meter: ComputationMeter = { cost: 0n }
          const run = (rest: Partial<Message>) =>
            Effect.gen(function*() {
              yield* Effect.promise(() => state.checkpoint())
              const outcome = yield* machine.run({ ...message, ...rest }, block)
              yield* Effect.promise(() => state.revert())
              return outcome
            })
          const free = yield* run({ meter })
          const text = `${fromBytes(code)} ${fromBytes(called)}`
          assert.deepStrictEqual(yield* run({ computationLimit: meter.cost }), free, text)
          if (meter.cost === 0n) continue
          const { fault, gasUsed } = yield* run({ computationLimit: meter.cost - 1n })
          // An instruction that does not find its operands does not count, and ends the execution either way.
          if (free.fault === "stack underflow") continue
          assert.deepStrictEqual([fault, gasUsed], ["computation limit", message.gasLimit], text)
          ended++
        }
        assert.isAbove(ended, 10)
      }),
    60_000
  )
})
