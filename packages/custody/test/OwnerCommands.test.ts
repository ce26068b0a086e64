import * as Keyring from "@effect-klaytn/custody/Keyring"
import * as KeyWrapper from "@effect-klaytn/custody/KeyWrapper"
import * as OwnerLock from "@effect-klaytn/custody/OwnerLock"
import * as SqlSecrets from "@effect-klaytn/custody/SqlSecrets"
import * as WalletBackup from "@effect-klaytn/custody/WalletBackup"
import * as LocalChain from "@effect-klaytn/local-chain/LocalChain"
import { noble } from "@effect-klaytn/transaction/Secp256k1"
import * as SqlClient from "@effect/sql/SqlClient"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import { randomBytes } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import { databases, type TestDatabase } from "../../engine/test/support/databases.js"
import { chain, makeTables, walletIn } from "./support/guardedWallet.js"

const master = () => KeyWrapper.ofKey(randomBytes(32))

/** A client of its own, as another process has one. */
const connect = ({ layer }: TestDatabase) => Effect.map(Layer.build(layer), Context.get(SqlClient.SqlClient))

type Sql = Effect.Effect.Success<ReturnType<typeof connect>>

/** A wallet with two accounts, as a running gateway has it open, and the client of a command beside it. */
const start = (open: typeof databases[number][1]) =>
  Effect.gen(function*() {
    const database = yield* open
    const running = yield* connect(database)
    yield* makeTables(running)
    yield* SqlSecrets.make(running, chain).keepFact("customer", "test")
    const wrapper = master()
    const local = yield* LocalChain.make({ chainId: chain })
    const opened = yield* walletIn(running, local, wrapper)
    const pool = yield* opened.wallet.pool("account-pool")
    const accounts = yield* Effect.replicateEffect(opened.wallet.createAccount(pool), 2)
    return { ...opened, database, running, sql: yield* connect(database), wrapper, local, accounts, pool }
  })

const bytesOf = (sql: Sql, statement: string) =>
  Effect.map(
    sql.unsafe<{ readonly bytes: Uint8Array | null }>(statement),
    (rows) => rows.flatMap(({ bytes }) => bytes === null ? [] : [Buffer.from(bytes)])
  )

/** What the old root and the old master key open: roots, links to the next root, and the data keys of secrets. */
const oldBytes = (sql: Sql) =>
  Effect.gen(function*() {
    const roots = yield* bytesOf(sql, "SELECT wrapped AS bytes FROM wallet_roots_1001")
    const links = yield* bytesOf(sql, "SELECT link AS bytes FROM wallet_roots_1001")
    const sealed = yield* Effect.forEach(["keys", "sealed", "secrets"], (table) =>
      bytesOf(sql, `SELECT sealed AS bytes FROM wallet_${table}_1001`))
    // Behind version and generation, the data key as the root has sealed it.
    return [
      ...roots,
      ...links,
      ...sealed.flat().map((one) =>
        one.subarray(5, 65)
      )
    ]
  })

/** All files of a database: the file and what is beside it, or the folder of the database in the server's. */
const filesOf = ({ url }: TestDatabase, sql: Sql) =>
  sql.onDialectOrElse({
    pg: () =>
      Effect.gen(function*() {
        yield* sql.unsafe("CHECKPOINT")
        const read = (folder: string) =>
          bytesOf(
            sql,
            `SELECT pg_read_binary_file(${folder} || '/' || name, 0, 1000000000, true) AS bytes FROM pg_ls_dir(${folder}) AS name
              WHERE NOT coalesce((pg_stat_file(${folder} || '/' || name, true)).isdir, true)`
          )
        return {
          data: yield* read("(SELECT 'base/' || oid FROM pg_database WHERE datname = current_database())"),
          log: yield* read("'pg_wal'")
        }
      }),
    orElse: () =>
      Effect.sync(() => {
        const file = Redacted.value(url).slice("file:".length)
        const names = ["", "-wal", "-shm", "-journal"].map((end) => `${file}${end}`)
        return { data: names.filter((name) => existsSync(name)).map((name) => readFileSync(name)), log: [] }
      })
  })

const has = (files: ReadonlyArray<Buffer>, bytes: Buffer): boolean => files.some((file) => file.includes(bytes))

const events = (sql: Sql) =>
  Effect.map(
    sql.unsafe<{ readonly line: string }>("SELECT line FROM wallet_audit_1001 ORDER BY number"),
    (rows) =>
      rows.map(({ line }): { readonly event: string; readonly what: string } => JSON.parse(line))
        .filter(({ event }) => event === "owner").map(({ what }) => what)
  )

