import * as TransferHistory from "@effect-klaytn/history/TransferHistory"
import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** The program under test: how often an account was paid. */
const payments = (address: string) =>
  Effect.gen(function*() {
    const history = yield* TransferHistory.TransferHistory
    const { items } = yield* history.getTransfersByEoa({ address, only: "to" })
    return items.length
  })

const World = TransferHistory.layer().pipe(
  Layer.provide(Sandbox.clientConfig(1001)),
  Layer.provide(FetchHttpClient.layer),
  Layer.provideMerge(Sandbox.layer({ seed: "shop" }))
)

// With the real clock: under the test clock time does not pass by itself, and a retry would wait until vitest gives up.
layer(World, { excludeTestServices: true })("The shop", (it) => {
  it.effect("sees a payment, also when the service fails at first", () =>
    Effect.gen(function*() {
      const { control } = yield* Sandbox.Sandbox
      const chain = control.chain(1001)
      const snapshot = yield* chain.snapshot
      const shop = yield* chain.createAccount({ name: "shop" })
      yield* chain.transfer({ from: "alice", to: "shop", amount: 10n ** 18n })
      yield* control.addFault({
        operation: "history.getTransfersByEoa",
        action: { kind: "answer", status: 503 }
      })
      assert.strictEqual(yield* payments(shop.address), 1)
      assert.strictEqual((yield* control.requests({ operation: "history.getTransfersByEoa" })).length, 2)
      // The next test begins where this one began.
      yield* chain.revert(snapshot)
    }))
})
