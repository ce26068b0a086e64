import * as Address from "@effect-klaytn/core/Address"
import * as FeeDelegation from "@effect-klaytn/wallet/FeeDelegation"
import * as NonceSource from "@effect-klaytn/wallet/NonceSource"
import * as TransactionLookup from "@effect-klaytn/wallet/TransactionLookup"
import * as Transactions from "@effect-klaytn/wallet/Transactions"
import * as Wallet from "@effect-klaytn/wallet/Wallet"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Sandbox from "../src/Sandbox.js"

const http = Layer.provideMerge(Sandbox.clientConfig(1001), FetchHttpClient.layer)

const services = Layer.mergeAll(Wallet.layer(), Transactions.layer(), NonceSource.layer()).pipe(
  Layer.provideMerge(TransactionLookup.layer()),
  Layer.provide(http),
  Layer.provideMerge(Sandbox.layer({ seed: "gaps" }))
)

describe("a gap in the nonces of an account", () => {
  it.scopedLive(
    "holds up what is sent above it, which is told, until it is filled by cancellations",
    () =>
      Effect.gen(function*() {
        const wallet = yield* Wallet.Wallet
        const nonces = yield* NonceSource.NonceSource
        const { chains } = yield* Sandbox.Sandbox
        const { address: from } = yield* wallet.createAccount
        yield* chains.chain(1001).fund(`0x${from.slice(2)}`, 10n ** 20n)
        const payment = { from, to: Address.zero, value: 1n, payer: FeeDelegation.service }
        yield* wallet.sendValue(payment)
        assert.strictEqual(yield* nonces.reserve(from), 1)
        yield* nonces.release(from, 1)
        const ahead = yield* wallet.sendValue({ ...payment, nonce: 3 })
        yield* nonces.confirm(from, 3)
        assert.deepStrictEqual((yield* nonces.report(from)).gaps, [1, 2])
        if (ahead._tag !== "Sent") return assert.fail(ahead._tag)
        const waiting = yield* TransactionLookup.confirm(ahead, { within: "50 millis", pollInterval: "10 millis" })
        assert.deepInclude(waiting, { _tag: "Stuck", nonce: 3, nextNonce: 1 })
        const filled = yield* NonceSource.fillGaps(from, FeeDelegation.sender)
        assert.deepStrictEqual(filled.map(({ nonce, outcome }) => `${nonce} ${outcome._tag}`), ["1 Sent", "2 Sent"])
        const ended = yield* TransactionLookup.confirm(ahead, { within: "30 seconds", pollInterval: "10 millis" })
        assert.deepStrictEqual(
          [ended._tag, ended._tag === "Executed" ? ended.transaction.state : undefined],
          ["Executed", "succeeded"]
        )
        assert.deepStrictEqual(yield* nonces.report(from), { next: 4, open: [], unresolved: [], gaps: [] })
      }).pipe(Effect.provide(services))
  )
})