describe.each(databases)("a change of the master key on %s", (name, open) => {
  it.scopedLive(
    "leaves no byte in any file that the old master key or the old root opens, while a gateway runs",
    () =>
      Effect.gen(function*() {
        const { accounts, database, sql, wallet, wrapper } = yield* start(open)
        const [deleted] = accounts
        const before = yield* oldBytes(sql)
        if (deleted !== undefined) {
          yield* wallet.store.dropKey(deleted.key, 0)
          yield* wallet.store.dropAccount(deleted, 0)
          yield* wallet.store.destroyKey(deleted.key, 1)
        }
        assert.lengthOf(before, 4)
        const found = yield* filesOf(database, sql)
        assert.isTrue(has(found.data, before[0] ?? Buffer.alloc(0)), "the test finds what is there")
        const next = master()
        const rekey = Keyring.rekey(sql, chain, { from: wrapper, to: next, patience: "1500 millis" })
        const rekeyed = yield* Effect.fork(rekey)
        const [link] = yield* bytesOf(sql, "SELECT link AS bytes FROM wallet_roots_1001").pipe(
          Effect.filterOrFail((links) => links.length > 0),
          Effect.retry(Schedule.spaced("10 millis"))
        )
        const { left } = yield* rekeyed
        const { data, log } = yield* filesOf(database, sql)
        const old = [...before, link ?? Buffer.alloc(0)]
        assert.deepStrictEqual(old.map((bytes) => has(data, bytes)), old.map(() => false))
        if (name === "SQLite") assert.deepStrictEqual(left, [])
        else {
          assert.lengthOf(left, 1)
          assert.isTrue(old.some((bytes) => has(log, bytes)), "the log of the server is what the command can't empty")
          // What the command says, as a superuser does it.
          const statements = [...left.join().matchAll(/ALTER SYSTEM SET [\w =]+|SELECT pg_\w+\(\)|CHECKPOINT/g)].map((
            [one]
          ) => one)
          assert.lengthOf(statements, 4)
          for (const statement of statements.slice(0, 2)) yield* sql.unsafe(statement)
          // The server takes the setting a moment later, and other tests fill the same log.
          yield* Effect.gen(function*() {
            for (const statement of statements.slice(2)) yield* sql.unsafe(statement)
            const emptied = yield* filesOf(database, sql)
            return old.map((bytes) => has(emptied.log, bytes))
          }).pipe(
            Effect.repeat({ until: (found) => !found.includes(true), times: 20 }),
            Effect.tap((found) => assert.deepStrictEqual(found, old.map(() => false))),
            Effect.ensuring(Effect.orDie(sql.unsafe("ALTER SYSTEM RESET wal_recycle")))
          )
        }
        const kept = yield* wallet.store.account(accounts[1]?.address ?? "0x")
        assert.isDefined(yield* wallet.signer(kept ?? assert.fail("the account is there")))
        assert.deepStrictEqual(yield* events(sql), ["rekey begins", "rekey is done"])
      }),
    60_000
  )

  it.scopedLive(
    "is finished by the same command if it was stopped before the files were written anew",
    () =>
      Effect.gen(function*() {
        const { database, sql, wrapper } = yield* start(open)
        const before = yield* oldBytes(sql)
        const next = master()
        const isVacuum = (words: ReadonlyArray<unknown>) =>
          Array.isArray(words[0]) && String(words[0][0]).startsWith("VACUUM")
        const dying = new Proxy(sql, {
          apply: (target, self, words) => {
            if (isVacuum(words)) throw new Error("killed")
            return Reflect.apply(target, self, words)
          }
        })
        const exit = yield* Effect.exit(
          Effect.suspend(() => Keyring.rekey(dying, chain, { from: wrapper, to: next, patience: 0 }))
        )
        assert.strictEqual(exit._tag, "Failure")
        const again = yield* Keyring.rekey(sql, chain, { from: wrapper, to: next, patience: 0 })
        assert.deepInclude(again, { secrets: 0, isResumed: true })
        const { data } = yield* filesOf(database, sql)
        assert.deepStrictEqual(before.map((bytes) => has(data, bytes)), before.map(() => false))
      }),
    60_000
  )

  it.scopedLive(
    "waits for transactions that see what was before, in this database and in others",
    () =>
      Effect.gen(function*() {
        const { database, sql, wrapper } = yield* start(open)
        const before = yield* oldBytes(sql)
        const other = yield* connect(database)
        const elsewhere = yield* connect(name === "SQLite" ? database : yield* open)
        const begun = yield* Deferred.make<void>()
        // One reads a snapshot of this database, the other one writes.
        const reads = other.withTransaction(Effect.gen(function*() {
          yield* name === "SQLite" ? Effect.void : other`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ`
          yield* other`SELECT count(*) FROM wallet_keys_1001`
          yield* Deferred.succeed(begun, undefined)
          yield* Effect.sleep("3 seconds")
        }))
        const writes = name === "SQLite"
          ? Effect.void
          : elsewhere.withTransaction(Effect.zipRight(elsewhere`SELECT txid_current()`, Effect.sleep("4 seconds")))
        const running = yield* Effect.fork(Effect.all([reads, writes], { concurrency: 2 }))
        yield* Deferred.await(begun)
        const { left } = yield* Keyring.rekey(sql, chain, { from: wrapper, to: master(), patience: 0 })
        const { data } = yield* filesOf(database, sql)
        assert.deepStrictEqual(before.map((bytes) => has(data, bytes)), before.map(() => false))
        assert.lengthOf(left, name === "SQLite" ? 0 : 1)
        yield* Fiber.join(running)
      }),
    60_000
  )

  it.scopedLive(
    "of two at once, one is done, though they take no lock, and its key opens the wallet",
    () =>
      Effect.gen(function*() {
        const { database, wallet, wrapper } = yield* start(open)
        const [one, other] = [master(), master()]
        const results = yield* Effect.forEach([one, other], (to) =>
          Effect.flatMap(
            connect(database),
            (sql) => Effect.either(Keyring.rekey(sql, chain, { from: wrapper, to, patience: "100 millis" }))
          ), { concurrency: 2 })
        assert.deepStrictEqual(results.map(({ _tag }) => _tag).toSorted(), ["Left", "Right"])
        const sql = yield* connect(database)
        const opens = yield* Effect.forEach([wrapper, one, other], (key) =>
          Effect.isSuccess(Keyring.check(sql, chain, key)))
        assert.deepStrictEqual(opens, [false, results[0]?._tag === "Right", results[1]?._tag === "Right"])
        assert.strictEqual(yield* wallet.store.countKeys, 2)
      }),
    60_000
  )
})

