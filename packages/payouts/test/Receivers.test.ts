import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import * as FeeDelegation from "@effect-klaytn/wallet/FeeDelegation"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Batch from "../src/Batch.js"
import * as Payouts from "../src/Payouts.js"
import * as Backend from "./support/backend.js"

/** Code that is deployed as it is: it takes any call, or refuses all of them. */
const codes = { taking: "0x6001600c60003960016000f300", refusing: "0x6005600c60003960056000f360006000fd" } as const

const chain = Effect.map(Sandbox.Sandbox, ({ chains }) => chains.chain(1001))

/** A contract with a code. */
const contract = (code: keyof typeof codes) =>
  Effect.gen(function*() {
    const on = yield* chain
    const hash = yield* on.send({ from: on.faucet, kind: "deploy", code: codes[code] })
    const { contractAddress } = yield* Effect.flatten(on.transaction(hash))
    return contractAddress ?? "none"
  })

const balance = (address: string) =>
  Effect.flatMap(chain, (on) =>
    Effect.map(
      on.account(`0x${address.slice(2)}`),
      Option.match({ onNone: () => 0n, onSome: ({ balance }) => balance })
    ))

const payment = (key: string, from: string, to: string, memo?: string): Payouts.PayInput => ({
  key,
  from,
  to,
  value: 5n,
  payer: FeeDelegation.service,
  ...(memo === undefined ? {} : { memo })
})

describe("a payment to a contract", () => {
  it.scopedLive("is made by a call, and the account of its nonce goes on", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account()
      const to = yield* contract("taking")
      yield* Effect.gen(function*() {
        const payouts = yield* Payouts.Payouts
        const input = payment("a", from, to)
        assert.isTrue(Option.isNone((yield* payouts.check(input)).stored))
        assert.deepInclude((yield* payouts.pay(input)).state, { _tag: "Executed", attempt: 1, nonce: 1 })
        assert.strictEqual(yield* balance(to), 5n)
        assert.strictEqual((yield* payouts.pay(input)).state._tag, "Executed")
        assert.deepInclude((yield* payouts.pay(Backend.order("b", from))).state, { _tag: "Executed", nonce: 2 })
      }).pipe(Effect.provide(Backend.process()))
    })))

  it.scopedLive("whose answer is lost is found by its content", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account()
      const to = yield* contract("taking")
      const { control } = yield* Sandbox.Sandbox
      yield* control.addFault({ operation: "wallet.fdExecute", times: 2, action: { kind: "drop", when: "after" } })
      yield* Effect.gen(function*() {
        const payouts = yield* Payouts.Payouts
        assert.deepInclude((yield* payouts.pay(payment("a", from, to))).state, { _tag: "Executed", attempt: 1 })
        assert.strictEqual(yield* balance(to), 5n)
        assert.include((yield* payouts.get("a")).history.map(({ state }) => state._tag), "Unknown")
      }).pipe(Effect.provide(Backend.process()))
    })))

  it.scopedLive("that does not take it is refused in words, by a check and by the first step, without a nonce", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account()
      const refusing = yield* contract("refusing")
      const taking = yield* contract("taking")
      yield* Effect.gen(function*() {
        const payouts = yield* Payouts.Payouts
        const nobody = "0x00000000000000000000000000000000000ad001"
        const call = { _tag: "Execute" as const, from, to: nobody, input: "0x12345678" }
        const inputs: ReadonlyArray<readonly [Payouts.PayInput, string]> = [
          [payment("refusing", from, refusing), "does not take the payment"],
          [payment("memo", from, taking, "rent"), "leave the memo out"],
          [{ key: "call", request: call, payer: FeeDelegation.service }, "there is no contract at"]
        ]
        for (const [input, problem] of inputs) {
          const error = yield* Effect.flip(payouts.check(input))
          assert.strictEqual(error._tag, "InvalidInput")
          assert.include(error.message, problem)
          const { state } = yield* payouts.pay(input)
          assert.deepInclude(state, { _tag: "Refused", reason: "NotPayable" })
          assert.include(state._tag === "Refused" ? state.problem : "", problem)
        }
        const { problems } = yield* Batch.check(Batch.fromInputs(Stream.make(payment("line", from, refusing))))
        assert.include(problems[0]?.problem, "does not take the payment")
        assert.deepInclude((yield* payouts.pay(Backend.order("b", from))).state, { _tag: "Executed", nonce: 1 })
      }).pipe(Effect.provide(Backend.process()))
    })))
})
