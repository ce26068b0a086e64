import * as Database from "@effect-klaytn/store/Database"
import * as SqlClient from "@effect/sql/SqlClient"
import { assert, describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Inspectable from "effect/Inspectable"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { copyFileSync, writeFileSync } from "node:fs"
import { onPostgres, temporaryFile } from "./support/databases.js"

const open = (file: string) =>
  Effect.flatMap(Layer.build(Database.layerSqlite({ file })), (context) => Effect.provide(SqlClient.SqlClient, context))

const refusal = <A, E>(layer: Layer.Layer<A, E>) => Effect.flip(Effect.scoped(Layer.build(layer)))

describe("a SQLite database", () => {
  it.scoped("keeps every digit of an integer, as a bigint where a number would not", () =>
    Effect.gen(function*() {
      const sql = yield* open(":memory:")
      yield* sql`CREATE TABLE amounts (peb INTEGER)`
      yield* sql`INSERT INTO amounts VALUES (${9_007_199_254_740_993n}), (${5})`
      const rows = yield* sql<{ readonly peb: number | bigint }>`SELECT peb FROM amounts ORDER BY peb`
      assert.deepStrictEqual(rows.map(({ peb }) => peb), [5, 9_007_199_254_740_993n])
    }))

  it.scoped("reads the columns that another connection has added meanwhile", () =>
    Effect.gen(function*() {
      const file = yield* temporaryFile
      const sql = yield* open(file)
      yield* sql`CREATE TABLE notes (text TEXT)`
      yield* sql`INSERT INTO notes VALUES ('a')`
      yield* sql`SELECT * FROM notes`
      yield* (yield* open(file))`ALTER TABLE notes ADD COLUMN size INTEGER DEFAULT 1`
      assert.deepStrictEqual([...yield* sql`SELECT * FROM notes`], [{ text: "a", size: 1 }])
    }))

  it.effect("is whole in its file when it was closed: a copy of the file has everything", () =>
    Effect.scoped(Effect.gen(function*() {
      const file = yield* temporaryFile
      yield* Effect.scoped(Effect.gen(function*() {
        const sql = yield* open(file)
        yield* sql`CREATE TABLE notes (text TEXT)`
        yield* sql`INSERT INTO notes VALUES ('a')`
        yield* sql`SELECT text FROM notes WHERE text = ${"a"}`
      }))
      copyFileSync(file, `${file}-copy`)
      assert.deepStrictEqual(yield* (yield* open(`${file}-copy`))`SELECT text FROM notes`, [{ text: "a" }])
    })))

  it.scoped("takes back what a failed transaction wrote, and goes on", () =>
    Effect.gen(function*() {
      const sql = yield* open(":memory:")
      yield* sql`CREATE TABLE notes (text TEXT)`
      const failure = yield* sql.withTransaction(
        Effect.zipRight(sql`INSERT INTO notes VALUES ('a')`, Effect.fail("no"))
      ).pipe(
        Effect.flip
      )
      assert.strictEqual(failure, "no")
      yield* Effect.flip(sql`INSERT INTO nowhere VALUES ('b')`)
      yield* sql.withTransaction(sql`INSERT INTO notes VALUES ('c')`)
      assert.deepStrictEqual(yield* sql`SELECT text FROM notes`, [{ text: "c" }])
    }))

  it.scopedLive("ends a transaction whose commit is refused, and keeps what comes after it", () =>
    Effect.gen(function*() {
      const file = yield* temporaryFile
      const sql = yield* open(file)
      yield* sql`CREATE TABLE orders (id TEXT PRIMARY KEY)`
      yield* sql`CREATE TABLE notes (id TEXT REFERENCES orders (id) DEFERRABLE INITIALLY DEFERRED)`
      const refused = yield* Effect.exit(sql.withTransaction(sql`INSERT INTO notes VALUES ('no order')`))
      assert.isTrue(Exit.isFailure(refused))
      yield* sql`INSERT INTO orders VALUES ('a')`
      yield* sql.withTransaction(sql`INSERT INTO notes VALUES ('a')`)
      const other = yield* open(file)
      assert.deepStrictEqual(yield* other`SELECT id FROM orders`, [{ id: "a" }])
      assert.deepStrictEqual(yield* other`SELECT id FROM notes`, [{ id: "a" }])
    }))

  it.scoped("does not commit a part of a transaction that SQLite has taken back by itself", () =>
    Effect.gen(function*() {
      const sql = yield* open(":memory:")
      yield* sql`CREATE TABLE notes (text TEXT PRIMARY KEY)`
      yield* sql`INSERT INTO notes VALUES ('taken')`
      const transaction = Effect.gen(function*() {
        yield* sql`INSERT INTO notes VALUES ('a')`
        yield* Effect.ignore(sql`INSERT OR ROLLBACK INTO notes VALUES ('taken')`)
        yield* sql`INSERT INTO notes VALUES ('b')`
      })
      assert.isTrue(Exit.isFailure(yield* Effect.exit(sql.withTransaction(transaction))))
      const unnoticed = Effect.ignore(sql`INSERT OR ROLLBACK INTO notes VALUES ('taken')`)
      assert.isTrue(Exit.isFailure(yield* Effect.exit(sql.withTransaction(unnoticed))))
      assert.deepStrictEqual(yield* sql`SELECT text FROM notes`, [{ text: "taken" }])
      yield* sql.withTransaction(sql`INSERT INTO notes VALUES ('c')`)
      assert.deepStrictEqual(yield* sql`SELECT text FROM notes ORDER BY text`, [{ text: "c" }, { text: "taken" }])
    }))

  it.scoped("keeps statements of other fibers out of an open transaction", () =>
    Effect.gen(function*() {
      const sql = yield* open(":memory:")
      yield* sql`CREATE TABLE notes (text TEXT)`
      const written = yield* Deferred.make<void>()
      const end = yield* Deferred.make<void>()
      const transaction = yield* sql`INSERT INTO notes VALUES ('a')`.pipe(
        Effect.zipRight(Deferred.succeed(written, undefined)),
        Effect.zipRight(Deferred.await(end)),
        Effect.zipRight(Effect.fail("taken back")),
        sql.withTransaction,
        Effect.flip,
        Effect.fork
      )
      yield* Deferred.await(written)
      const outside = yield* Effect.fork(sql`INSERT INTO notes VALUES ('b')`)
      yield* Effect.yieldNow()
      yield* Deferred.succeed(end, undefined)
      yield* Fiber.join(transaction)
      yield* Fiber.join(outside)
      assert.deepStrictEqual(yield* sql`SELECT text FROM notes`, [{ text: "b" }])
    }))

  it.scopedLive("waits for the transaction of another connection, and works after it", () =>
    Effect.gen(function*() {
      const file = yield* temporaryFile
      const [one, other] = [yield* open(file), yield* open(file)]
      yield* one`CREATE TABLE notes (text TEXT)`
      const written = yield* Deferred.make<void>()
      const end = yield* Deferred.make<void>()
      const transaction = yield* one`INSERT INTO notes VALUES ('one')`.pipe(
        Effect.zipRight(Deferred.succeed(written, undefined)),
        Effect.zipRight(Deferred.await(end)),
        one.withTransaction,
        Effect.fork
      )
      yield* Deferred.await(written)
      const waiting = yield* Effect.fork(Effect.all([
        other`INSERT INTO notes VALUES ('statement')`,
        other.withTransaction(other`INSERT INTO notes VALUES ('transaction')`)
      ], { concurrency: "unbounded" }))
      // Long enough to be refused several times.
      yield* Effect.sleep("50 millis")
      yield* Deferred.succeed(end, undefined)
      yield* Fiber.join(transaction)
      yield* Fiber.join(waiting)
      const rows = yield* one<{ readonly text: string }>`SELECT text FROM notes ORDER BY text`
      assert.deepStrictEqual(rows.map(({ text }) => text), ["one", "statement", "transaction"])
    }))

  it.scopedLive("executes statements again that have run, met a lock or failed, and holds no lock between", () =>
    Effect.gen(function*() {
      const file = yield* temporaryFile
      const [one, other] = [yield* open(file), yield* open(file)]
      yield* one`CREATE TABLE notes (text TEXT PRIMARY KEY)`
      const write = (text: string) => one`INSERT INTO notes VALUES (${text}) RETURNING text`
      const read = one`SELECT text FROM notes ORDER BY text`
      yield* write("a")
      yield* read
      const end = yield* Deferred.make<void>()
      const written = yield* Deferred.make<void>()
      const transaction = yield* other`INSERT INTO notes VALUES ('b')`.pipe(
        Effect.zipRight(Deferred.succeed(written, undefined)),
        Effect.zipRight(Deferred.await(end)),
        other.withTransaction,
        Effect.fork
      )
      yield* Deferred.await(written)
      const waiting = yield* Effect.fork(write("c"))
      yield* Effect.sleep("20 millis")
      yield* Deferred.succeed(end, undefined)
      yield* Fiber.join(transaction)
      assert.deepStrictEqual(yield* Fiber.join(waiting), [{ text: "c" }])
      assert.isTrue(Exit.isFailure(yield* Effect.exit(write("a"))))
      yield* write("d")
      // More texts than are kept, and the first ones again.
      for (let number = 0; number < 300; number++) yield* one.unsafe(`SELECT ${number} AS number`)
      yield* write("e")
      assert.deepStrictEqual((yield* read).map(({ text }) => text), ["a", "b", "c", "d", "e"])
      // Whoever reads or writes keeps others from emptying the log of writes.
      assert.deepInclude(yield* other.unsafe("PRAGMA wal_checkpoint(TRUNCATE)"), { busy: 0, log: 0, checkpointed: 0 })
      yield* other.withTransaction(other`DELETE FROM notes`)
      assert.deepStrictEqual(yield* read, [])
    }))

  it.scoped("that can't be opened says which file, and what to do", () =>
    Effect.gen(function*() {
      const file = yield* temporaryFile
      const missing = yield* refusal(Database.layerSqlite({ file: `${file}/nowhere/work.db` }))
      assert.deepInclude(missing, { _tag: "DatabaseError", reason: "Unusable", database: `${file}/nowhere/work.db` })
      writeFileSync(file, "no database at all, but a text of some length".repeat(50))
      const wrong = yield* refusal(Database.layerSqlite({ file }))
      assert.include(wrong.message, "name another file")
    }))
})

describe("a Postgres database", () => {
  const password = "pa55-w0rd"

  it.effect("with an address that is none is refused, without showing it", () =>
    Effect.gen(function*() {
      for (
        const url of [`mysql://user:${password}@host/name`, `postgres://user:${password}@host:port/name`, password, ""]
      ) {
        const error = yield* refusal(Database.layerPostgres({ url: Redacted.make(url) }))
        assert.deepInclude(error, { _tag: "DatabaseError", reason: "Configuration" })
        assert.notInclude(Inspectable.toStringUnknown(error) + String(error.stack), password)
      }
    }))

  it.live("that does not answer is unreachable, and named without its password", () =>
    Effect.gen(function*() {
      const url = Redacted.make(`postgres://user:${password}@127.0.0.1:1/name?sslmode=disable`)
      const error = yield* refusal(Database.layerPostgres({ url }))
      assert.deepInclude(error, {
        _tag: "DatabaseError",
        reason: "Unreachable",
        database: "postgres://127.0.0.1:1/name"
      })
      assert.include(error.message, "ECONNREFUSED")
      assert.notInclude(Inspectable.toStringUnknown(error) + String(error.stack), password)
    }))

  it.effect("with too few connections for a runner is refused", () =>
    Effect.gen(function*() {
      const url = Redacted.make("postgres://127.0.0.1:1/name")
      const error = yield* refusal(Database.layerPostgres({ url, maxConnections: 3 }))
      assert.deepInclude(error, { reason: "Configuration" })
    }))
})

describe.each(onPostgres)("the pool of connections on %s", (_, open) => {
  it.scopedLive("is whole after a caller of `reserve` was interrupted while it waited", () =>
    Effect.gen(function*() {
      const { url } = yield* open
      const context = yield* Layer.build(Database.layerPostgres({ url, maxConnections: 4 }))
      const sql = yield* Effect.provide(SqlClient.SqlClient, context)
      const release = yield* Deferred.make<void>()
      const holders = yield* Effect.forEach([1, 2, 3, 4], () =>
        Effect.gen(function*() {
          const held = yield* Deferred.make<void>()
          const holder = yield* Effect.fork(
            Effect.scoped(
              Effect.zipRight(sql.reserve, Effect.zipRight(Deferred.succeed(held, undefined), Deferred.await(release)))
            )
          )
          yield* Deferred.await(held)
          return holder
        }))
      const waiting = yield* Effect.fork(Effect.scoped(sql.reserve))
      yield* Effect.sleep("20 millis")
      const interrupted = yield* Effect.fork(Fiber.interrupt(waiting))
      yield* Effect.sleep("20 millis")
      yield* Deferred.succeed(release, undefined)
      yield* Fiber.joinAll(holders)
      yield* Fiber.join(interrupted)
      const rows = yield* Effect.scoped(
        Effect.zipRight(Effect.all([1, 2, 3, 4].map(() => sql.reserve)), Effect.succeed("all"))
      )
      assert.strictEqual(rows, "all")
    }))
})

describe("the database of the environment", () => {
  const from = (value: string) =>
    Database.layerConfig().pipe(
      Layer.provide(Layer.setConfigProvider(ConfigProvider.fromMap(new Map([["KLAYTN_DATABASE_URL", value]]))))
    )

  it.scoped("is a file or Postgres, as its address says", () =>
    Effect.gen(function*() {
      const file = yield* temporaryFile
      for (const address of [`file:${file}`, `file://${file}`]) {
        const context = yield* Layer.build(from(address))
        const sql = yield* Effect.provide(SqlClient.SqlClient, context)
        assert.deepStrictEqual(yield* sql`SELECT file FROM pragma_database_list`, [{ file }])
      }
      assert.deepInclude(yield* refusal(from("work.db")), { reason: "Configuration" })
    }))

  it.effect("is refused if its address names no file", () =>
    Effect.forEach(
      ["file:", "file:///tmp/100%.db", "file:///tmp/a%2Fb.db"],
      (address) =>
        Effect.map(refusal(from(address)), (error) =>
          assert.deepInclude(error, {
            reason: "Configuration",
            database: address,
            message: "This is not the address of a file: file:work.db, or file:///folder/work.db with % written as %25."
          }))
    ))

  it.effect("is named with its purpose where it is missing", () =>
    Effect.gen(function*() {
      const error = yield* refusal(
        Database.layerConfig().pipe(Layer.provide(Layer.setConfigProvider(ConfigProvider.fromMap(new Map()))))
      )
      assert.include(String(error), "KLAYTN_DATABASE_URL")
    }))
})
