import type { TransactionResult } from "@effect-klaytn/transaction/ExecutedTransaction"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { memory } from "../src/ChainStorage.js"
import * as LocalChain from "../src/LocalChain.js"
import { openChain } from "./support/openChain.js"

const gpeb = 10n ** 9n
const clock = { start: 1_600_000_000, step: 1 } as const
const sender: Hex = `0x${"5e".repeat(20)}`
const friend: Hex = `0x${"f1".repeat(20)}`

/** In place of a signature: the chain takes these transactions unchecked. */
const signatures = [{ v: 2_037n, r: 1n, s: 1n }]

/** A legacy transaction. */
const legacy = (fields: Partial<Transaction.Of<"LegacyTransaction">> = {}): Transaction.Transaction => ({
  type: "LegacyTransaction",
  nonce: 0n,
  gasPrice: 50n * gpeb,
  gas: 21_000n,
  to: friend,
  value: 0n,
  input: "0x",
  signatures,
  ...fields
})

const dynamic = (maxFeePerGas: bigint, maxPriorityFeePerGas: bigint, nonce: bigint): Transaction.Transaction => ({
  type: "EthereumDynamicFee",
  chainId: 1001,
  nonce,
  maxFeePerGas,
  maxPriorityFeePerGas,
  gas: 21_000n,
  to: friend,
  value: 0n,
  input: "0x",
  accessList: [],
  signatures: [{ v: 0n, r: 1n, s: 1n }]
})

const withWorld = (options: Omit<LocalChain.LocalChainOptions, "chainId"> = {}) =>
  Effect.gen(function*() {
    const world = yield* openChain({ clock, ...options })
    yield* world.chain.edit(sender, { balance: 10n ** 40n })
    return world
  })

type World = Effect.Effect.Success<ReturnType<typeof withWorld>>

/** Executes a transaction, and gives its result. */
const executed = ({ chain, storage }: World, transaction: Transaction.Transaction) =>
  Effect.flatMap(
    chain.submitAs(transaction, sender),
    (hash) => Effect.fromNullable(storage.transactionByHash(hash))
  )

/** A transaction of a block, to be traced. */
const traced = (record: TransactionResult, transaction: Transaction.Transaction) => {
  const raw = Transaction.encode(transaction)
  assert(raw.ok)
  return { ...record, raw: raw.value }
}

/** Executes code with this input in the place of a contract. */
const run = (
  world: World,
  code: Hex,
  gas: bigint,
  { input = "0x", nonce = 0n }: { input?: Hex; nonce?: bigint } = {}
) =>
  Effect.zipRight(
    world.chain.edit(friend, { code }),
    Effect.map(
      executed(world, legacy({ gas, input, nonce })),
      ({ gasUsed, status, txError }) => [status, txError, gasUsed] as const
    )
  )

const word = (value: number): Hex => `0x${value.toString(16).padStart(64, "0")}`

/** Counts its input down to 0. */
const loop: Hex = "0x5f355b60019003806100025700"

/** Writes to as many slots as its input says. */
const stores: Hex = "0x5f355b60019003808055806100025700"

/** A loop without an end. */
const endless: Hex = "0x5b61000056"

/** Calls MODEXP without gas for operands of this length each. */
const callsModexp = (length: string): Hex => {
  const operand = `7f${length.padStart(64, "0")}`
  return `0x${operand}5f52${operand}602052${operand}6040525f5f60605f5f60055ff100`
}

describe("What a transaction pays", () => {
  for (const baseFee of ["moving", "fixed"] as const) {
    it.effect(`is its price, of a dynamic fee the base fee and the tip up to the cap (${baseFee} base fee)`, () =>
      Effect.gen(function*() {
        const world = yield* withWorld({ baseFee })
        const offers = [
          legacy({ gasPrice: 25n * gpeb }),
          legacy({ gasPrice: 50n * gpeb, nonce: 1n }),
          legacy({ gasPrice: 700n * gpeb, nonce: 2n }),
          dynamic(33n * gpeb, 0n, 3n),
          dynamic(33n * gpeb, 3n * gpeb, 4n),
          dynamic(33n * gpeb, 20n * gpeb, 5n),
          dynamic(50n * gpeb, 10n * gpeb, 6n),
          dynamic(25n * gpeb, 25n * gpeb, 7n)
        ]
        const paid = yield* Effect.forEach(
          offers,
          (offer) =>
            Effect.map(executed(world, offer), ({ fee, gasPrice }) => {
              assert.strictEqual(fee, 21_000n * gasPrice)
              return Number(gasPrice / gpeb)
            })
        )
        assert.deepStrictEqual(paid, [25, 50, 700, 25, 28, 33, 35, 25])
        const { chain } = world
        assert.strictEqual(yield* chain.gasPrice, 27_500_000_000n)
        assert.isFalse(yield* chain.takesTips)
        assert.deepStrictEqual(chain.feeBounds, { lowest: 25n * gpeb, highest: 750n * gpeb })
        const refused = yield* Effect.flip(chain.submitAs(legacy({ gasPrice: 25n * gpeb - 1n, nonce: 8n }), sender))
        assert.strictEqual(
          refused.message,
          "invalid gas price. It must be set to value greater than or equal to baseFee"
        )
      }))
  }

  it.effect("counts gas as it is used, whatever the failure", () =>
    Effect.gen(function*() {
      const world = yield* withWorld()
      const invalid = "0xfe"
      for (const [nonce, gas] of [29_000_000n, 30_021_001n, 100_000_000n, 500_000_000n].entries()) {
        assert.deepStrictEqual(yield* run(world, invalid, gas, { nonce: BigInt(nonce) }), [0, 0x2, gas])
      }
      const [, reverted, gasUsed] = yield* run(world, "0x5f5ffd", 100_000_000n, { nonce: 4n })
      assert.deepStrictEqual([reverted, gasUsed], [0x9, 21_004n])
    }))

  it.effect("fills a block with what failed at once, over the gas limit of a transaction", () =>
    Effect.gen(function*() {
      const { chain } = yield* withWorld({ mining: "onDemand" })
      yield* chain.edit(friend, { code: "0xfe" })
      for (const nonce of [0n, 1n, 2n]) yield* chain.submitAs(legacy({ gas: 200_000_000n, nonce }), sender)
      const [block] = yield* chain.mine()
      assert.deepInclude(block, { gasUsed: 600_000_000n, transactionCount: 3 })
    }))
})

