import * as UnixTime from "@effect-klaytn/core/UnixTime"
import * as DeletionKeeper from "@effect-klaytn/custody/DeletionKeeper"
import * as KeyTransfer from "@effect-klaytn/custody/KeyTransfer"
import * as KeyWrapper from "@effect-klaytn/custody/KeyWrapper"
import * as SqlWalletStore from "@effect-klaytn/custody/SqlWalletStore"
import { unlimited, type WalletCaller } from "@effect-klaytn/custody/WalletCaller"
import * as LocalChain from "@effect-klaytn/local-chain/LocalChain"
import { bytesOf } from "@effect-klaytn/transaction/Hex"
import { noble } from "@effect-klaytn/transaction/Secp256k1"
import * as SqlClient from "@effect/sql/SqlClient"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { randomBytes } from "node:crypto"
import { databases } from "../../engine/test/support/databases.js"
import { chain, make, makeTables, serve, walletIn } from "./support/guardedWallet.js"

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
  /** A round some days later: what was deleted is that much older. */
  const later = (days: number) =>
    Effect.zipRight(
      sql`UPDATE wallet_keys_1001 SET deleted = deleted - ${days * 86_400} WHERE deleted IS NOT NULL`,
      DeletionKeeper.round({ store: wallet.store, guard, blockTime: UnixTime.now })
    )
  /** A round that destroys what was deleted, since its time is over. */
  const destroy = later(31)
  const secrets = Effect.map(
    sql<{ readonly secrets: number }>`SELECT count(*) AS secrets FROM wallet_keys_1001 WHERE sealed IS NOT NULL`,
    ([row]) => row?.secrets
  )
  return { ...opened, ask, account, remove, pay, parts, later, destroy, secrets }
})

