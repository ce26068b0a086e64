import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
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
