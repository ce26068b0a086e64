import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import * as Multisig from "@effect-klaytn/wallet/Multisig"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import { assert, describe, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as Payouts from "../src/Payouts.js"
import * as Backend from "./support/backend.js"

const { order, until } = Backend

const multisig = Effect.provide(
  Multisig.make(),
  Layer.provideMerge(Sandbox.clientConfig(1001), FetchHttpClient.layer)
)

/** An account that has sent two transactions, whose two signers both have to sign. */
const shared = Effect.gen(function*() {
  const address = yield* Backend.account()
  const wallet = yield* Backend.stranger
  const client = yield* multisig
  const signers = yield* Effect.replicateEffect(wallet.createAccount, 2)
  yield* client.updateMultiSig({
    address,
    threshold: 2,
    weightedKeys: signers.map(({ publicKey }) => ({ publicKey, weight: 1 }))
  })
  const waiting = Effect.map(Stream.runCollect(client.getPendingTransactions.items({ address })), Chunk.toReadonlyArray)
  const sign = (transactionId: string) =>
    Effect.forEach(signers, (signer) => client.signPending({ address: signer.address, transactionId }), {
      discard: true
    })
  return { address, waiting, sign }
})

const payouts = Payouts.Payouts

const stateOf = (key: string) => Effect.flatMap(payouts, (all) => Effect.map(all.get(key), ({ state }) => state))

const waits = (key: string) => until(stateOf(key), ({ _tag }) => _tag === "WaitingForSignatures")

/** Long enough for several looks and for a resend. */
const quick: Payouts.Options = { stuckAfter: "50 millis" }

describe("a payment of an account with several signers", () => {
  it.scopedLive("waits for signatures, is sent once, and is executed when they have signed", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const { address, sign, waiting } = yield* shared
      yield* Effect.gen(function*() {
        const all = yield* payouts
        yield* all.submit(order("a", address))
        const state = yield* waits("a")
        const [one, ...more] = yield* waiting
        assert.deepStrictEqual(more, [])
        assert.strictEqual(state._tag === "WaitingForSignatures" && state.transactionId, one?.transactionId)
        yield* Effect.sleep("500 millis")
        assert.strictEqual((yield* waiting).length, 1)
        const refused = yield* Effect.flip(all.resolve("a", { _tag: "NotSent" }))
        assert.include(refused.message, "its signers may sign")
        yield* sign(one?.transactionId ?? "")
        assert.strictEqual((yield* all.wait("a")).state._tag, "Executed")
        assert.strictEqual((yield* Backend.payments).length, 1)
      }).pipe(Effect.provide(Backend.process(quick)))
    })))

  it.scopedLive("is sent once if the answer that it waits for signatures is lost", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const { address, sign, waiting } = yield* shared
      const { control } = yield* Sandbox.Sandbox
      yield* control.addFault({ operation: "wallet.sendValue", times: 1, action: { kind: "drop", when: "after" } })
      yield* Effect.gen(function*() {
        const all = yield* payouts
        yield* all.submit(order("a", address))
        yield* waits("a")
        const [one, ...more] = yield* waiting
        assert.deepStrictEqual(more, [])
        yield* sign(one?.transactionId ?? "")
        assert.strictEqual((yield* all.wait("a")).state._tag, "Executed")
      }).pipe(Effect.provide(Backend.process(quick)))
    })))

  it.scopedLive("is cancelled by one cancellation, which the signers sign instead", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const { address, sign, waiting } = yield* shared
      yield* Effect.gen(function*() {
        const all = yield* payouts
        yield* all.submit(order("a", address))
        yield* waits("a")
        yield* all.cancel("a")
        const both = yield* until(waiting, ({ length }) => length > 1)
        yield* Effect.sleep("500 millis")
        assert.strictEqual((yield* waiting).length, 2)
        const cancellation = both.find(({ txData }) => txData.to === undefined)
        yield* sign(cancellation?.transactionId ?? "")
        assert.strictEqual((yield* all.wait("a")).state._tag, "Cancelled")
        assert.strictEqual((yield* Backend.payments).length, 0)
      }).pipe(Effect.provide(Backend.process(quick)))
    })))

  it.scopedLive("is cancelled by one cancellation if the answer to that is lost", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const { address, waiting } = yield* shared
      const { control } = yield* Sandbox.Sandbox
      for (const operation of ["wallet.cancel", "wallet.fdCancel"]) {
        yield* control.addFault({ operation, times: 1, action: { kind: "drop", when: "after" } })
      }
      yield* Effect.gen(function*() {
        const all = yield* payouts
        yield* all.submit(order("a", address))
        yield* waits("a")
        yield* all.cancel("a")
        yield* until(
          all.get("a"),
          ({ history }) => history.filter(({ event }) => event._tag === "SignaturesMissing").length === 2
        )
        yield* Effect.sleep("500 millis")
        assert.strictEqual((yield* waiting).length, 2)
      }).pipe(Effect.provide(Backend.process(quick)))
    })))

  it.scopedLive("closes after a time, and lets the next payment of its account use its nonce", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const { address, sign, waiting } = yield* shared
      yield* Effect.gen(function*() {
        const all = yield* payouts
        yield* all.submit(order("a", address))
        yield* until(waiting, ({ length }) => length === 2)
        yield* all.submit(order("b", address, 6n))
        const three = yield* until(waiting, ({ length }) => length === 3)
        const next = three.find(({ txData }) => txData.value === 6n)
        yield* sign(next?.transactionId ?? "")
        assert.strictEqual((yield* all.wait("b")).state._tag, "Executed")
        const { state } = yield* all.wait("a")
        assert.deepInclude(state, { _tag: "Refused", reason: "SignaturesMissing" })
        assert.strictEqual((yield* Backend.payments).length, 1)
      }).pipe(Effect.provide(Backend.process({ ...quick, signaturesWithin: "300 millis" })))
    })))
})