describe.each(databases)("the commands of the owner on %s", (name, open) => {
  it.scopedLive(
    "run one at a time: the other one says so, and the lock goes with the command",
    () =>
      Effect.gen(function*() {
        const { database, running, sql } = yield* start(open)
        const [begun, done] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const holding = <A>(end: Effect.Effect<A>) =>
          OwnerLock.take(running, chain, "rekey")(Effect.zipRight(Deferred.succeed(begun, undefined), end))
        const first = yield* Effect.fork(holding(Deferred.await(done)))
        yield* Deferred.await(begun)
        const ask = OwnerLock.take(sql, chain, "backup")(Effect.succeed("done"))
        const failure = yield* Effect.flip(ask)
        assert.deepInclude(failure, { _tag: "OwnerBusy", command: "backup", other: "rekey" })
        assert.include(failure.message, "backup is not done: another command of the owner, rekey, is under way")
        yield* Deferred.succeed(done, undefined)
        yield* first
        assert.strictEqual(yield* ask, "done")
        const stopped = yield* Effect.fork(holding(Effect.never))
        yield* Effect.sleep("100 millis")
        yield* Fiber.interrupt(stopped)
        assert.strictEqual(
          yield* OwnerLock.take(yield* connect(database), chain, "import")(Effect.succeed("done")),
          "done"
        )
      }),
    60_000
  )

  it.scopedLive(
    "write a backup of one moment, whose keys open, though the master key is changed meanwhile",
    () =>
      Effect.gen(function*() {
        const { database, sql, wrapper } = yield* start(open)
        const other = yield* connect(database)
        const rekey = Keyring.rekey(other, chain, { from: wrapper, to: master(), patience: 0 })
        let rekeying: Promise<unknown> | undefined
        const isRekeyed = Effect.map(
          Effect.promise(() => Effect.runPromise(Effect.either(Keyring.check(other, chain, wrapper)))),
          Either.isLeft
        )
        // A transaction of SQLite has the lock of all writers: there, the change waits.
        const meanwhile = Effect.suspend(() => {
          if (rekeying !== undefined) return Effect.void
          rekeying = Effect.runPromise(rekey)
          return name === "SQLite" ? Effect.void : isRekeyed.pipe(
            Effect.filterOrFail((is) => is),
            Effect.retry(Schedule.spaced("10 millis")),
            Effect.orDie
          )
        })
        const slow = new Proxy(sql, {
          apply: (target, self, words) => {
            const statement = Reflect.apply(target, self, words)
            return Array.isArray(words[0]) && String(words[0][0]).startsWith("SELECT * FROM")
              ? Effect.tap(statement, () => meanwhile)
              : statement
          }
        })
        const { bytes, keys } = yield* WalletBackup.make(slow, chain, wrapper, noble)
        yield* Effect.promise(async () => rekeying)
        assert.strictEqual(keys, 2)
        assert.strictEqual(yield* WalletBackup.verify(bytes, chain, wrapper, noble), 2)
        assert.strictEqual(
          (yield* Effect.flip(Keyring.check(sql, chain, wrapper))).message,
          "the wallet was sealed with another master key"
        )
      }),
    60_000
  )
})
