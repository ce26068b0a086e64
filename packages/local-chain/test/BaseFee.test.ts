import type { Hex } from "@effect-klaytn/transaction/Hex"
import type * as Transaction from "@effect-klaytn/transaction/Transaction"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as DevAccount from "../src/DevAccount.js"
import * as LocalChain from "../src/LocalChain.js"
import { expectedAfter } from "./support/kip71.js"

/** How many blocks of random load there are. */
const blocks = Number(process.env["FEE_BLOCKS"] ?? 10_000)

const clock = { start: 1_600_000_000, step: 1 } as const
const sender: Hex = `0x${"5e".repeat(20)}`
const burner: Hex = `0x${"b0".repeat(20)}`
const gpeb = 10n ** 9n

/** A sequence of numbers below 1, equal in every run. */
const randoms = (seed: number) => () => {
  seed = seed + 0x6d2b79f5 | 0
  let t = Math.imul(seed ^ seed >>> 15, 1 | seed)
  t = t + Math.imul(t ^ t >>> 7, 61 | t) ^ t
  return ((t ^ t >>> 14) >>> 0) / 4_294_967_296
}

/** In place of a signature: the chain takes these transactions unchecked. */
const signatures = [{ v: 2_037n, r: 1n, s: 1n }]

const gasOf = (gas: bigint, nonce: bigint, price: bigint): Transaction.Transaction => ({
  type: "LegacyTransaction",
  nonce,
  gasPrice: price,
  gas,
  to: burner,
  value: 0n,
  input: "0x",
  signatures
})

const make = (unitPrice: bigint) =>
  Effect.gen(function*() {
    const chain = yield* LocalChain.make({ chainId: 1001, clock, mining: "onDemand", baseFee: "moving", unitPrice })
    yield* chain.edit(sender, { balance: 10n ** 40n })
    // INVALID uses all gas that a transaction has.
    yield* chain.edit(burner, { code: "0xfe" })
    return chain
  })

/** Builds blocks that use random gas, and counts those whose base fee is not the expected one. */
const differences = (unitPrice: bigint, bounds: readonly [bigint, bigint], count: number) =>
  Effect.gen(function*() {
    const chain = yield* make(unitPrice)
    const random = randoms(Number(unitPrice % 1_000n))
    const fees = new Set<bigint>()
    let nonce = 0n
    let parent = yield* chain.head
    let found = 0
    for (let at = 0; at < count; at++) {
      // Long times of more load than the target, and of less, so that the fee meets both bounds.
      const isBusy = at % 500 < 250
      const size = random() < 0.05 ? 1 : isBusy ? random() : random() / 3
      const transactions = random() < 0.02 ? 0 : isBusy ? 1 + Math.floor(random() * 4) : 1
      for (let one = 0; one < transactions; one++) {
        const gas = 30_000n + BigInt(Math.floor(29_000_000 * size))
        yield* chain.submitAs(gasOf(gas, nonce++, 60n * unitPrice + 60n), sender)
      }
      const set = random() < 0.01 ? BigInt(Math.floor(random() * Number(bounds[1]) * 1.5)) : undefined
      const expected = set ??
        (parent.number === 0 ? bounds[0] : expectedAfter(parent.baseFeePerGas ?? -1n, parent.gasUsed, bounds))
      if (set !== undefined) yield* chain.setNextBlock({ baseFeePerGas: set })
      const [block] = yield* chain.mine()
      assert.isDefined(block)
      if (block.baseFeePerGas !== expected) found++
      fees.add(expected)
      parent = block
    }
    assert.isTrue(fees.has(bounds[0]) && fees.has(bounds[1]))
    return found
  })

describe("A base fee that moves", () => {
  it.effect("is that of KIP-71 after every block of a random load", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* differences(25n * gpeb, [25n * gpeb, 750n * gpeb], blocks), 0)
      // Small and odd prices meet the rounding of the rule.
      assert.strictEqual(yield* differences(7n, [8n, 210n], 1_000), 0)
    }), 60_000 + blocks * 20)

  it.effect("is the lowest price at first, and goes back with the blocks", () =>
    Effect.gen(function*() {
      const chain = yield* make(25n * gpeb)
      assert.deepStrictEqual(chain.feeBounds, { lowest: 25n * gpeb, highest: 750n * gpeb })
      assert.strictEqual((yield* chain.nextBlock).baseFeePerGas, 25n * gpeb)
      const snapshot = yield* chain.snapshot
      for (const nonce of [0n, 1n]) yield* chain.submitAs(gasOf(29_000_000n, nonce, 25n * gpeb), sender)
      yield* chain.mine()
      const { baseFeePerGas } = yield* chain.nextBlock
      assert.strictEqual(baseFeePerGas, 26_166_666_666n)
      assert.strictEqual(yield* chain.gasPrice, 28_783_333_332n)
      assert.strictEqual(yield* chain.gasPriceWith(gpeb), 31_091_666_665n)
      const failure = yield* Effect.flip(chain.submitAs(gasOf(30_000n, 2n, 25n * gpeb), sender))
      assert.deepInclude(failure, { _tag: "TransactionRejected", reason: "GasPriceTooLow" })
      yield* chain.revert(snapshot)
      assert.strictEqual((yield* chain.nextBlock).baseFeePerGas, 25n * gpeb)
    }))

  it.effect("comes with tips: a price is paid in full, and a dynamic fee up to its tip", () =>
    Effect.gen(function*() {
      const chain = yield* make(25n * gpeb)
      const alice = DevAccount.derive("test", "alice").address
      const dynamic = (nonce: bigint, maxFeePerGas: bigint, maxPriorityFeePerGas: bigint): Transaction.Transaction => ({
        type: "EthereumDynamicFee",
        chainId: 1001,
        nonce,
        maxFeePerGas,
        maxPriorityFeePerGas,
        gas: 21_000n,
        to: alice,
        value: 1n,
        input: "0x",
        accessList: [],
        signatures: [{ v: 0n, r: 1n, s: 1n }]
      })
      const plain = { ...gasOf(21_000n, 0n, 40n * gpeb), to: alice }
      const balance = Effect.map(chain.account(sender), (found) => Option.getOrThrow(found).balance)
      const paid = yield* Effect.forEach(
        [{ ...plain, value: 1n }, dynamic(1n, 100n * gpeb, 3n * gpeb), dynamic(2n, 26n * gpeb, 3n * gpeb)],
        (transaction) =>
          Effect.gen(function*() {
            const before = yield* balance
            yield* chain.submitAs(transaction, sender)
            yield* chain.mine()
            return (before - (yield* balance) - 1n) / 21_000n
          })
      )
      assert.deepStrictEqual(paid, [40n * gpeb, 28n * gpeb, 26n * gpeb])
    }))
})
