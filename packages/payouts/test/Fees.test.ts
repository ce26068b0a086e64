/** Who pays the fee of a payout, compared with who was asked for. */
import { Address } from "@effect-klaytn/core/Address"
import type { FeePayerStyle } from "@effect-klaytn/core/FeePayerStyle"
import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import type { PaidBy } from "@effect-klaytn/wallet/SendOutcome"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as LogLevel from "effect/LogLevel"
import * as Metric from "effect/Metric"
import * as MetricState from "effect/MetricState"
import * as Schema from "effect/Schema"
import * as Payouts from "../src/Payouts.js"
import * as PayoutState from "../src/PayoutState.js"
import * as Backend from "./support/backend.js"
import { hashOf } from "./support/classification.js"

const counted = Effect.map(Metric.snapshot, (pairs) => {
  const found = pairs.find(({ metricKey }) => metricKey.name === "klaytn.payouts.paid_by_other")
  return found !== undefined && MetricState.isCounterState(found.metricState) ? Number(found.metricState.count) : 0
})

/**
 * Makes a payment whose fee the service should pay, on a sandbox that reads the paths of public clients, by a client of a
 * style. `lost` loses the first answer.
 */
const pay = (style: FeePayerStyle, lost = false) =>
  Backend.onSandbox(
    Effect.gen(function*() {
      const from = yield* Backend.account()
      const { control } = yield* Sandbox.Sandbox
      if (lost) yield* control.addFault({ operation: "wallet.sendValue", action: { kind: "drop", when: "after" } })
      const before = yield* counted
      const { lines, use } = Backend.errorLines(LogLevel.Warning)
      const payout = yield* Effect.gen(function*() {
        const payouts = yield* Payouts.Payouts
        yield* payouts.pay(Backend.order("order-1", from))
        return yield* payouts.get("order-1")
      }).pipe(Effect.provide(Backend.process({}, ":memory:", 1001, FetchHttpClient.layer, style)), use)
      return {
        from,
        state: payout.state,
        paidBy: payout.history.flatMap(({ event }) => "paidBy" in event ? [[event._tag, event.paidBy] as const] : []),
        rise: (yield* counted) - before,
        lines: lines.filter((line) => line.startsWith("payout order-1"))
      }
    }),
    { feePayerStyle: "paths" }
  )

describe("the fee of a payout", () => {
  it.scopedLive("is counted, logged once and told in the history if the sender pays although the service was asked to", () =>
    Effect.gen(function*() {
      const { from, lines, paidBy, rise, state } = yield* pay("document")
      const other = { _tag: "Other", address: from } as const
      assert.deepStrictEqual<unknown>(paidBy, [["Accepted", other], ["Found", other]])
      assert.deepInclude(state, { _tag: "Executed", paidBy: other })
      assert.strictEqual(rise, 1)
      assert.deepStrictEqual(lines, [
        "payout order-1: the sender paid the fee, and its payer is ServiceFeePayer: check feePayerStyle of the " +
        "configuration (KLAYTN_FEE_PAYER_STYLE)"
      ])
    }))

  it.scopedLive("is counted and logged once too if the answer was lost, and a look-up shows who pays", () =>
    Effect.gen(function*() {
      const { from, lines, paidBy, rise } = yield* pay("document", true)
      const other = { _tag: "Other", address: from } as const
      assert.deepStrictEqual<unknown>(paidBy, [["Accepted", other], ["Found", other]])
      assert.deepStrictEqual([rise, lines.length], [1, 1])
    }))

  it.scopedLive("is neither counted nor logged if the one who was asked pays", () =>
    Effect.gen(function*() {
      const { lines, paidBy, rise, state } = yield* pay("paths")
      assert.deepStrictEqual(paidBy.map(([tag, by]) => [tag, by?._tag]), [["Accepted", "AsAsked"], [
        "Found",
        "AsAsked"
      ]])
      assert.strictEqual("paidBy" in state ? state.paidBy?._tag : undefined, "AsAsked")
      assert.deepStrictEqual([rise, lines], [0, []])
    }))
})

describe("a block that does not say who paid", () => {
  const address = Schema.decodeSync(Address)("0x71c7656ec7ab88b098defb751b7401b5f6d8976f")
  const other: PaidBy = { _tag: "Other", address }
  const notKnown: PaidBy = { _tag: "NotKnown" }
  const accepted = hashOf("pay 5", 1)

  /** Who paid for the transaction that was found, after another or the same was accepted. */
  const paidBy = (transactionHash: typeof accepted, found: PaidBy, succeeded = true) => {
    const sent = {
      _tag: "Sent",
      attempt: 1,
      nonce: 1,
      sends: 1,
      doubt: false,
      transactionHash: accepted,
      paidBy: other
    } as const
    const state = Either.getOrThrow(PayoutState.step(sent, {
      _tag: "Found",
      attempt: 1,
      nonce: 1,
      transactionHash,
      block: 7,
      succeeded,
      paidBy: found
    }))
    return "paidBy" in state ? [state._tag, state.paidBy] : [state._tag]
  }

  it("leaves what was answered for the same transaction, and nothing that was answered for another one", () => {
    assert.deepStrictEqual(paidBy(accepted, notKnown), ["Executed", other])
    assert.deepStrictEqual(paidBy(accepted, notKnown, false), ["Refused", other])
    assert.deepStrictEqual(paidBy(hashOf("pay 6", 1), notKnown), ["Executed", notKnown])
  })

  it("is the only reason to read the answer", () => {
    const asked: PaidBy = { _tag: "AsAsked", address }
    assert.deepStrictEqual(paidBy(accepted, asked), ["Executed", asked])
  })
})
