import * as DatabaseFault from "@effect-klaytn/store/DatabaseFault"
import * as Migrations from "@effect-klaytn/store/Migrations"
import * as SqlClient from "@effect/sql/SqlClient"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { databases, onPostgres, stranger } from "./support/databases.js"

const run = (statement: string) => Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(statement))

const make = (...statements: ReadonlyArray<string>) => Effect.forEach(statements, run, { discard: true })

const first: Migrations.Migration = { name: "tables", make: make("CREATE TABLE IF NOT EXISTS orders (id INTEGER)") }
const second: Migrations.Migration = { name: "amount", make: make("ALTER TABLE orders ADD COLUMN amount INTEGER") }

const tables = (...migrations: ReadonlyArray<Migrations.Migration>): Migrations.Tables => ({
  name: "orders",
  package: "@example/orders",
  versions: "orders_versions",
  first: "orders",
  migrations
})

const recorded = Effect.map(
  run("SELECT migration_id, name FROM orders_versions ORDER BY migration_id"),
  (rows) => rows.map((row) => Object.values(row).join(" "))
)

describe.each(databases)("tables with a version on %s", (_, open) => {
  it.scopedLive("are created, upgraded by what they lack, and then only read", () =>
    Effect.flatMap(open, ({ layer }) =>
      Effect.gen(function*() {
        assert.deepStrictEqual(yield* Migrations.upgrade(tables(first)), { name: "orders", from: 0, to: 1 })
        yield* run("INSERT INTO orders VALUES (7)")
        const upgraded = yield* Migrations.upgrade(tables(first, second))
        assert.deepStrictEqual(upgraded, { name: "orders", from: 1, to: 2 })
        assert.isTrue(Migrations.isUpgrade(upgraded))
        assert.strictEqual(Migrations.describe(upgraded), "orders 1 -> 2")
        const again = yield* Migrations.upgrade(tables(first, second))
        assert.deepStrictEqual(again, { name: "orders", from: 2, to: 2 })
        assert.isFalse(Migrations.isUpgrade(again))
        assert.deepStrictEqual(yield* recorded, ["1 tables", "2 amount"])
        assert.deepStrictEqual([...yield* run("SELECT * FROM orders")], [{ id: 7, amount: null }])
      }).pipe(Effect.provide(layer))))

  it.scopedLive("without a recorded version count as version 1", () =>
    Effect.flatMap(open, ({ layer }) =>
      Effect.gen(function*() {
        yield* first.make
        assert.deepStrictEqual(yield* Migrations.upgrade(tables(first, second)), { name: "orders", from: 1, to: 2 })
        assert.deepStrictEqual(yield* recorded, ["1 tables", "2 amount"])
      }).pipe(Effect.provide(layer))))

  it.scopedLive("that a newer program has upgraded are refused, and the error names both versions", () =>
    Effect.flatMap(open, ({ layer }) =>
      Effect.gen(function*() {
        yield* Migrations.upgrade(tables(first, second))
        const error = yield* Effect.flip(Migrations.upgrade(tables(first)))
        assert.deepInclude(error, { _tag: "NewerTables", found: 2, known: 1, package: "@example/orders" })
        assert.include(error.message, "orders have version 2, and this program knows version 1")
        assert.include(error.message, "install the version of @example/orders")
      }).pipe(Effect.provide(layer))))

  it.scopedLive("whose record was lost or changed are refused in words", () =>
    Effect.flatMap(open, ({ layer }) =>
      Effect.gen(function*() {
        yield* Migrations.upgrade(tables(first, second))
        for (const change of ["DELETE FROM orders_versions", "DROP TABLE orders_versions"]) {
          yield* run(change)
          for (const _ of [1, 2]) {
            const { message } = yield* Effect.flip(Migrations.upgrade(tables(first, second)))
            assert.include(message, "2_amount")
            assert.match(
              message,
              /The tables are newer than \S+orders_versions says: what it has recorded was lost or changed/
            )
          }
        }
        yield* run("DELETE FROM orders_versions")
        yield* run("INSERT INTO orders_versions (migration_id, name) VALUES (-1, 'odd')")
        const { message } = yield* Effect.flip(Migrations.upgrade(tables(first, second)))
        assert.include(message, "have version -1, which no program records")
      }).pipe(Effect.provide(layer))))

  it.scopedLive("keep nothing of a migration that fails, and what came before it", () =>
    Effect.flatMap(open, ({ layer }) =>
      Effect.gen(function*() {
        const failing: Migrations.Migration = {
          name: "amount",
          make: make("ALTER TABLE orders ADD COLUMN amount INTEGER", "INSERT INTO orders VALUES (1, 2)", "no statement")
        }
        const error = yield* Effect.flip(Migrations.upgrade(tables(first, failing)))
        assert.strictEqual(error._tag, "SqlError")
        assert.include(error.message, "2_amount")
        assert.deepStrictEqual(yield* recorded, ["1 tables"])
        yield* Migrations.upgrade(tables(first, second))
        assert.deepStrictEqual([...yield* run("SELECT amount FROM orders")], [])
      }).pipe(Effect.provide(layer))))

  it.scopedLive("get each migration once, however many upgrade them at the same time", () =>
    Effect.flatMap(open, ({ layer }) =>
      Effect.gen(function*() {
        const all = yield* Effect.all(
          Array.from(
            { length: 6 },
            () => Effect.provide(Migrations.upgrade(tables(first, second)), Layer.fresh(layer))
          ),
          { concurrency: "unbounded" }
        )
        assert.isTrue(all.every(({ to }) => to === 2))
        assert.include(all.map(({ from }) => from), 0)
        assert.deepStrictEqual(yield* recorded, ["1 tables", "2 amount"])
      }).pipe(Effect.provide(layer))))

  it.scopedLive("are never said to be gone by those that look while a process makes them", () =>
    Effect.flatMap(open, ({ layer }) =>
      Effect.gen(function*() {
        const look = Effect.gen(function*() {
          // Between two looks, timers and other connections have their turn.
          while ((yield* Migrations.version(tables(first))) !== 1) yield* Effect.sleep("1 millis")
        })
        const looks = yield* Effect.fork(
          Effect.all(Array.from({ length: 9 }, () => look), { concurrency: "unbounded" })
        )
        yield* Effect.sleep("100 millis")
        yield* Effect.provide(Migrations.upgrade(tables(first)), Layer.fresh(layer))
        assert.strictEqual((yield* Fiber.join(looks)).length, 9)
      }).pipe(Effect.provide(layer))))
})