describe("a deleted account", () => {
  it.scopedLive("is gone at once, and comes back as it was until its key is destroyed", () =>
    Effect.gen(function*() {
      const { account, ask, guard, parts, pay, remove, secrets, wallet } = yield* start
      assert.strictEqual((yield* remove()).status, 200)
      assert.strictEqual((yield* pay()).status, 400)
      assert.strictEqual((yield* ask("shop", { method: "GET", path: `/v2/account/${account.address}` })).status, 400)
      assert.strictEqual(yield* wallet.store.countKeys, 0)
      // Nothing is destroyed before its time.
      assert.strictEqual(yield* DeletionKeeper.round({ store: wallet.store, guard, blockTime: UnixTime.now }), 0)
      assert.strictEqual(yield* secrets, 1)
      assert.deepStrictEqual(
        (yield* wallet.store.deletedKeys).map(({ addresses }) => addresses),
        [[account.address]]
      )
      assert.strictEqual(yield* KeyTransfer.undeleteAccount(parts, account.address), "default")
      assert.strictEqual((yield* pay()).status, 200)
      assert.strictEqual(
        (yield* Effect.flip(KeyTransfer.undeleteAccount(parts, account.address)))._tag,
        "KeyTransferError"
      )
    }))

  it.scopedLive("hides no other one if nothing can read it, and its secret stays", () =>
    Effect.gen(function*() {
      const { account, ask, destroy, remove, secrets, sql, wallet } = yield* start
      const other = yield* wallet.createAccount(yield* wallet.pool("account-pool"))
      yield* remove()
      yield* remove("", "shop", other.address)
      const unused = yield* ask("shop", { method: "POST", path: "/v2/key", body: { size: 1 } })
      assert.strictEqual(unused.status, 200)
      yield* sql`UPDATE wallet_keys_1001 SET public_key = 'no bytes' WHERE hash = ${bytesOf(account.key.hash)}`
      const listed = Effect.map(wallet.store.deletedKeys, (keys) => keys.map(({ addresses }) => addresses))
      assert.deepStrictEqual(yield* listed, [[other.address]])
      yield* sql`UPDATE wallet_accounts_1001 SET address = 'no bytes' WHERE address = ${bytesOf(other.address)}`
      assert.deepStrictEqual(yield* listed, [[]])
      assert.deepStrictEqual([yield* destroy, yield* secrets], [1, 2])
    }))

  it.scopedLive("whose key was destroyed comes back by an import of the key, into the wallet that had it", () =>
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
      assert.isUndefined(yield* parts.store.account(account.address))
      assert.strictEqual((yield* pay()).status, 400)
      const address = yield* KeyTransfer.importAccount(parts, { type: "account-pool", name: "default" }, secret)
      assert.strictEqual(address, account.address)
      assert.strictEqual((yield* pay()).status, 200)
      assert.isDefined(keyring)
      yield* audit.verify()
    }))

  it.scopedLive("whose key is destroyed while it is given back stays without a key", () =>
    Effect.gen(function*() {
      const { account, destroy, remove, secrets, sql, wallet: { store } } = yield* start
      yield* remove()
      const deleted = yield* store.deletedAccount(account.address)
      assert(deleted !== undefined)
      assert.deepStrictEqual([yield* destroy, yield* secrets], [1, 0])
      yield* store.reviveKey(account.key)
      yield* store.reviveAccount(deleted, 1)
      assert.lengthOf(yield* sql`SELECT id FROM wallet_keys_1001 WHERE deleted IS NULL`, 0)
    }))

  it.scopedLive("is imported whole or not at all: a key that does not open as it was given is not stored", () =>
    Effect.gen(function*() {
      const { account, parts, sql } = yield* start
      const pool = { type: "account-pool", name: "default" } as const
      const rows = sql`SELECT a.address, k.hash FROM wallet_accounts_1001 a, wallet_keys_1001 k`
      const before = yield* rows
      for (const opened of [undefined, randomBytes(32)]) {
        const sealer = { ...parts.sealer, seal: () => new Uint8Array(1), open: () => opened }
        const keeping = { ...parts, sealer, store: SqlWalletStore.make(sql, chain) }
        const failure = yield* Effect.flip(KeyTransfer.importAccount(keeping, pool, randomBytes(32)))
        assert.strictEqual(failure._tag, "StoreFailure")
        assert.include(String(Reflect.get(failure, "cause")), "can't be opened")
        assert.deepStrictEqual(yield* rows, before)
      }
      // An address that the wallet has is not taken over by another key.
      const taken = yield* Effect.flip(KeyTransfer.importAccount(parts, pool, randomBytes(32), account.address))
      assert.deepInclude(taken, { _tag: "KeyTransferError", reason: "Taken" })
    }))

  it.scopedLive("leaves a line in the log when its key is exported or imported", () =>
    Effect.gen(function*() {
      const { account, audit, parts, remove } = yield* start
      const secret = yield* KeyTransfer.exportAccount(parts, account.address)
      yield* remove()
      yield* KeyTransfer.importAccount(parts, { type: "account-pool", name: "default" }, secret)
      const lines = (yield* audit.after(0)).map(({ line }): Record<string, unknown> => JSON.parse(line))
      assert.deepStrictEqual(
        lines.filter(({ event }) => event === "owner").map(({ subject, what }) => [what, subject]),
        [["export", account.address], ["import", account.address]]
      )
    }))

  it.scopedLive("that was deleted, and not destroyed, comes back by an import too", () =>
    Effect.gen(function*() {
      const { account, parts, pay, remove } = yield* start
      const secret = yield* KeyTransfer.exportAccount(parts, account.address)
      yield* remove()
      yield* KeyTransfer.importAccount(parts, { type: "account-pool", name: "default" }, secret)
      assert.strictEqual((yield* pay()).status, 200)
    }))

  it.scopedLive("that has coin is deleted only by a request that says so", () =>
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

  it.scopedLive("is not left with coin and without its key, unless the request says so", () =>
    Effect.gen(function*() {
      const { account, ask, local, pay, wallet } = yield* start
      const pool = yield* wallet.pool("account-pool")
      const shared = yield* wallet.createAccount(pool)
      const other = yield* wallet.createAccount(pool)
      const keys = [shared, other].map(({ key: { publicKey } }) => ({ publicKey, weight: 1 }))
      yield* wallet.store.setMultiSig(other, { threshold: 2, keys }, 0)
      const removeKey = ({ key }: typeof account, query = "") =>
        ask("shop", { method: "DELETE", path: `/v2/key/${wallet.keyId(key)}${query}` })
      yield* local.fund(account.address, 5n * klay)
      yield* local.fund(other.address, klay)
      // The key of an account, and one of the keys of another account.
      for (const [one, coin] of [[account, "5 KLAY"], [shared, "1 KLAY"]] as const) {
        const { body, status } = yield* removeKey(one)
        assert.deepStrictEqual([status, body.code], [400, 1069410])
        assert.include(body.message, coin)
      }
      assert.strictEqual((yield* pay()).status, 200)
      assert.strictEqual((yield* removeKey(account, "?withCoin=true")).status, 200)
      assert.strictEqual((yield* pay()).status, 400)
    }))

  it.scopedLive("whose key was deleted before has the whole time from the second deletion on, and is listed from the first one on", () =>
    Effect.gen(function*() {
      const { account, later, parts, pay, remove, secrets, wallet } = yield* start
      const listed = Effect.map(
        wallet.store.deletedKeys,
        (all) => all.map(({ addresses, isUsed }) => ({ addresses, isUsed }))
      )
      const addresses = [account.address]
      yield* wallet.dropKey(account.key)
      assert.deepStrictEqual(yield* listed, [{ addresses, isUsed: true }])
      // By the address, though the account itself was not deleted.
      assert.strictEqual(yield* KeyTransfer.undeleteAccount(parts, account.address), "default")
      assert.strictEqual((yield* pay()).status, 200)
      yield* wallet.dropKey(account.key)
      assert.strictEqual(yield* later(60), 0)
      yield* remove()
      assert.deepStrictEqual(yield* listed, [{ addresses, isUsed: false }])
      assert.strictEqual(yield* later(29), 0)
      assert.strictEqual(yield* KeyTransfer.undeleteAccount(parts, account.address), "default")
      assert.strictEqual((yield* pay()).status, 200)
      yield* remove()
      assert.deepStrictEqual([yield* later(31), yield* secrets], [1, 0])
    }))

  it.scopedLive("keeps a key of several that was deleted, until some time after it lets go of the key", () =>
    Effect.gen(function*() {
      const { account, later, secrets, wallet } = yield* start
      const other = yield* wallet.createAccount(yield* wallet.pool("account-pool"))
      const keyPool = yield* wallet.pool("key-pool")
      const [first, second] = yield* wallet.createKeys(keyPool, 2)
      assert(first !== undefined && second !== undefined)
      const keysOf = (...used: ReadonlyArray<typeof first>) => ({
        threshold: 1,
        keys: used.map(({ publicKey }) => ({ publicKey, weight: 1 }))
      })
      yield* wallet.store.setMultiSig(account, keysOf(account.key, first), 0)
      yield* wallet.store.setMultiSig(other, keysOf(other.key, second), 0)
      yield* wallet.dropKey(first)
      yield* wallet.dropKey(second)
      assert.strictEqual(yield* later(60), 0)
      yield* wallet.store.setMultiSig(account, keysOf(account.key), yield* wallet.chain.now)
      yield* wallet.dropAccount(other)
      assert.strictEqual(yield* later(29), 0)
      assert.strictEqual(yield* secrets, 4)
      // The two keys, and that of the account which was deleted.
      assert.deepStrictEqual([yield* later(2), yield* secrets], [3, 1])
    }))

  it.scopedLive("does not take the key of another account with it, nor of one that several keys sign for", () =>
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

  it.scopedLive("is not destroyed on the word of one clock, and the log names what is", () =>
    Effect.gen(function*() {
      const { account, guard, remove, secrets, sql, wallet } = yield* start
      const told: Array<string> = []
      const logger = Logger.make(({ message }) => void told.push(String(message)))
      const days = 86_400
      const round = (blockTime: Effect.Effect<number>) =>
        DeletionKeeper.round({ store: wallet.store, guard, blockTime }).pipe(Effect.provide(Logger.add(logger)))
      yield* remove()
      // A node that is ahead of the clock, and a clock that is ahead of the chain.
      assert.strictEqual(yield* round(Effect.map(UnixTime.now, (now) => now + 31 * days)), 0)
      yield* sql`UPDATE wallet_keys_1001 SET deleted = deleted - ${31 * days} WHERE deleted IS NOT NULL`
      assert.strictEqual(yield* round(Effect.map(UnixTime.now, (now) => now - 5 * days)), 0)
      assert.deepStrictEqual([yield* secrets, told], [1, []])
      assert.deepStrictEqual([yield* round(UnixTime.now), yield* secrets], [1, 0])
      assert.match(
        told.join(),
        new RegExp(`^the secret of the key ${account.key.hash} of ${account.address}, deleted at .* for good$`)
      )
    }))

  it.scopedLive("stays while the wallet is frozen", () =>
    Effect.gen(function*() {
      const { destroy, guard, remove, secrets } = yield* start
      yield* remove()
      yield* guard.freeze("test")
      assert.deepStrictEqual([yield* destroy, yield* secrets], [0, 1])
      yield* guard.unfreeze
      assert.deepStrictEqual([yield* destroy, yield* secrets], [1, 0])
    }))
})

