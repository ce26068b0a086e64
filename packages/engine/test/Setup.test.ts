import * as Database from "@effect-klaytn/engine/Database"
import * as Engine from "@effect-klaytn/engine/Engine"
import * as DatabaseFault from "@effect-klaytn/store/DatabaseFault"
import { PersistenceError } from "@effect/cluster/ClusterError"
import * as SqlClient from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { join } from "node:path"
import * as recipe from "../../store/test/support/recipe.js"
import * as setup from "../src/internal/setup.js"
import { databases, onPostgres, stranger } from "./support/databases.js"
import { compare } from "./support/frozen.js"

const run = (statement: string) => Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(statement))

describe("the migrations of the engine", () => {
  it.effect("have the statements of their files", () =>
    compare(setup.tables("klaytn"), join(import.meta.dirname, "migrations")))
})

describe("a fault of the storage of messages", () => {
  it("is the database's", () => {
    const cause = new SqlError({ cause: { code: "53100", message: "No space left on device" }, message: "Failed" })
    assert.deepInclude(DatabaseFault.of(new PersistenceError({ cause })), { kind: "Unusable", code: "53100" })
  })
})

describe.each(databases)("the tables of an engine on %s", (_, open) => {
  it.scopedLive("get a column by one more migration, whatever version they have", () =>
    recipe.check(open, setup.tables("klaytn"), "klaytn_commits"))

  it.scopedLive("that a newer one has upgraded are refused before anything is written", () =>
    Effect.flatMap(open, ({ layer }) =>
      Effect.gen(function*() {
        const client = Layer.build(Engine.layerClient())
        yield* Effect.scoped(client)
        yield* run("INSERT INTO klaytn_engine_versions (migration_id, name) VALUES (9, 'later')")
        const started = run("SELECT started FROM klaytn_processes")
        const before = yield* started
        const error = yield* Effect.flip(Effect.scoped(client))
        assert.deepInclude(error, { _tag: "EngineError", reason: "Newer" })
        assert.include(error.message, "have version 9, and this program knows version 1")
        assert.deepStrictEqual(yield* started, before)
      }).pipe(Effect.provide(layer))))
})

describe.each(onPostgres)("the start of an engine on %s", (_, open) => {
  it.scopedLive(
    "is not kept waiting by whoever may connect or read, and makes the tables once for many",
    () =>
      Effect.flatMap(open, (database) =>
        Effect.gen(function*() {
          yield* stranger(database, "SELECT pg_advisory_lock(7164491123), pg_advisory_lock(7164491124)")
          yield* Effect.timeout(
            Effect.all(
              Array.from(
                { length: 4 },
                () => Effect.scoped(Layer.build(Layer.provide(Engine.layerClient(), Layer.fresh(database.layer))))
              ),
              { concurrency: "unbounded" }
            ),
            "20 seconds"
          )
          assert.deepStrictEqual([...yield* run("SELECT started FROM klaytn_processes")], [{ started: "4" }])
          // As a backup does, for as long as it takes.
          yield* stranger(
            database,
            "BEGIN; SELECT 1 FROM klaytn_migrations, klaytn_engine_versions, klaytn_messages",
            (role) => [`GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${role}`]
          )
          yield* Effect.timeout(Effect.scoped(Layer.build(Engine.layerClient())), "10 seconds")
        }).pipe(Effect.provide(database.layer))),
    30_000
  )
})

describe.each(onPostgres)("a database that can't be used on %s", (_, open) => {
  const refusal = (url: URL) =>
    Effect.flip(Effect.scoped(Layer.build(
      Engine.layerClient().pipe(Layer.provide(Database.layerPostgres({ url: Redacted.make(url.href) })))
    )))

  it.scopedLive("fails the layers at once: an unknown user or database, a missing schema, a read-only session", () =>
    Effect.gen(function*() {
      const url = new URL(Redacted.value((yield* open).url))
      const changed = (change: Partial<Pick<URL, "username" | "pathname" | "search">>) =>
        refusal(Object.assign(new URL(url), change))
      const options = (text: string) => ({ search: `?options=${encodeURIComponent(text)}` })
      const told = [
        [yield* changed({ username: "nobody_of_that_name" }), "28000", "user"],
        [yield* changed({ pathname: "/nowhere" }), "3D000", "Create the database"],
        [yield* changed(options("-c search_path=nowhere")), "3F000", "schema"],
        [yield* changed(options("-c default_transaction_read_only=on")), "25006", "read-only"]
      ] as const
      for (const [error, code, advice] of told) {
        assert.strictEqual(error.reason, "Unusable")
        assert.include(error.message, code)
        assert.include(error.message, advice)
      }
    }))
})
