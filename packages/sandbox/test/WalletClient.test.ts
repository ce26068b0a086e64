import * as Krn from "@effect-klaytn/core/Krn"
import * as RetryPolicy from "@effect-klaytn/core/RetryPolicy"
import * as DevAccount from "@effect-klaytn/local-chain/DevAccount"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Accounts from "@effect-klaytn/wallet/Accounts"
import * as Keys from "@effect-klaytn/wallet/Keys"
import * as Migration from "@effect-klaytn/wallet/Migration"
import * as MigrationJournal from "@effect-klaytn/wallet/MigrationJournal"
import * as OldKey from "@effect-klaytn/wallet/OldKey"
import * as Pool from "@effect-klaytn/wallet/Pool"
import * as Resources from "@effect-klaytn/wallet/Resources"
import * as Wallet from "@effect-klaytn/wallet/Wallet"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import { assert, layer } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as Sandbox from "../src/Sandbox.js"

const retry = RetryPolicy.make({ attempts: 3, baseDelay: Duration.millis(1) })
const sandbox = Sandbox.layer({ seed: "wallet client", clock: { start: 1_600_000_000, step: 1 }, pools: ["shop"] })

const clients = Layer.mergeAll(Wallet.layer(), Accounts.layer(), Keys.layer(), Resources.layer(), Migration.layer())
  .pipe(
    Layer.provide(Sandbox.clientConfig(1001, { retry, attemptTimeout: Duration.seconds(20) })),
    Layer.provide(FetchHttpClient.layer),
    Layer.provide(MigrationJournal.layerMemory)
  )

const gather = <A, E, R>(stream: Stream.Stream<A, E, R>) => Effect.map(Stream.runCollect(stream), Chunk.toReadonlyArray)

layer(Layer.provideMerge(clients, sandbox), { excludeTestServices: true })("The wallet's client on a sandbox", (it) => {
  it.effect("makes accounts in a pool, and lists exactly those, over all pages, none twice", () =>
    Effect.gen(function*() {
      const wallet = yield* Wallet.Wallet
      const { accountId } = yield* Sandbox.Sandbox
      const shop = Either.getOrThrow(Krn.make(`krn:1001:wallet:${accountId}:account-pool:shop`))
      assert.deepStrictEqual(yield* Pool.withPool(gather(wallet.getAccounts.items({})), shop), [])
      const made = yield* Pool.withPool(Effect.replicateEffect(wallet.createAccount, 7), shop)
      const listed = yield* Pool.withPool(gather(wallet.getAccounts.items({ size: 2 })), shop)
      assert.deepStrictEqual(listed, made.toReversed())
      for (const account of made) assert.deepStrictEqual(account.krn, shop)
      assert.deepStrictEqual(yield* gather(wallet.getAccounts.items({})), [])
    }))

  it.effect("switches accounts off and on, and finds them by address and by key", () =>
    Effect.gen(function*() {
      const wallet = yield* Wallet.Wallet
      const accounts = yield* Accounts.Accounts
      const account = yield* wallet.createAccount
      const { address } = account
      assert.deepStrictEqual(yield* accounts.getAccount({ address }), account)
      assert.deepStrictEqual(yield* accounts.getAccountsByPublicKey({ publicKey: account.publicKey }), [{
        address,
        chainId: 1001
      }])
      const off = yield* accounts.disableAccount({ address })
      assert.deepStrictEqual([off.address, off.krn], [address, account.krn])
      assert.deepStrictEqual(yield* gather(wallet.getAccounts.items({ status: "disabled" })), [
        { ...account, updatedAt: off.updatedAt }
      ])
      assert.deepStrictEqual(yield* accounts.disableAccount({ address }), off)
      yield* accounts.enableAccount({ address })
      assert.strictEqual((yield* accounts.enableAccount({ address })).address, address)
      assert.deepStrictEqual(yield* accounts.deleteAccount({ address }), { status: "deleted" })
      assert.deepStrictEqual((yield* Effect.flip(accounts.getAccount({ address })))._tag, "NotFound")
      const unknown = yield* Effect.flip(accounts.disableAccount({ address }))
      assert.deepStrictEqual("code" in unknown && unknown.code, 1061510)
    }))

  it.effect("makes 250 keys in three calls, lists them all, and signs with one", () =>
    Effect.gen(function*() {
      const wallet = yield* Wallet.Wallet
      const service = yield* Keys.Keys
      const { control } = yield* Sandbox.Sandbox
      yield* control.clearRequests
      const keys = yield* gather(wallet.createKeys(250))
      assert.deepStrictEqual(new Set(keys.map(({ keyId }) => keyId.hash)).size, 250)
      assert.deepStrictEqual((yield* control.requests({ operation: "createKeys" })).length, 3)
      const [first] = keys
      if (first === undefined) return assert.fail()
      const listed = yield* gather(service.getKeys.items({ pool: first.krn, size: 100 }))
      assert.deepStrictEqual(
        listed.map(({ keyId }) => keyId),
        keys.map(({ keyId }) => keyId).toReversed()
      )
      const data = `0x${"5a".repeat(32)}`
      const signed = yield* service.sign({ keyId: first.keyId, data })
      assert.deepStrictEqual(yield* service.sign({ keyId: first.keyId, data }), signed)
      assert.deepStrictEqual(signed.length, 132)
    }))

  it.effect("makes fee payers and lists them; the pools are among the resources", () =>
    Effect.gen(function*() {
      const wallet = yield* Wallet.Wallet
      const accounts = yield* Accounts.Accounts
      const resources = yield* Resources.Resources
      const { accountId } = yield* Sandbox.Sandbox
      const one = yield* accounts.createFeePayer()
      const two = yield* accounts.createFeePayer({ withoutAccountUpdate: true })
      assert.deepStrictEqual(yield* gather(wallet.getFeePayers.items({ size: 1 })), [two, one])
      assert.deepStrictEqual(yield* accounts.getFeePayer({ address: one.address }), one)
      const pools = yield* gather(resources.getResources.items({ accountId, size: 3 }))
      assert.deepStrictEqual(pools.length, 12)
      assert.isTrue(pools.some(({ krn }) => Krn.format(krn) === Krn.format(one.krn)))
      const count = yield* accounts.countAccounts
      assert.deepStrictEqual(count.accountId, accountId)
      assert.isAbove(count.count, 250)
    }))

  it.effect("moves accounts in by its own migration, which then are the wallet's", () =>
    Effect.gen(function*() {
      const migration = yield* Migration.Migration
      const wallet = yield* Wallet.Wallet
      const { chains } = yield* Sandbox.Sandbox
      const names = ["alice", "bob", "carol"]
      const accounts = names.map((name) => chains.account(name))
      const progress = yield* gather(migration.migrateAccounts(accounts.map((account) => ({
        address: account.address,
        oldKey: OldKey.single(Redacted.make(DevAccount.revealPrivateKey(account)))
      }))))
      assert.deepStrictEqual(
        progress.flatMap((step) => step._tag === "Registered" ? [step.address as string] : []),
        accounts.map(({ address }) => address)
      )
      const listed = yield* gather(wallet.getAccounts.items({}))
      assert.deepStrictEqual(
        listed.map(({ address }): string => address).toSorted(),
        accounts.map(({ address }): Hex => address).toSorted()
      )
    }))
})
