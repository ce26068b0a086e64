import type { Hex } from "@effect-klaytn/transaction/Hex"
import type * as Transaction from "@effect-klaytn/transaction/Transaction"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Option from "effect/Option"
import type * as LocalChain from "../src/LocalChain.js"
import { openChain } from "./support/openChain.js"
import { type Offer, PoolModel } from "./support/poolModel.js"

const clock = { start: 1_600_000_000, step: 1 } as const
const gpeb = 10n ** 9n
const klay = 10n ** 18n
const receiver: Hex = `0x${"cc".repeat(20)}`
const senders: ReadonlyArray<Hex> = [`0x${"a1".repeat(20)}`, `0x${"a2".repeat(20)}`, `0x${"a3".repeat(20)}`]
const [alice = "0x", bob = "0x"] = senders

/** In place of a signature: the chain takes these transactions unchecked. */
const signatures = [{ v: 2_037n, r: 1n, s: 1n }]
const gas = 100_000n

/** A transaction; its value tells it from others. */
const transfer = (nonce: bigint, gasPrice: bigint, value = 0n) => ({
  type: "LegacyTransaction",
  nonce,
  gasPrice,
  gas,
  to: receiver,
  value,
  input: "0x",
  signatures
} as const)

const dynamic = (nonce: bigint, maxFeePerGas: bigint, maxPriorityFeePerGas: bigint): Transaction.Transaction => ({
  type: "EthereumDynamicFee",
  chainId: 1001,
  nonce,
  maxFeePerGas,
  maxPriorityFeePerGas,
  gas,
  to: receiver,
  value: 0n,
  input: "0x",
  accessList: [],
  signatures: [{ v: 1n, r: 1n, s: 1n }]
})

const cancel = (from: Hex, nonce: bigint, gasPrice: bigint): Transaction.Transaction => ({
  type: "Cancel",
  nonce,
  gasPrice,
  gas,
  from,
  signatures
})

const open = (options: Omit<LocalChain.LocalChainOptions, "chainId"> = {}) =>
  Effect.gen(function*() {
    const { chain, storage } = yield* openChain({ clock, mining: "onDemand", baseFee: "moving", ...options })
    for (const sender of senders) yield* chain.edit(sender, { balance: 1_000_000n * klay })
    const placeOf = (hash: Hex) => {
      const found = storage.transactionByHash(hash)
      return found === undefined ? undefined : [found.blockNumber, found.transactionIndex]
    }
    return { chain, placeOf }
  })

const taken = "there is another tx which has the same nonce in the tx pool"

/** Legacy types don't name their sender: the signature tells the bytes of one sender from those of another. */
const submit = (chain: LocalChain.LocalChain, transaction: Transaction.Transaction, from: Hex) => {
  const [signature] = transaction.signatures
  const r = BigInt(senders.indexOf(from) + 1)
  return chain.submitAs({ ...transaction, signatures: [{ v: 2_037n, s: 1n, ...signature, r }] }, from)
}

const refusal = (chain: LocalChain.LocalChain, transaction: Transaction.Transaction, from = alice) =>
  Effect.map(Effect.flip(submit(chain, transaction, from)), ({ message }) => message)

const whyOf = (chain: LocalChain.LocalChain, hash: Hex) =>
  Effect.map(chain.dropped, (dropped) => dropped.find((one) => one.hash === hash))