describe("The limit of computation cost", () => {
  it.effect("ends an execution beyond 150,000,000 with all of its gas, as a node does", () =>
    Effect.gen(function*() {
      const world = yield* withWorld()
      // The node's own figures for these codes, inputs and gas limits.
      const rows: ReadonlyArray<readonly [code: Hex, input: Hex, gas: bigint, result: ReadonlyArray<unknown>]> = [
        [loop, word(150_000), 20_000_000n, [1, undefined, 3_921_169n]],
        [loop, word(400_000), 20_000_000n, [0, 0xa, 20_000_000n]],
        [stores, word(1_600), 60_000_000n, [1, undefined, 35_412_457n]],
        [endless, "0x", 4_200_000n, [0, 0x7, 4_200_000n]],
        [endless, "0x", 10_000_000n, [0, 0xa, 10_000_000n]],
        [endless, "0x", 500_000_000n, [0, 0xa, 500_000_000n]]
      ]
      for (const [at, [code, input, gas, result]] of rows.entries()) {
        assert.deepStrictEqual(yield* run(world, code, gas, { input, nonce: BigInt(at) }), result, `row ${at}`)
      }
    }), 60_000)

  it.effect("does not hold for calls and estimates", () =>
    Effect.gen(function*() {
      const { chain } = yield* withWorld()
      const rows = [
        [loop, 100_000, 2_621_169n, 97_600_676n],
        [loop, 400_000, 10_421_169n, undefined],
        [stores, 1_600, 35_412_542n, 6_186_276n]
      ] as const
      for (const [code, rounds, gas, cost] of rows) {
        yield* chain.edit(friend, { code })
        const request = { from: sender, to: friend, data: word(rounds) }
        if (cost === undefined) assert.isUndefined((yield* chain.call(request)).fault)
        else assert.strictEqual((yield* chain.measure(request)).computationCost, cost)
        assert.deepStrictEqual(yield* chain.estimateGas(request), { kind: "enough", gas })
      }
    }), 60_000)

  it.effect(
    "is estimated as a node does: less gas may do where code catches the failure of what it calls",
    () =>
      Effect.gen(function*() {
        const { chain } = yield* withWorld()
        const target: Hex = `0x${"c2".repeat(20)}`
        yield* chain.edit(target, { code: loop })
        /** Writes, calls the loop with so much gas, and writes whether that failed. */
        const calls = (gas: string): Hex => `0x60075f555f355f525f5f60205f5f73${target.slice(2)}${gas}f16001015f5500`
        const [half, capped] = [calls("60025a04"), calls("62030d40")]
        // The node's own figures; what an execution with plenty uses is more.
        const rows: ReadonlyArray<readonly [code: Hex, rounds: number, gas: bigint]> = [
          [half, 1_000, 0xcf7cn],
          [capped, 400_000, 0x2f48bn]
        ]
        for (const [code, rounds, gas] of rows) {
          yield* chain.edit(friend, { code })
          const request = { from: sender, to: friend, data: word(rounds) }
          assert.deepStrictEqual(yield* chain.estimateGas(request), { kind: "enough", gas }, `${code} ${rounds}`)
        }
      }),
    60_000
  )

  it.effect("counts a precompile by its operands, before its gas", () =>
    Effect.gen(function*() {
      const world = yield* withWorld()
      const gas = 1_000_000n
      for (const [at, length] of ["20", "400", "1000", "100000000", `7f${"ff".repeat(31)}`].entries()) {
        const [status, txError, gasUsed] = yield* run(world, callsModexp(length), gas, { nonce: BigInt(at) })
        if (at < 2) assert.strictEqual(status, 1, length)
        else assert.deepStrictEqual([status, txError, gasUsed], [0, 0xa, gas], length)
      }
      // The same as the last code of a message, and called by one that catches its failure.
      const caught: Hex = `0x${callsModexp("1000").slice(2, -2)}`
      assert.deepStrictEqual(yield* run(world, caught, gas, { nonce: 5n }), [0, 0xa, gas])
      yield* world.chain.edit(`0x${"c1".repeat(20)}`, { code: callsModexp("1000") })
      const catches: Hex = `0x5f5f5f5f5f73${"c1".repeat(20)}620186a0f1600160015500`
      assert.deepStrictEqual(yield* run(world, catches, gas, { nonce: 6n }), [0, 0xa, gas])
      // Nothing runs after a precompile that the transaction itself calls.
      const input: Hex = `0x${"1000".padStart(64, "0").repeat(3)}`
      const direct = legacy({ nonce: 7n, gas, to: `0x${"05".padStart(40, "0")}`, input })
      const refused = yield* Effect.flip(world.chain.submitAs(direct, sender))
      assert.strictEqual(refused.message, "the address is reserved for pre-compiled contracts")
    }))

  it.effect("leaves nothing of an execution that it ends", () =>
    Effect.gen(function*() {
      const world = yield* withWorld({ internalTransfers: true })
      const { chain } = world
      yield* chain.edit(friend, { balance: 1_000n })
      // Writes to a slot, sends a peb away, and counts without an end.
      const code: Hex = `0x60015f555f5f5f5f600173${"a1".repeat(20)}5af1505b61002256`
      assert.isTrue(code.slice(2 + 2 * 0x22).startsWith("5b"))
      assert.deepStrictEqual(yield* run(world, code, 10_000_000n), [0, 0xa, 10_000_000n])
      assert.strictEqual(yield* chain.storageAt(friend, 0n), word(0))
      assert.strictEqual(Option.getOrThrow(yield* chain.account(friend)).balance, 1_000n)
      assert.isTrue(Option.isNone(yield* chain.account(`0x${"a1".repeat(20)}`)))
      // What comes after runs as on a chain that never had it.
      const other = yield* run(yield* withWorld(), stores, 60_000_000n, { input: word(3) })
      assert.deepStrictEqual(yield* run(world, stores, 60_000_000n, { input: word(3), nonce: 1n }), other)
    }))

  it.effect("is met in the trace as in the block", () =>
    Effect.gen(function*() {
      const world = yield* withWorld()
      const { chain, storage } = world
      yield* chain.edit(friend, { code: endless })
      const transaction = legacy({ gas: 10_000_000n })
      const hash = yield* chain.submitAs(transaction, sender)
      const record = yield* Effect.fromNullable(storage.transactionByHash(hash))
      const [trace] = yield* chain.traceBlock(record.blockNumber, [traced(record, transaction)], { longest: 60_000 })
      assert.strictEqual(trace?.gaveUp, undefined)
      assert.deepInclude(trace?.call, { type: "CALL", fault: "computation limit" })
    }), 60_000)
})