describe.each(databases)("keys that were deleted on %s", (_, open) => {
  it.scopedLive("are listed with their accounts, and destroyed when the last account that used them is gone for long enough", () =>
    Effect.gen(function*() {
      const sql = Context.get(yield* Layer.build((yield* open).layer), SqlClient.SqlClient)
      yield* makeTables(sql)
      const { wallet } = yield* walletIn(
        sql,
        yield* LocalChain.make({ chainId: chain }),
        KeyWrapper.ofKey(randomBytes(32))
      )
      const { store } = wallet
      const account = yield* wallet.createAccount(yield* wallet.pool("account-pool"))
      const other = yield* wallet.createAccount(yield* wallet.pool("account-pool"))
      const { key } = account
      yield* store.setMultiSig(other, { threshold: 1, keys: [{ publicKey: key.publicKey, weight: 1 }] }, 1)
      assert.deepStrictEqual(yield* store.usersOfKey(key), [account.address, other.address])
      const listed = Effect.map(store.deletedKeys, (all) => all.map(({ deletedAt, isUsed }) => [deletedAt, isUsed]))
      yield* store.dropKey(key, 10)
      assert.deepStrictEqual(yield* listed, [[10, true]])
      yield* store.dropAccount(account, 20)
      assert.deepStrictEqual(yield* listed, [[20, true]])
      yield* store.destroyKey(key, 100)
      yield* store.setMultiSig(other, undefined, 30)
      assert.deepStrictEqual(yield* store.usersOfKey(key), [])
      yield* store.destroyKey(key, 30)
      assert.deepStrictEqual(yield* store.deletedKeys, [
        { key: { ...key, sealed: undefined }, deletedAt: 30, addresses: [account.address], isUsed: false }
      ])
      yield* store.destroyKey(key, 31)
      assert.deepStrictEqual(yield* store.deletedKeys, [])
    }))
})

describe("a caller with limits", () => {
  it.scopedLive("can't delete or disable unless it has the right to destroy", () =>
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