describe.each(onPostgres)("an upgrade on %s", (_, open) => {
  it.scopedLive("names the right that is missing where its role may make no schema", () =>
    Effect.flatMap(open, ({ layer }) =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const role = `reader_${process.pid}`
        yield* run(`CREATE ROLE ${role}`)
        const upgrade = sql.withTransaction(
          Effect.zipRight(run(`SET LOCAL ROLE ${role}`), Migrations.upgrade({ ...tables(first), schema: "missing" }))
        )
        const error = yield* Effect.ensuring(Effect.flip(upgrade), Effect.orDie(run(`DROP ROLE ${role}`)))
        assert.include(DatabaseFault.of(error).message, "permission denied for database")
      }).pipe(Effect.provide(layer))))

  it.scopedLive("is not kept waiting by the locks of whoever may connect", () =>
    Effect.flatMap(open, (database) =>
      Effect.gen(function*() {
        // The lock that programs of earlier versions take.
        yield* stranger(database, "SELECT pg_advisory_lock(7164491124)")
        yield* Migrations.upgrade(tables(first))
        const done = yield* Effect.timeout(Migrations.upgrade(tables(first, second)), "4 seconds")
        assert.deepStrictEqual(done, { name: "orders", from: 1, to: 2 })
      }).pipe(Effect.provide(database.layer))))

  it.scopedLive(
    "waits for a transaction that is in the way, and lets other statements pass in the meantime",
    () =>
      Effect.flatMap(open, ({ layer }) =>
        Effect.gen(function*() {
          yield* Migrations.upgrade(tables(first))
          const sql = yield* SqlClient.SqlClient
          const isOpen = yield* Deferred.make<void>()
          const mayEnd = yield* Deferred.make<void>()
          const inTheWay = yield* Effect.fork(sql.withTransaction(
            Effect.zipRight(
              Effect.zipRight(run("INSERT INTO orders VALUES (1)"), Deferred.succeed(isOpen, undefined)),
              Deferred.await(mayEnd)
            )
          ))
          yield* Deferred.await(isOpen)
          const upgrade = yield* Effect.fork(Migrations.upgrade(tables(first, second)))
          yield* Effect.sleep("1 second")
          // Behind the waiting statement of the migration, which gives up after 5 seconds.
          yield* run("INSERT INTO orders VALUES (2)")
          yield* Deferred.succeed(mayEnd, undefined)
          yield* Fiber.join(inTheWay)
          assert.deepStrictEqual(yield* Fiber.join(upgrade), { name: "orders", from: 1, to: 2 })
          assert.strictEqual((yield* run("SELECT id FROM orders")).length, 2)
        }).pipe(Effect.provide(layer))),
    30_000
  )
})
