/**
 * The sandbox inside a program: set up a chain, read it through the client, make the service fail, and restore a
 * snapshot. A test of an application does the same.
 */
import * as TransferHistory from "@effect-klaytn/history/TransferHistory"
import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import assert from "node:assert/strict"

const klay = 10n ** 18n

const program = Effect.gen(function*() {
  const { control, url } = yield* Sandbox.Sandbox
  const history = yield* TransferHistory.TransferHistory
  const chain = control.chain(1001)
  console.log(`the service is ${url}`)

  // Real transactions: alice deploys a token contract, mints, and pays bob, who pays no fee: carol does.
  const alice = yield* chain.createAccount({ name: "alice", amount: 10n * klay })
  const bob = yield* chain.createAccount({ name: "bob" })
  yield* chain.createAccount({ name: "carol", amount: klay })
  const apples = yield* chain.deploy({ kind: "ft", from: "alice", name: "Apple", symbol: "APL", decimals: 2 })
  yield* chain.mint(apples.address, { kind: "ft", from: "alice", to: "alice", amount: 1000n })
  yield* chain.transferToken(apples.address, { kind: "ft", from: "alice", to: "bob", amount: 350n })
  const sent = yield* chain.transferToken(apples.address, {
    kind: "ft",
    from: "bob",
    to: "alice",
    amount: 50n,
    feePayer: "carol"
  })
  console.log(`bob sent apples back, carol paid ${sent.fee} peb for it`)

  const search = history.getTransfersByEoa({ address: bob.address, contract: apples.address, kinds: ["ft"] })
  const apple = yield* Effect.map(
    search,
    ({ items }) => items.flatMap((one) => one._tag === "FtTransfer" ? [one.formattedValue] : [])
  )
  assert.deepEqual(apple, ["0.5", "3.5"])

  // The connection breaks once: the client retries, and the request log has both attempts.
  yield* control.clearRequests
  yield* control.addFault({ action: { kind: "drop", when: "before" } })
  yield* search
  const statuses = (yield* control.requests()).map(({ status }) => status)
  console.log(`the service saw ${statuses.map((status) => status ?? "a broken connection").join(", then ")}`)
  assert.deepEqual(statuses, [undefined, 200])

  // Restoring a snapshot undoes whatever happened after it.
  const snapshot = yield* chain.snapshot
  yield* chain.transfer({ from: "alice", to: bob.address, amount: klay })
  assert.equal(
    (yield* history.getTransfersByEoa({ address: bob.address, kinds: ["coin"], excludeZeroCoin: true })).items.length,
    1
  )
  yield* chain.revert(snapshot)
  assert.equal(
    (yield* history.getTransfersByEoa({ address: bob.address, kinds: ["coin"], excludeZeroCoin: true })).items.length,
    0
  )
  console.log(`${alice.name} has her coin again`)
})

const History = TransferHistory.layer().pipe(
  Layer.provide(Sandbox.clientConfig(1001)),
  Layer.provide(FetchHttpClient.layer)
)

await Effect.runPromise(Effect.provide(program, Layer.provideMerge(History, Sandbox.layer())))
