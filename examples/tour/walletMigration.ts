/** Two accounts with local keys move into the wallet: afterwards the wallet can spend for them and the old keys can't. */
import * as Address from "@effect-klaytn/core/Address"
import * as DevAccount from "@effect-klaytn/local-chain/DevAccount"
import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import * as FeeDelegation from "@effect-klaytn/wallet/FeeDelegation"
import * as Migration from "@effect-klaytn/wallet/Migration"
import { MigrationProgress } from "@effect-klaytn/wallet/MigrationProgress"
import * as OldKey from "@effect-klaytn/wallet/OldKey"
import * as Wallet from "@effect-klaytn/wallet/Wallet"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { Market } from "./Market.js"
import { Narrator, Unexpected } from "./Narrator.js"
import type { Step } from "./Step.js"
import { balanceOf, klay, layer } from "./Wallets.js"

/** A step of the migration, in words. */
const told = MigrationProgress.$match({
  AlreadyMigrated: () => "is in the wallet already",
  KeyAssigned: ({ resumed }) => resumed ? "has its key of an earlier run" : "got a new key",
  Signed: ({ nonce }) => `signed its update with its old key, nonce ${nonce}`,
  Registered: () => "is registered",
  Failed: ({ problem, step }) => `failed to ${step}: ${problem}`,
  Unclear: () => "may be registered or not"
})

export const walletMigration: Step = {
  title: "Two accounts of a node of one's own move into the wallet",
  run: Effect.gen(function*() {
    const { chains } = yield* Sandbox.Sandbox
    const chain = chains.chain(1001)
    const { bob } = yield* Market
    const migration = yield* Migration.Migration
    const wallet = yield* Wallet.Wallet
    const { expect, say } = yield* Narrator

    const owners = [chains.account("till"), chains.account("safe")]
    for (const { address } of owners) yield* chain.fund(address, 2n * klay)
    const accounts = owners.map((owner) => ({
      address: owner.address,
      oldKey: OldKey.single(Redacted.make(DevAccount.revealPrivateKey(owner)))
    }))
    const addresses = yield* Effect.forEach(owners, ({ address }) => Address.make(address))

    const { failures, previews } = yield* migration.dryRun(accounts)
    for (const line of previews[0]?.text.split("\n") ?? []) yield* say(`| ${line}`)
    yield* expect("a dry run finds nothing in the way of either", [
      failures.length,
      previews.map((one) => one.accepted)
    ], [
      0,
      [true, true]
    ])

    const steps = yield* migration.migrateAccounts(accounts).pipe(
      Stream.tap((step) => say(`${Address.checksum(step.address)} ${told(step)}`)),
      Stream.runCollect,
      Effect.map(Chunk.toReadonlyArray)
    )
    const registered = steps.flatMap((step) => step._tag === "Registered" ? [step.address] : [])
    yield* expect("both are registered", registered, addresses)
    yield* expect("and cost their owners nothing", yield* Effect.forEach(addresses, balanceOf), [2n * klay, 2n * klay])

    const again = yield* Stream.runCollect(migration.migrateAccounts(accounts))
    yield* expect("a second run has nothing to do", Chunk.toReadonlyArray(again).map(({ _tag }) => _tag), [
      "AlreadyMigrated",
      "AlreadyMigrated"
    ])

    const before = yield* balanceOf(bob.address)
    for (const from of addresses) {
      yield* wallet.sendValue({ from, to: bob.address, value: klay, payer: FeeDelegation.service })
    }
    yield* expect("the wallet spends with their new keys", (yield* balanceOf(bob.address)) - before, 2n * klay)
    const refusals = yield* Effect.forEach(
      owners,
      (from) =>
        Effect.flip(chain.send({ kind: "transfer", from, to: bob.address, value: 1n })).pipe(
          Effect.mapError(() => new Unexpected({ message: "an old key still opens an account" }))
        )
    )
    yield* say(`an old key: ${refusals[0]?.message ?? ""}`)
    yield* expect("their old keys open nothing any more", refusals.map(({ _tag }) => _tag), [
      "TransactionRejected",
      "TransactionRejected"
    ])
  }).pipe(Effect.provide(layer))
}
