/** Share something out among the owners of a collection, from a table of owners that did not change while it was read. */
import type { Address } from "@effect-klaytn/core/Address"
import * as TransferHistory from "@effect-klaytn/history/TransferHistory"
import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import * as OwnerChanges from "@effect-klaytn/tokens/OwnerChanges"
import * as OwnerSnapshot from "@effect-klaytn/tokens/OwnerSnapshot"
import * as TokenData from "@effect-klaytn/tokens/TokenData"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import assert from "node:assert/strict"

/** A collection of ten, of which alice keeps six and bob gets four, and a preset that finds its transfers. */
const collection = Effect.gen(function*() {
  const { control } = yield* Sandbox.Sandbox
  const chain = control.chain(1001)
  const { address } = yield* chain.deploy({ kind: "nft", from: "alice", name: "Picture", symbol: "PIC" })
  for (let tokenId = 1n; tokenId <= 10n; tokenId++) {
    yield* chain.mint(address, { kind: "nft", from: "alice", to: tokenId > 6n ? "bob" : "alice", tokenId })
  }
  return { contract: address, preset: (yield* chain.createPreset({ name: "pictures", contracts: [address] })).id }
})

/** Who holds how many. The list is read again if a token moved in the meantime. */
const holdings = (contract: string, preset: number) =>
  Effect.gen(function*() {
    const history = yield* TransferHistory.TransferHistory
    const { owners, verdict } = yield* OwnerSnapshot.snapshotNftOwners({
      contract,
      changes: OwnerChanges.fromTransfers((search) => history.getTransfers.items({ presets: [preset], ...search })),
      readings: 3,
      slack: "1 second"
    }).pipe(OwnerSnapshot.collect)
    if (verdict?._tag !== "Unchanged") return yield* Effect.dieMessage("the collection does not stand still")
    const held = new Map<Address, number>()
    for (const { owner } of owners) held.set(owner, (held.get(owner) ?? 0) + 1)
    return held
  })

const program = Effect.gen(function*() {
  const { chains } = yield* Sandbox.Sandbox
  const { contract, preset } = yield* collection
  const held = yield* holdings(contract, preset)
  for (const [owner, pieces] of held) console.log(`${owner} holds ${pieces} of 10`)
  assert.deepEqual(
    new Map([...held].map(([owner, pieces]): readonly [string, number] => [owner, pieces])),
    new Map([[chains.account("bob").address, 4], [chains.account("alice").address, 6]])
  )
})

const Clients = Layer.merge(TransferHistory.layer(), TokenData.layer()).pipe(
  Layer.provide(Sandbox.clientConfig(1001)),
  Layer.provide(FetchHttpClient.layer)
)

await Effect.runPromise(Effect.provide(program, Layer.provideMerge(Clients, Sandbox.layer())))