describe("The pool", () => {
  it.effect("takes a higher price in the place of a lower one, by a single peb", () =>
    Effect.gen(function*() {
      const { chain, placeOf } = yield* open()
      const first = yield* submit(chain, transfer(0n, 50n * gpeb), alice)
      assert.strictEqual(yield* refusal(chain, transfer(0n, 50n * gpeb, 1n)), taken)
      assert.strictEqual(yield* refusal(chain, transfer(0n, 50n * gpeb - 1n)), taken)
      assert.strictEqual(yield* refusal(chain, transfer(0n, 50n * gpeb)), `known transaction: ${first.slice(2)}`)
      const second = yield* submit(chain, transfer(0n, 50n * gpeb + 1n), alice)
      assert.deepStrictEqual(yield* chain.pending, [second])
      assert.deepInclude(yield* whyOf(chain, first), {
        reason: `transaction ${second} replaced it at a higher price`,
        replacedBy: second
      })
      yield* chain.mine()
      assert.deepStrictEqual([placeOf(first), placeOf(second)], [undefined, [1, 0]])
    }))

  it.effect("lets a cancellation replace anything, and be replaced by a higher price", () =>
    Effect.gen(function*() {
      const { chain } = yield* open()
      const payment = yield* submit(chain, transfer(0n, 100n * gpeb), alice)
      const cheap = yield* submit(chain, cancel(alice, 0n, 30n * gpeb), alice)
      assert.deepInclude(yield* whyOf(chain, payment), {
        reason: `transaction ${cheap} cancels it`,
        replacedBy: cheap
      })
      assert.strictEqual(yield* refusal(chain, transfer(0n, 30n * gpeb)), taken)
      assert.strictEqual(yield* refusal(chain, transfer(0n, 29n * gpeb)), taken)
      const dearer = yield* submit(chain, cancel(alice, 0n, 40n * gpeb), alice)
      const again = yield* submit(chain, transfer(0n, 40n * gpeb + 1n), alice)
      assert.deepInclude(yield* whyOf(chain, dearer), { replacedBy: again })
      assert.deepStrictEqual(yield* chain.pending, [again])
    }))

  it.effect("compares caps, whatever the tips", () =>
    Effect.gen(function*() {
      const { chain } = yield* open()
      yield* submit(chain, transfer(0n, 50n * gpeb), alice)
      yield* submit(chain, dynamic(0n, 51n * gpeb, 0n), alice)
      assert.strictEqual(yield* refusal(chain, dynamic(0n, 51n * gpeb, 20n * gpeb)), taken)
      const last = yield* submit(chain, dynamic(0n, 52n * gpeb, 0n), alice)
      assert.deepStrictEqual(yield* chain.pending, [last])
    }))

  it.effect("fills a block by the price that is paid, then as they came, each sender's by nonce", () =>
    Effect.gen(function*() {
      const { chain, placeOf } = yield* open()
      const [, , carol = "0x"] = senders
      const order = yield* Effect.all([
        submit(chain, transfer(0n, 30n * gpeb), alice),
        submit(chain, transfer(1n, 90n * gpeb), alice),
        submit(chain, transfer(0n, 50n * gpeb), bob),
        submit(chain, transfer(1n, 30n * gpeb), bob),
        // Its cap is high, but it pays 25 and 1.
        submit(chain, dynamic(0n, 100n * gpeb, gpeb), carol)
      ])
      yield* chain.mine()
      assert.deepStrictEqual(order.map(placeOf), [[1, 1], [1, 2], [1, 0], [1, 3], [1, 4]])
    }))

  it.effect("forgets what waits for an earlier nonce after five minutes of the chain's clock", () =>
    Effect.gen(function*() {
      const { chain } = yield* open()
      const gapped = yield* submit(chain, transfer(1n, 50n * gpeb), alice)
      const stays = yield* submit(chain, transfer(0n, 50n * gpeb), bob)
      yield* chain.advanceTime(300)
      assert.deepStrictEqual(yield* chain.pending, [gapped, stays])
      assert.deepStrictEqual(
        (yield* chain.pendingTransaction(gapped)).pipe(Option.map((one) => one.isQueued)),
        Option.some(true)
      )
      yield* chain.advanceTime(1)
      assert.deepStrictEqual(yield* chain.pending, [stays])
      assert.deepInclude(yield* whyOf(chain, gapped), { reason: "it waited five minutes for nonce 0 of its sender" })
      yield* submit(chain, transfer(0n, 50n * gpeb), alice)
      assert.strictEqual(yield* chain.pendingNonce(alice), 1n)
    }))

  it.effect("keeps what the base fee has left behind for five minutes, or until a higher price takes its place", () =>
    Effect.gen(function*() {
      const { chain, placeOf } = yield* open()
      const low = yield* submit(chain, transfer(0n, 30n * gpeb), alice)
      const behind = yield* submit(chain, transfer(1n, 90n * gpeb), alice)
      const other = yield* submit(chain, transfer(0n, 30n * gpeb), bob)
      yield* chain.setNextBlock({ baseFeePerGas: 40n * gpeb })
      assert.strictEqual(yield* chain.pendingNonce(alice), 0n)
      const raised = yield* submit(chain, transfer(0n, 41n * gpeb), alice)
      assert.strictEqual(yield* chain.pendingNonce(alice), 2n)
      yield* chain.mine()
      assert.deepStrictEqual([low, raised, behind, other].map(placeOf), [undefined, [1, 0], [1, 1], undefined])
      yield* chain.advanceTime(301)
      assert.deepStrictEqual(yield* chain.pending, [])
      assert.match((yield* whyOf(chain, other))?.reason ?? "", /^for five minutes no block could have it/)
    }))

  it.effect("is full at its size, for everything", () =>
    Effect.gen(function*() {
      const { chain } = yield* open({ poolSize: 3 })
      for (const nonce of [0n, 1n, 2n]) yield* submit(chain, transfer(nonce, 50n * gpeb), alice)
      for (const one of [transfer(3n, 50n * gpeb), transfer(0n, 50n * gpeb), transfer(0n, 60n * gpeb)]) {
        assert.strictEqual(yield* refusal(chain, one), "txpool is full: 3")
      }
      yield* chain.mine()
      yield* submit(chain, transfer(3n, 50n * gpeb), alice)
    }))

  it.effect("counts large transactions more than once, and lets one that closes a gap in for its sender's last", () =>
    Effect.gen(function*() {
      const { chain } = yield* open({ poolSize: 5 })
      const large = (nonce: bigint): Transaction.Transaction => ({
        ...transfer(nonce, 50n * gpeb),
        gas: 10_000_000n,
        input: `0x${"00".repeat(40_000)}`
      })
      yield* submit(chain, large(1n), alice)
      const last = yield* submit(chain, large(3n), alice)
      assert.strictEqual(yield* refusal(chain, large(0n), bob), "txpool is full: 2")
      assert.strictEqual(
        yield* refusal(chain, large(4n)),
        "txpool is full and the new tx does not have missing nonce: 2"
      )
      yield* submit(chain, large(2n), alice)
      assert.strictEqual((yield* chain.pending).length, 2)
      assert.match((yield* whyOf(chain, last))?.reason ?? "", /^the pool was full/)
    }))

  it.effect("accepts two that can't both be paid at their caps, and drops the second when its turn comes", () =>
    Effect.gen(function*() {
      const { chain, placeOf } = yield* open()
      const cap = 100n * gpeb
      // Enough for both at the price that they pay, and for one at its cap.
      yield* chain.edit(alice, { balance: gas * cap + 30n * gpeb * gas })
      const first = yield* submit(chain, dynamic(0n, cap, 0n), alice)
      const second = yield* submit(chain, dynamic(1n, cap, 0n), alice)
      const third = yield* submit(chain, transfer(2n, 30n * gpeb), alice)
      const fourth = yield* submit(chain, transfer(3n, 30n * gpeb), alice)
      yield* chain.edit(alice, { balance: gas * cap + gpeb })
      yield* chain.mine()
      assert.deepStrictEqual([first, second].map(placeOf), [[1, 0], undefined])
      assert.deepInclude(yield* whyOf(chain, second), {
        reason: "short of funds at the price that it offers: insufficient funds of the sender for value"
      })
      assert.deepInclude(yield* whyOf(chain, third), {
        reason: "the transaction before it could not be in the block: nonce too high"
      })
      assert.deepStrictEqual(yield* chain.pending, [fourth])
      assert.deepStrictEqual(
        (yield* chain.pendingTransaction(fourth)).pipe(Option.map((one) => one.isQueued)),
        Option.some(true)
      )
    }))

  it.effect("queues nonces up to 2^64 - 2", () =>
    Effect.gen(function*() {
      const { chain } = yield* open()
      for (const nonce of [2n ** 53n, 2n ** 64n - 2n]) {
        const hash = yield* submit(chain, transfer(nonce, 50n * gpeb), alice)
        assert.include(yield* chain.pending, hash)
      }
      assert.strictEqual(yield* refusal(chain, transfer(2n ** 64n - 1n, 50n * gpeb)), "nonce has max value")
    }))

  it.effect("names the transaction that used a nonce", () =>
    Effect.gen(function*() {
      const { chain } = yield* open()
      const waiting = yield* submit(chain, transfer(0n, 30n * gpeb), alice)
      yield* chain.edit(alice, { nonce: 4n })
      assert.deepInclude(yield* whyOf(chain, waiting), { reason: "its nonce 0 is used" })
    }))

  it.effect("stays quick with 5,000 that wait", () =>
    Effect.gen(function*() {
      const { chain } = yield* open()
      for (let nonce = 0n; nonce < 5_000n; nonce++) {
        assert.strictEqual(yield* chain.pendingNonce(alice), nonce)
        yield* submit(chain, transfer(nonce, 50n * gpeb), alice)
      }
      const blocks = yield* chain.mine(3)
      assert.deepStrictEqual(blocks.map(({ transactionCount }) => transactionCount), [2_000, 2_000, 1_000])
    }), 30_000)
})

