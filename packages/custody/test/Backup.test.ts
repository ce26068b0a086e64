import * as AuditLog from "@effect-klaytn/custody/AuditLog"
import { StoreFailure } from "@effect-klaytn/custody/CustodyError"
import * as KeyWrapper from "@effect-klaytn/custody/KeyWrapper"
import * as SqlSecrets from "@effect-klaytn/custody/SqlSecrets"
import * as WalletBackup from "@effect-klaytn/custody/WalletBackup"
import { noble } from "@effect-klaytn/transaction/Secp256k1"
import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { randomBytes } from "node:crypto"
import { databases } from "../../engine/test/support/databases.js"
import { chain, make, makeTables, openDatabase, walletIn } from "./support/guardedWallet.js"

const start = Effect.gen(function*() {
  const opened = yield* make()
  yield* SqlSecrets.make(opened.sql, chain).keepFact("customer", "test")
  const pool = yield* opened.wallet.pool("account-pool")
  const accounts = yield* Effect.replicateEffect(opened.wallet.createAccount(pool), 3)
  const backup = yield* WalletBackup.make(opened.sql, chain, opened.wrapper, noble)
  return { ...opened, accounts, backup }
})

const empty = Effect.tap(openDatabase(), makeTables)

describe.each(databases)("a backup restored on %s", (_, open) => {
  it.scoped("has every key, and its rows go on being numbered, beside another wallet of the same database", () =>
    Effect.gen(function*() {
      const { accounts, backup, local, wrapper } = yield* start
      const { layer } = yield* open
      const sql = Context.get(yield* Layer.build(layer), SqlClient.SqlClient)
      yield* makeTables(sql)
      const isInside = { current: false }
      const within = Effect.sync(() => void (isInside.current = true))
      assert.strictEqual(yield* WalletBackup.restore(sql, chain, wrapper, noble, backup.bytes, within), 3)
      assert.isTrue(isInside.current)
      const { audit, wallet } = yield* walletIn(sql, local, wrapper)
      for (const { address } of accounts) assert.isDefined(yield* wallet.store.account(address))
      yield* wallet.createAccount(yield* wallet.pool("account-pool"))
      yield* audit.verify()
    }))

  it.scoped("is not there if what belongs to it fails", () =>
    Effect.gen(function*() {
      const { backup, wrapper } = yield* start
      const { layer } = yield* open
      const sql = Context.get(yield* Layer.build(layer), SqlClient.SqlClient)
      yield* makeTables(sql)
      const failing = Effect.fail(new StoreFailure({ operation: "keys", cause: new Error("cut") }))
      const error = yield* Effect.flip(WalletBackup.restore(sql, chain, wrapper, noble, backup.bytes, failing))
      assert.strictEqual(error._tag, "StoreFailure")
      assert.strictEqual(yield* WalletBackup.restore(sql, chain, wrapper, noble, backup.bytes), 3)
    }))
})

