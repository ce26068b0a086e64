import * as Hash from "@effect-klaytn/core/Hash"
import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import type * as TransactionLookup from "@effect-klaytn/wallet/TransactionLookup"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Payouts from "../src/Payouts.js"
import * as PayoutState from "../src/PayoutState.js"
import * as Backend from "./support/backend.js"

const { order } = Backend

const get = (key: string) => Effect.flatMap(Payouts.Payouts, (payouts) => payouts.get(key))

const refused = (key: string, resolution: Payouts.Resolution) =>
  Effect.flatMap(Payouts.Payouts, (payouts) => Effect.flip(payouts.resolve(key, resolution)))

/** An account that has sent, on a sandbox whose blocks are made by hand. */
const account = Effect.gen(function*() {
  const from = yield* Backend.account(0)
  const { sendValue } = yield* Backend.stranger
  yield* sendValue({ from, to: Backend.aside, value: 1n, payer: { _tag: "ServiceFeePayer" } })
  yield* Backend.mine
  return from
})

const submitted = (from: string, tag: PayoutState.Tag) =>
  Effect.gen(function*() {
    yield* Effect.flatMap(Payouts.Payouts, (payouts) => payouts.submit(order("a", from)))
    return yield* Backend.until(get("a"), ({ state }) => state._tag === tag)
  })

/** A payment that waits for a block, by the hash of its transaction. */
const sent = (from: string) =>
  Effect.map(submitted(from, "Sent"), ({ state }): Hash.Hash => {
    if (state._tag !== "Sent") throw new Error(`a payment that is ${state._tag} has no transaction`)
    return state.transactionHash
  })

const byHand = { mining: "manual" } as const

/** A node that has lost the transaction, as one that was restarted. */
const forgetful: TransactionLookup.Service = {
  nextNonce: () => Effect.succeed(1),
  byHash: () => Effect.succeedNone,
  byNonce: () => Effect.succeedNone,
  byNonces: () => Effect.succeed([])
}

describe("a resolution as not sent", () => {
  it.scopedLive("is refused while the payment waits for a block, and the block pays it once", () =>
    Backend.onSandbox(
      Effect.gen(function*() {
        const from = yield* account
        yield* Effect.gen(function*() {
          const transactionHash = yield* sent(from)
          const error = yield* refused("a", { _tag: "NotSent" })
          assert.strictEqual(error._tag, "InvalidTransition")
          assert.include(error.message, `it waits for a block as ${transactionHash}: cancel it`)
          const payouts = yield* Payouts.Payouts
          const waiting = yield* payouts.resolve("a", { _tag: "Sent", transactionHash })
          assert.deepInclude(waiting.state, { _tag: "Sent", transactionHash })
          yield* Backend.mine
          assert.deepInclude((yield* payouts.wait("a")).state, { _tag: "Executed", transactionHash })
          assert.strictEqual((yield* Backend.payments).length, 1)
        }).pipe(Effect.provide(Backend.process()))
      }),
      byHand
    ))

  it.scopedLive("is refused if the answer was lost and the node has a transaction with its nonce", () =>
    Backend.onSandbox(
      Effect.gen(function*() {
        const from = yield* account
        const { control } = yield* Sandbox.Sandbox
        yield* control.addFault({
          times: 1000,
          operation: "wallet.sendValue",
          action: { kind: "drop", when: "after" }
        })
        yield* Effect.gen(function*() {
          yield* submitted(from, "Unknown")
          const error = yield* Effect.repeat(refused("a", { _tag: "NotSent" }), {
            until: ({ message }) => !message.includes("at this moment") && !message.includes("was changed")
          })
          assert.include(error.message, "the node has a transaction with nonce 1 that waits for a block")
        }).pipe(Effect.provide(Backend.process()))
      }),
      byHand
    ))

  it.scopedLive("is refused for a payment that was accepted and that the node has lost, until a block has its nonce", () =>
    Backend.onSandbox(
      Effect.gen(function*() {
        const from = yield* account
        const file = yield* Backend.temporaryFile
        const transactionHash = yield* Effect.provide(sent(from), Backend.process({}, file))
        yield* Effect.gen(function*() {
          const error = yield* refused("a", { _tag: "NotSent" })
          assert.include(error.message, `the service named it as ${transactionHash}, which a later block may have`)
          const payouts = yield* Payouts.Payouts
          const own = yield* payouts.resolve("a", { _tag: "Sent", transactionHash })
          assert.strictEqual(own.state._tag, "Sent")
          const other = yield* refused("a", { _tag: "Sent", transactionHash: `0x${"ab".repeat(32)}` })
          assert.include(other.message, "the chain shows no such transaction with nonce 1")
        }).pipe(Effect.provide(Backend.process({ lookup: forgetful }, file)))
        yield* Effect.gen(function*() {
          const payouts = yield* Payouts.Payouts
          yield* payouts.cancel("a")
          yield* Backend.until(
            Effect.zipRight(Backend.mine, get("a")),
            ({ state }) => PayoutState.isFinal(state)
          )
          assert.isAtMost((yield* Backend.payments).length, 1)
          const late = yield* refused("a", { _tag: "NotSent" })
          assert.include(late.message, "nothing of it is in doubt")
        }).pipe(Effect.provide(Backend.process({}, file)))
      }),
      byHand
    ))

  it.scopedLive("ends nothing by a block that can still be moved", () =>
    Backend.onSandbox(
      Effect.gen(function*() {
        const from = yield* account
        yield* Effect.gen(function*() {
          const transactionHash = yield* sent(from)
          yield* Backend.mine
          const payouts = yield* Payouts.Payouts
          const own = yield* payouts.resolve("a", { _tag: "Sent", transactionHash })
          assert.deepInclude(own.state, { _tag: "Sent", transactionHash })
          const on = Effect.map(Sandbox.Sandbox, ({ chains }) => chains.chain(1001))
          yield* (yield* on).reorg(1, { transactions: "drop" })
          const { sendValue } = yield* Backend.stranger
          yield* sendValue({ from, to: Backend.aside, value: 1n, nonce: 1, payer: { _tag: "ServiceFeePayer" } })
          yield* Backend.mine
          const error = yield* refused("a", { _tag: "NotSent" })
          assert.include(error.message, "which can still be moved: it ends when 20 blocks are above that")
          assert.strictEqual((yield* get("a")).state._tag, "Sent")
        }).pipe(Effect.provide(Backend.process({ confirmations: 20 })))
      }),
      byHand
    ))

  it("is no event for a payment that is being sent or has a hash", () => {
    const attempt = { attempt: 1, nonce: 3, sends: 1, doubt: true }
    const hash = Effect.runSync(Hash.make(`0x${"ab".repeat(32)}`))
    const not = (state: PayoutState.PayoutState) =>
      PayoutState.step(state, { _tag: "DeclaredNotSent", attempt: 1 })._tag
    assert.strictEqual(not({ _tag: "Sending", ...attempt }), "Left")
    assert.strictEqual(not({ _tag: "Sent", ...attempt, transactionHash: hash }), "Left")
    assert.strictEqual(not({ _tag: "Unknown", ...attempt, problem: "", transactionHash: hash }), "Left")
    assert.strictEqual(not({ _tag: "Unknown", ...attempt, problem: "" }), "Right")
  })
})
