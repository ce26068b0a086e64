/**
 * The databases that a test runs on: SQLite always, and Postgres where `TEST_POSTGRES` has the address of a server whose user
 * may create databases, as `pnpm test:postgres` arranges. That command runs the tests whose names contain "on Postgres":
 *
 *     describe.each(databases)("a payout on %s", (_, open) => {
 *       it.scopedLive("...", () => Effect.flatMap(open, ({ layer }) => ...))
 *     })
 */
import * as Database from "@effect-klaytn/store/Database"
import type { DatabaseError } from "@effect-klaytn/store/DatabaseError"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Config from "effect/Config"
import type { ConfigError } from "effect/ConfigError"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { randomUUID } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** An empty database. Each build of the layer has connections of its own, as a process of its own would. */
export interface TestDatabase {
  readonly url: Redacted.Redacted
  readonly layer: Layer.Layer<SqlClient.SqlClient, DatabaseError | ConfigError>
}

const at = (url: string): TestDatabase => ({
  url: Redacted.make(url),
  layer: Database.layerConfig(Config.succeed(Redacted.make(url)))
})

/** A place for a database file, gone with the scope. */
export const temporaryFile = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "store-test-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
  ),
  (folder) => join(folder, "work.db")
)

const sqlite = Effect.map(temporaryFile, (file) => at(`file:${file}`))

/** A database of its own on the server, dropped with the scope. */
const postgres = (server: string) => {
  const run = (statement: string) =>
    Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(statement)).pipe(
      Effect.provide(at(server).layer),
      Effect.orDie
    )
  return Effect.map(
    Effect.acquireRelease(
      Effect.suspend(() => {
        const name = `test_${randomUUID().replaceAll("-", "")}`
        return Effect.as(run(`CREATE DATABASE ${name}`), name)
      }),
      (name) => run(`DROP DATABASE ${name} WITH (FORCE)`)
    ),
    (name) => at(Object.assign(new URL(server), { pathname: `/${name}` }).href)
  )
}

type Row = readonly [name: "SQLite" | "Postgres", open: Effect.Effect<TestDatabase, never, Scope.Scope>]

const server = process.env["TEST_POSTGRES"]

/** For tests of what only Postgres has. Empty where there is no server. */
export const onPostgres: ReadonlyArray<Row> = server === undefined ? [] : [["Postgres", postgres(server)]]

/** The databases of this run by name, with an effect that opens an empty one for as long as its scope. */
export const databases: ReadonlyArray<Row> = [["SQLite", sqlite], ...onPostgres]

/**
 * A session of a role that may connect to a database of Postgres, and what statements grant it, in which a statement was run. It is gone with the scope.
 */
export const stranger = (
  { layer, url }: TestDatabase,
  statement: string,
  grants: (role: string) => ReadonlyArray<string> = () => []
) =>
  Effect.gen(function*() {
    const role = `stranger_${randomUUID().replaceAll("-", "")}`
    const own = (statements: ReadonlyArray<string>) =>
      Effect.flatMap(SqlClient.SqlClient, (sql) => Effect.forEach(statements, (one) => sql.unsafe(one))).pipe(
        Effect.provide(layer),
        Effect.orDie
      )
    yield* Effect.acquireRelease(
      own([`CREATE ROLE ${role} LOGIN`, ...grants(role)]),
      () => own([`DROP OWNED BY ${role}`, `DROP ROLE ${role}`])
    )
    const address = Object.assign(new URL(Redacted.value(url)), { username: role }).href
    const sql = yield* Effect.orDie(Database.makePostgres({ url: Redacted.make(address) }))
    const session = yield* Effect.orDie(sql.reserve)
    yield* Effect.orDie(session.executeRaw(statement, []))
    return session
  })
