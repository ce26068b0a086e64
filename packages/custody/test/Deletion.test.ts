import * as DeletionKeeper from "@effect-klaytn/custody/DeletionKeeper"
import * as KeyTransfer from "@effect-klaytn/custody/KeyTransfer"
import { unlimited, type WalletCaller } from "@effect-klaytn/custody/WalletCaller"
import { noble } from "@effect-klaytn/transaction/Secp256k1"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { chain, make, serve } from "./support/guardedWallet.js"

const klay = 10n ** 18n
const bob = `0x${"b0".repeat(20)}`

const limited: WalletCaller = { name: "limited", rights: ["wallet"], pools: undefined, limits: { dailySum: klay } }
const remover: WalletCaller = { ...limited, name: "remover", rights: ["wallet", "destroy"] }

const start = Effect.gen(function*() {
  const opened = yield* make()
  const { guard, keyring, sql, wallet } = opened
  const ask = yield* serve(opened, [unlimited("shop"), limited, remover])
  const account = yield* wallet.createAccount(yield* wallet.pool("account-pool"))
  const remove = (query = "", caller = "shop", address: string = account.address) =>
    ask(caller, { method: "DELETE", path: `/v2/account/${address}${query}` })
  const pay = (from: string = account.address) =>
    ask("shop", { method: "POST", path: "/v2/tx/value", body: { from, to: bob, value: "0x1", submit: false } })
  const parts = {
    sql,
    chain,
    customer: "test",
    store: wallet.store,
    sealer: keyring,
    curve: noble,
    note: guard.note
  } as const
  /** A round that destroys what was deleted, however short ago. */
  const destroy = DeletionKeeper.round({
    store: { ...wallet.store, deletedKeys: () => wallet.store.deletedKeys(Number.MAX_SAFE_INTEGER) },
    guard
  })
  const secrets = Effect.map(
    sql<{ readonly secrets: number }>`SELECT count(*) AS secrets FROM wallet_keys_1001 WHERE sealed IS NOT NULL`,
    ([row]) => row?.secrets
  )
  return { ...opened, ask, account, remove, pay, parts, destroy, secrets }
})

