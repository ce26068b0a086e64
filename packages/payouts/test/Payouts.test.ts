import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Payouts from "../src/Payouts.js"
import * as Backend from "./support/backend.js"

describe("a payout", () => {
  it.scopedLive("is made once for a key, however often it is asked for, and everyone is told its end", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account()
      yield* Effect.gen(function*() {
        const payouts = yield* Payouts.Payouts
        const asked = yield* Effect.all(
          [1, 2, 3].map(() => payouts.pay(Backend.order("order-1", from))),
          { concurrency: "unbounded" }
        )
        const [payment, ...more] = yield* Backend.payments
        assert.deepStrictEqual(more, [])
        for (const { state } of [...asked, yield* payouts.pay(Backend.order("order-1", from))]) {
          assert.deepInclude(state, { _tag: "Executed", attempt: 1, nonce: 1 })
          if (state._tag !== "Executed") continue
          assert.deepStrictEqual([state.transactionHash, state.block], [payment?.hash, payment?.block])
        }
        const { history } = yield* payouts.get("order-1")
        assert.deepStrictEqual(history.map(({ state }) => state._tag), ["Reserved", "Sending", "Sent", "Executed"])
      }).pipe(Effect.provide(Backend.process()))
    })))
})