describe("A chain of an older storage", () => {
  /** A storage whose chain was made before storages kept rules. */
  const older = () => ({ ...memory(), rules: () => undefined, keepRules: () => {} })

  it.effect("goes on with the price and the gas limit that it had, also after a reset", () =>
    Effect.gen(function*() {
      const storage = older()
      const chain = yield* LocalChain.makeWith(storage, { chainId: 1001, clock })
      assert.strictEqual(chain.rules, "constantPrice")
      const world = { chain, storage }
      const check = Effect.gen(function*() {
        yield* chain.edit(sender, { balance: 10n ** 40n })
        const transaction = legacy({ gasPrice: 50n * gpeb })
        const record = yield* executed(world, transaction)
        assert.deepStrictEqual([record.gasPrice, record.fee], [25n * gpeb, 525_000n * gpeb])
        assert.deepStrictEqual(yield* run(world, "0xfe", 100_000_000n, { nonce: 1n }), [0, 0x2, 30_021_000n])
        assert.deepStrictEqual(yield* run(world, loop, 20_000_000n, { nonce: 2n, input: word(400_000) }), [
          1,
          undefined,
          10_421_169n
        ])
        assert.deepStrictEqual([yield* chain.gasPrice, chain.feeBounds.highest], [25n * gpeb, 25n * gpeb])
        const traces = yield* chain.traceBlock(record.blockNumber, [traced(record, transaction)])
        assert.lengthOf(traces, 1)
      })
      yield* check
      yield* chain.reset
      yield* check
    }), 30_000)

  it.effect("and one of today keeps its own, by their name", () =>
    Effect.gen(function*() {
      const storage = memory()
      yield* LocalChain.makeWith(storage, { chainId: 1001, clock })
      const again = yield* LocalChain.makeWith(storage, { chainId: 1001, clock })
      assert.strictEqual(again.rules, "kaiaExecution")
      assert.strictEqual(storage.rules(), "kaiaExecution")
      const later = LocalChain.makeWith({ ...storage, rules: () => "nextPrice" }, { chainId: 1001, clock })
      const failure = yield* Effect.flip(later)
      assert.include(failure.message, "nextPrice")
    }), 60_000)
})