describe("a deleted account", () => {
  it.scoped("is gone at once, and comes back as it was until its key is destroyed", () =>
    Effect.gen(function*() {
      const { account, ask, guard, parts, pay, remove, secrets, wallet } = yield* start
      assert.strictEqual((yield* remove()).status, 200)
      assert.strictEqual((yield* pay()).status, 400)
      assert.strictEqual((yield* ask("shop", { method: "GET", path: `/v2/account/${account.address}` })).status, 400)
      assert.strictEqual(yield* wallet.store.countKeys, 0)
      // Nothing is destroyed before its time.
      assert.strictEqual(yield* DeletionKeeper.round({ store: wallet.store, guard }), 0)
      assert.strictEqual(yield* secrets, 1)
      assert.deepStrictEqual(
        (yield* wallet.store.deletedKeys(Number.MAX_SAFE_INTEGER)).map(({ addresses }) => addresses),
        [[account.address]]
      )
      assert.strictEqual(yield* KeyTransfer.undeleteAccount(parts, account.address), "default")
      assert.strictEqual((yield* pay()).status, 200)
      assert.strictEqual(
        (yield* Effect.flip(KeyTransfer.undeleteAccount(parts, account.address)))._tag,
        "KeyTransferError"
      )
    }))

  it.scoped("whose key was destroyed comes back by an import of the key, into the wallet that had it", () =>
    Effect.gen(function*() {
      const { account, audit, destroy, keyring, parts, pay, remove, secrets } = yield* start
      const secret = yield* KeyTransfer.exportAccount(parts, account.address)
      const taken = yield* Effect.flip(
        KeyTransfer.importAccount(parts, { type: "account-pool", name: "default" }, secret)
      )
      assert.deepInclude(taken, { _tag: "KeyTransferError", reason: "Taken" })
      yield* remove()
      assert.deepStrictEqual([yield* destroy, yield* secrets], [1, 0])
      const gone = yield* Effect.flip(KeyTransfer.undeleteAccount(parts, account.address))
      assert.deepInclude(gone, { _tag: "KeyTransferError", reason: "Unknown" })
      assert.strictEqual((yield* pay()).status, 400)
      const address = yield* KeyTransfer.importAccount(parts, { type: "account-pool", name: "default" }, secret)
      assert.strictEqual(address, account.address)
      assert.strictEqual((yield* pay()).status, 200)
      assert.isDefined(keyring)
      yield* audit.verify()
    }))

  it.scoped("that was deleted, and not destroyed, comes back by an import too", () =>
    Effect.gen(function*() {
      const { account, parts, pay, remove } = yield* start
      const secret = yield* KeyTransfer.exportAccount(parts, account.address)
      yield* remove()
      yield* KeyTransfer.importAccount(parts, { type: "account-pool", name: "default" }, secret)
      assert.strictEqual((yield* pay()).status, 200)
    }))

  it.scoped("that has coin is deleted only by a request that says so", () =>
    Effect.gen(function*() {
      const { account, local, pay, remove } = yield* start
      yield* local.fund(account.address, 5n * klay)
      for (const query of ["", "?withCoin=false"]) {
        const { body, status } = yield* remove(query)
        assert.deepStrictEqual([status, body.code], [400, 1069410])
        assert.include(body.message, "5 KLAY")
      }
      assert.strictEqual((yield* pay()).status, 200)
      assert.strictEqual((yield* remove("?withCoin=true")).status, 200)
    }))

  it.scoped("does not take the key of another account with it, nor of one that several keys sign for", () =>
    Effect.gen(function*() {
      const { account, destroy, local, pay, remove, secrets, sql, wallet } = yield* start
      const pool = yield* wallet.pool("account-pool")
      const second = yield* wallet.register(pool, `0x${"fa".repeat(20)}`, account.key)
      assert.strictEqual((yield* remove("", "shop", second.address)).status, 200)
      assert.deepStrictEqual([yield* destroy, (yield* pay()).status], [0, 200])
      // Another account has the key among several.
      const third = yield* wallet.createAccount(pool)
      const other = yield* wallet.createAccount(pool)
      const keys = [third, account].map(({ key: { publicKey } }) => ({ publicKey, weight: 1 }))
      yield* wallet.store.setMultiSig(other, { threshold: 2, keys }, 0)
      assert.strictEqual((yield* remove("", "shop", third.address)).status, 200)
      const [row] = yield* sql<{ readonly deleted: number | null }>`
        SELECT deleted FROM wallet_keys_1001 WHERE id = ${third.key.id}`
      assert.isNull(row?.deleted ?? null)
      // A key that is deleted by itself while an account uses it is hidden, and not destroyed.
      yield* wallet.dropKey(account.key)
      assert.deepStrictEqual([yield* destroy, yield* secrets], [0, 3])
      assert.isDefined(local)
    }))

  it.scoped("stays while the wallet is frozen", () =>
    Effect.gen(function*() {
      const { destroy, guard, remove, secrets } = yield* start
      yield* remove()
      yield* guard.freeze("test")
      assert.deepStrictEqual([yield* destroy, yield* secrets], [0, 1])
      yield* guard.unfreeze
      assert.deepStrictEqual([yield* destroy, yield* secrets], [1, 0])
    }))
})

describe("a caller with limits", () => {
  it.scoped("can't delete or disable unless it has the right to destroy", () =>
    Effect.gen(function*() {
      const { account, ask, remove, wallet } = yield* start
      const keyId = wallet.keyId(account.key)
      const tried = [
        remove("", "limited"),
        ask("limited", { method: "DELETE", path: `/v2/key/${keyId}` }),
        ask("limited", { method: "PUT", path: `/v2/account/${account.address}/disable` }),
        ask("limited", { method: "DELETE", path: `/v2/feepayer/${account.address}` })
      ]
      for (const asked of tried) assert.strictEqual((yield* asked).body.code, 1019403)
      assert.isDefined(yield* wallet.store.account(account.address))
      assert.strictEqual((yield* remove("", "remover")).status, 200)
    }))
})
