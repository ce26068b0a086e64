import * as Address from "@effect-klaytn/core/Address"
import * as Hash from "@effect-klaytn/core/Hash"
import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import { LookupFailed } from "@effect-klaytn/wallet/SendOutcome"
import type * as TransactionLookup from "@effect-klaytn/wallet/TransactionLookup"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"
import { isSettled } from "../src/internal/steps.js"
import * as Payouts from "../src/Payouts.js"
import * as Backend from "./support/backend.js"

const { mine, order, until } = Backend

const chain = Effect.map(Sandbox.Sandbox, ({ chains }) => chains.chain(1001))

const stateOf = (key: string) =>
  Effect.flatMap(Payouts.Payouts, (all) => Effect.map(all.get(key), ({ state }) => state))

describe("a payment in a block that a reorganisation can still move", () => {
  it.scopedLive("is not final, and is sent again if it is dropped", () =>
    Backend.onSandbox(
      Effect.gen(function*() {
        const from = yield* Backend.account(0)
        yield* mine
        yield* Effect.gen(function*() {
          const all = yield* Payouts.Payouts
          yield* all.submit(order("a", from))
          // The opening, and the payment.
          yield* until(Effect.zipRight(mine, Backend.payments), ({ length }) => length === 1)
          yield* Effect.sleep("200 millis")
          assert.strictEqual((yield* stateOf("a"))._tag, "Sent")
          yield* (yield* chain).reorg(1, { transactions: "drop" })
          assert.strictEqual((yield* Backend.payments).length, 0)
          const { state } = yield* Effect.zipRight(
            until(Effect.zipRight(mine, stateOf("a")), ({ _tag }) => _tag === "Executed"),
            all.wait("a")
          )
          const [payment, ...more] = yield* Backend.payments
          assert.deepStrictEqual(more, [])
          assert.strictEqual(state._tag === "Executed" && state.block, payment?.block)
        }).pipe(Effect.provide(Backend.process({ confirmations: 20, stuckAfter: "100 millis" })))
      }),
      { mining: "manual" }
    ))

  it.scopedLive("is final on a chain that makes no more blocks, a while later", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account()
      yield* Effect.gen(function*() {
        const all = yield* Payouts.Payouts
        assert.strictEqual((yield* all.pay(order("a", from))).state._tag, "Executed")
      }).pipe(Effect.provide(Backend.process({ confirmations: 1 })))
    })))
})

describe("a transaction in block 5 of which 6 confirmations are asked", () => {
  /** What is known of it, by what the node says of its newest block. */
  const settled = (head: TransactionLookup.Service["head"]) => {
    const context = {
      confirmations: 6,
      found: new Map(),
      lookup: {
        nextNonce: () => Effect.succeed(1),
        byHash: () => Effect.succeedNone,
        byNonce: () => Effect.succeedNone,
        byNonces: () => Effect.succeed([]),
        head
      }
    }
    return (after: number, block = 5) =>
      Effect.zipRight(
        TestClock.adjust(after),
        isSettled(context, "a", {
          transactionHash: Effect.runSync(Hash.make(`0x${"ab".repeat(32)}`)),
          from: Address.zero,
          to: Address.zero,
          nonce: 1,
          typeInt: 0,
          value: 1n,
          input: "0x",
          key: undefined,
          feePayer: undefined,
          state: "succeeded",
          block
        })
      )
  }

  it.effect("is not final as long as blocks are made, however slowly, until 6 are above its own", () =>
    Effect.gen(function*() {
      let head = 5
      const at = settled(Effect.sync(() => head))
      for (; head < 11; head++) assert.isFalse(yield* at(5000), `block ${head}`)
      assert.isTrue(yield* at(0))
    }))

  it.effect("is final 6 seconds after the last block", () =>
    Effect.gen(function*() {
      const at = settled(Effect.succeed(7))
      assert.isFalse(yield* at(0))
      assert.isFalse(yield* at(5999))
      assert.isTrue(yield* at(1))
    }))

  it.effect("is not final before it was as long in the block that a reorganisation has moved it to", () =>
    Effect.gen(function*() {
      const at = settled(Effect.succeed(7))
      assert.isFalse(yield* at(0))
      assert.isFalse(yield* at(5999))
      assert.isFalse(yield* at(1, 6))
      assert.isFalse(yield* at(5999, 6))
      assert.isTrue(yield* at(1, 6))
    }))

  it.effect("is not final while the newest block can't be read", () =>
    Effect.gen(function*() {
      const at = settled(new LookupFailed({ problem: "no node" }))
      for (let turn = 0; turn < 10; turn++) assert.isFalse(yield* at(5000))
    }))
})