interface Step {
  readonly kind: "submit" | "mine" | "wait" | "fee"
  readonly sender: number
  readonly ahead: number
  readonly price: number
  readonly tip: number
  readonly type: "legacy" | "dynamic" | "cancel"
  readonly seconds: number
}

const step: FastCheck.Arbitrary<Step> = FastCheck.record({
  kind: FastCheck.constantFrom("submit", "submit", "submit", "submit", "submit", "mine", "wait", "fee"),
  sender: FastCheck.nat(2),
  ahead: FastCheck.nat(3),
  price: FastCheck.integer({ min: 24, max: 32 }),
  tip: FastCheck.nat(4),
  type: FastCheck.constantFrom("legacy", "legacy", "dynamic", "cancel"),
  seconds: FastCheck.integer({ min: 1, max: 200 })
})

const inGpeb = (price: number): bigint => BigInt(price) * gpeb

const transactionOf = (step: Step, from: Hex, nonce: bigint): Transaction.Transaction => {
  if (step.type === "cancel") return cancel(from, nonce, inGpeb(step.price))
  if (step.type === "legacy") return transfer(nonce, inGpeb(step.price), BigInt(step.tip))
  return dynamic(nonce, inGpeb(step.price), inGpeb(step.tip))
}

const run = (steps: ReadonlyArray<Step>) =>
  Effect.gen(function*() {
    const poolSize = 9
    const { chain, placeOf } = yield* open({ poolSize })
    const model = new PoolModel(25, poolSize)
    const names = new Map<Hex, string>()
    const baseFee = Effect.map(chain.nextBlock, ({ baseFeePerGas }) => Number(baseFeePerGas) / 1e9)
    for (const step of steps) {
      const now = yield* chain.now
      const from = senders[step.sender] ?? "0x"
      if (step.kind === "wait") yield* chain.advanceTime(step.seconds)
      if (step.kind === "fee") {
        yield* chain.setNextBlock({ baseFeePerGas: inGpeb(step.price) })
        model.reset(now, yield* baseFee)
      }
      if (step.kind === "submit") {
        const nonce = model.nonce(from) + step.ahead
        const transaction = transactionOf(step, from, BigInt(nonce))
        const tip = step.type === "dynamic" ? step.tip : step.price
        const name = [from, nonce, step.type, step.price, step.type === "cancel" ? "" : step.tip].join(" ")
        const offer: Offer = { name, sender: from, nonce, cap: step.price, tip, cancels: step.type === "cancel" }
        const isKnown = [...model.pending.values(), ...model.queue.values()].flat().some((one) => one.name === name)
        const answer = yield* Effect.either(submit(chain, transaction, from))
        if (answer._tag === "Right") names.set(answer.right, name)
        const expected = isKnown && model.count < poolSize ? undefined : model.submit(offer, now)
        if (answer._tag === "Right") assert.strictEqual(expected, "accepted")
        else if (expected === undefined) assert.match(answer.left.message, /^known transaction/)
        else if (expected === "below the base fee") assert.match(answer.left.message, /equal to baseFee/)
        else assert.strictEqual(answer.left.message, expected)
      }
      if (step.kind === "mine") {
        const { number, timestamp } = yield* chain.head
        model.evict(now + clock.step)
        const block = model.block()
        const waiting = yield* chain.pending
        yield* chain.mine()
        const mined = waiting.flatMap((hash) => {
          const place = placeOf(hash)
          return place?.[0] === number + 1 ? [[place[1] ?? 0, names.get(hash)] as const] : []
        })
        assert.deepStrictEqual(mined.toSorted(([one], [other]) => one - other).map(([, name]) => name), [...block])
        assert.isAbove((yield* chain.head).timestamp, timestamp)
        model.mine(now + clock.step, yield* baseFee)
      }
      model.evict(yield* chain.now)
      const waiting = yield* chain.pending
      const queued: Array<string | undefined> = []
      for (const hash of waiting) {
        const one = yield* chain.pendingTransaction(hash)
        if (Option.isSome(one) && one.value.isQueued) queued.push(names.get(hash))
      }
      const sorted = (list: Iterable<string | undefined>) => [...list].toSorted()
      assert.deepStrictEqual(sorted(queued), sorted([...model.queue.values()].flat().map(({ name }) => name)))
      assert.strictEqual(waiting.length, model.count)
      for (const sender of senders) {
        assert.strictEqual(yield* chain.pendingNonce(sender), BigInt(model.pendingNonce(sender)))
      }
    }
    const dropped = yield* chain.dropped
    assert.deepStrictEqual(
      new Map(dropped.map(({ hash, replacedBy }) => [names.get(hash), replacedBy && names.get(replacedBy)])),
      new Map(model.left)
    )
  })

it.effect(
  "The pool does with random submissions, blocks, waits and base fees what a plain model of it does",
  () =>
    Effect.promise(() =>
      FastCheck.assert(
        FastCheck.asyncProperty(
          FastCheck.array(step, { maxLength: 60, size: "max" }),
          (steps) => Effect.runPromise(run(steps))
        ),
        { numRuns: 100, seed: 20_261_128 }
      )
    ),
  60_000
)