describe("a backup", () => {
  it.scoped("has every key, and the audit log goes on behind it", () =>
    Effect.gen(function*() {
      const { accounts, backup, local, wrapper } = yield* start
      assert.strictEqual(backup.keys, 3)
      const sql = yield* empty
      assert.strictEqual(yield* WalletBackup.restore(sql, chain, wrapper, noble, backup.bytes), 3)
      const { audit, wallet } = yield* walletIn(sql, local, wrapper)
      for (const { address } of accounts) {
        const account = yield* wallet.store.account(address)
        assert.isDefined(account)
        assert.strictEqual((yield* wallet.signer(account)).address, address)
      }
      yield* wallet.createAccount(yield* wallet.pool("account-pool"))
      yield* audit.verify()
      const lines = (yield* audit.after(0)).map(({ line }): Record<string, unknown> => JSON.parse(line))
      const byOwner = lines.filter(({ event }) => event === "owner").map(({ what }) => what)
      assert.deepStrictEqual(byOwner, ["backup", "restore"])
    }))

  it.scoped("is refused with another master key, if it was changed, and where there is a wallet", () =>
    Effect.gen(function*() {
      const { backup, sql: used, wrapper } = yield* start
      const sql = yield* empty
      const reason = (bytes: Uint8Array, key = wrapper, into = sql) =>
        Effect.map(
          Effect.flip(WalletBackup.restore(into, chain, key, noble, bytes)),
          (failure) => "reason" in failure ? failure.reason : failure._tag
        )
      assert.strictEqual(yield* reason(backup.bytes, KeyWrapper.ofKey(randomBytes(32))), "Wrong")
      assert.strictEqual(yield* reason(backup.bytes, wrapper, used), "Exists")
      assert.strictEqual(yield* reason(backup.bytes.subarray(0, -1)), "Form")
      assert.strictEqual(yield* reason(Buffer.from("nothing")), "Form")
      // What stands before the sealed bytes is bound to them.
      const text = Buffer.from(backup.bytes).toString("latin1")
      assert.strictEqual(yield* reason(Buffer.from(text.replace(",", ", "), "latin1")), "Form")
      assert.strictEqual(
        yield* reason(Buffer.from(text.replace("\"chain\":1001", "\"chain\":8217"), "latin1")),
        "Chain"
      )
      assert.strictEqual(
        yield* reason(Buffer.from(text.replace("\"version\":1", "\"version\":2"), "latin1")),
        "Version"
      )
      const changed = Buffer.from(backup.bytes)
      changed.writeUInt8(changed.readUInt8(changed.length - 40) ^ 1, changed.length - 40)
      assert.strictEqual(yield* reason(changed), "Form")
      assert.strictEqual((yield* sql`SELECT * FROM wallet_keys_1001`).length, 0)
    }))

  it.scoped("is not made of a wallet with a key that can't be opened", () =>
    Effect.gen(function*() {
      const { sql, wrapper } = yield* start
      yield* sql`UPDATE wallet_keys_1001 SET public_key = (SELECT public_key FROM wallet_keys_1001 WHERE id = 2) WHERE id = 1`
      const failure = yield* Effect.flip(WalletBackup.make(sql, chain, wrapper, noble))
      assert.deepInclude(failure, { _tag: "WalletBackupError", reason: "Key" })
    }))

  it.scoped("is not made of a wallet with another secret that can't be opened", () =>
    Effect.gen(function*() {
      const { keyring, sql, wrapper } = yield* start
      const publicKey = `0x02${"11".repeat(32)}` as const
      yield* SqlSecrets.make(sql, chain).keepSecret("payer", {
        publicKey,
        sealed: keyring.seal("other", randomBytes(32))
      })
      const failure = yield* Effect.flip(WalletBackup.make(sql, chain, wrapper, noble))
      assert.deepInclude(failure, { _tag: "WalletBackupError", reason: "Key" })
    }))

  it.scoped("is not made of a wallet with a key that can't be read, and names its row", () =>
    Effect.gen(function*() {
      const { sql, wrapper } = yield* start
      yield* sql`UPDATE wallet_keys_1001 SET hash = 'none' WHERE id = 2`
      const failure = yield* Effect.flip(WalletBackup.make(sql, chain, wrapper, noble))
      assert.deepInclude(failure, { _tag: "WalletBackupError", reason: "Form" })
      assert.include(failure.message, "row 2 of wallet_keys_1001")
    }))

  it.scoped("is restored into the tables of its own version alone, and with keys that open alone", () =>
    Effect.gen(function*() {
      const { backup, wrapper } = yield* start
      const into = (change: (sql: SqlClient.SqlClient) => Effect.Effect<unknown, SqlError>) =>
        Effect.gen(function*() {
          const sql = yield* empty
          yield* change(sql)
          const failure = yield* Effect.flip(WalletBackup.restore(sql, chain, wrapper, noble, backup.bytes))
          assert.strictEqual((yield* sql`SELECT id FROM wallet_keys_1001`).length, 0)
          return "reason" in failure ? failure.reason : failure._tag
        })
      assert.strictEqual(yield* into((sql) => sql`DELETE FROM wallet_guard_versions_1001`), "Version")
      assert.strictEqual(yield* into((sql) => sql`DROP TABLE wallet_spent_1001`), "Version")
      const swapping = (sql: SqlClient.SqlClient) =>
        sql`CREATE TRIGGER swap AFTER INSERT ON wallet_keys_1001 WHEN NEW.id > 1 BEGIN
          UPDATE wallet_keys_1001 SET public_key = (SELECT public_key FROM wallet_keys_1001 WHERE id = 1) WHERE id = NEW.id;
        END`
      assert.strictEqual(yield* into(swapping), "Key")
    }))

  it.scoped("has the other rows that can't be read as they are", () =>
    Effect.gen(function*() {
      const { sql, wrapper } = yield* start
      yield* sql`UPDATE wallet_accounts_1001 SET address = 'none', updated = 'later' WHERE id = 1`
      yield* sql`INSERT INTO wallet_audit_1001 (number, line, hash) VALUES (1000, 5, 'none')`
      const bad = sql`SELECT * FROM wallet_accounts_1001 WHERE id = 1`
      const { bytes } = yield* WalletBackup.make(sql, chain, wrapper, noble)
      const into = yield* empty
      yield* WalletBackup.restore(into, chain, wrapper, noble, bytes)
      assert.deepStrictEqual(yield* into`SELECT * FROM wallet_accounts_1001 WHERE id = 1`, yield* bad)
    }))

  it.scoped(
    "whose restoring is killed at any statement leaves no wallet, and is restored by the same call",
    () =>
      Effect.gen(function*() {
        const { backup, wrapper } = yield* start
        let kills = 0
        for (let at = 0;; at++) {
          const sql = yield* empty
          let count = 0
          const dying = new Proxy(sql, {
            apply: (target, self, words) => {
              if (typeof words[0] !== "string" && ++count > at) throw new Error("killed")
              return Reflect.apply(target, self, words)
            }
          })
          const exit = yield* Effect.exit(WalletBackup.restore(dying, chain, wrapper, noble, backup.bytes))
          if (exit._tag === "Success") break
          kills++
          assert.strictEqual((yield* sql`SELECT * FROM wallet_keys_1001`).length, 0)
          assert.strictEqual((yield* sql`SELECT * FROM wallet_roots_1001`).length, 0)
          assert.strictEqual(yield* WalletBackup.restore(sql, chain, wrapper, noble, backup.bytes), 3)
        }
        assert.isAbove(kills, 10)
      }),
    60_000
  )

  it.scoped("contains no secret, and neither does the database", () =>
    Effect.gen(function*() {
      const { accounts, backup, keyring, sql, wallet } = yield* start
      const tables = yield* sql<{ name: string }>`SELECT name FROM sqlite_master WHERE type = 'table'`
      const dump = yield* Effect.forEach(tables, ({ name }) => sql`SELECT * FROM ${sql(name)}`)
      const database = dump.flat().flatMap((row) => Object.values(row)).map((cell) =>
        cell instanceof Uint8Array ? Buffer.from(cell).toString("hex") : String(cell)
      ).join("\n")
      assert.include(database, accounts[0]?.key.publicKey.slice(2) ?? "none")
      for (const account of accounts) {
        const secret = Buffer.from(Redacted.value((yield* wallet.signer(account)).privateKey))
        assert.isFalse(Buffer.from(backup.bytes).includes(secret))
        assert.notInclude(database, secret.toString("hex"))
        assert.notInclude(database, secret.toString("base64"))
      }
      assert.isDefined(yield* AuditLog.open(sql, chain, keyring))
    }))
})
