/**
 * Migrations that were released never change: their statements are files beside the tests. A new migration, whose file is not
 * there, fails once and writes the file; a changed one fails until a migration is added instead.
 */
import * as Driver from "@effect-klaytn/store/Driver"
import type * as Migrations from "@effect-klaytn/store/Migrations"
import * as Reactivity from "@effect/experimental/Reactivity"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as SqlClient from "@effect/sql/SqlClient"
import type { Connection } from "@effect/sql/SqlConnection"
import * as Statement from "@effect/sql/Statement"
import { assert, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"

const compilers = { sqlite: Statement.makeCompilerSqlite(), pg: PgClient.makeCompiler() }

/** A client that answers nothing, and keeps the statements. */
const recording = (compiler: Statement.Compiler, statements: Array<string>) => {
  const record = (sql: string) =>
    Effect.sync(() => {
      if (!sql.startsWith("SELECT")) statements.push(sql.replaceAll(/\n\s+/g, "\n  "))
      return []
    })
  const connection: Connection = {
    execute: record,
    executeUnprepared: record,
    executeRaw: record,
    executeValues: record,
    executeStream: (sql) => Stream.fromIterableEffect(record(sql))
  }
  return Effect.provide(
    SqlClient.make({ acquirer: Effect.succeed(connection), compiler, spanAttributes: [] }),
    Reactivity.layer
  )
}

const statementsOf = (compiler: Statement.Compiler, { make }: Migrations.Migration) =>
  Effect.gen(function*() {
    const statements: Array<string> = []
    yield* Effect.provideService(make, SqlClient.SqlClient, yield* recording(compiler, statements))
    return `${statements.join(";\n\n")};\n`
  })

/** Compares the statements of all migrations with their files in a folder. */
export const compare = (
  { migrations }: Migrations.Tables,
  folder: string,
  dialects: ReadonlyArray<keyof typeof compilers> = ["sqlite", "pg"]
) =>
  Effect.gen(function*() {
    const before = existsSync(folder) ? readdirSync(folder) : []
    const files: Array<string> = []
    for (const [i, migration] of migrations.entries()) {
      for (const dialect of dialects) {
        const compiler = compilers[dialect]
        const file = join(folder, `${i + 1}_${migration.name}.${dialect}.sql`)
        const statements = yield* statementsOf(compiler, migration)
        yield* Effect.promise(() => expect(statements).toMatchFileSnapshot(file))
        files.push(basename(file))
      }
    }
    assert.sameMembers(before, files, "files of migrations were written now, or belong to none: commit or remove them")
  })

/** The tables and indexes of a file, as SQL, with the numbers of its program and version. */
const schemaOf = (file: string): { readonly version: number; readonly sql: string } => {
  const driver = Driver.open(file)
  try {
    const number = (pragma: string) => Number(driver.prepare(`PRAGMA ${pragma}`).first()?.[0])
    const version = number("user_version")
    const parts = driver.prepare(
      "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT IN ('sqlite_sequence', 'effect_klaytn_wal') ORDER BY name"
    )
      .all().map(([sql]) => String(sql))
    const numbers = [`PRAGMA application_id = ${number("application_id")}`, `PRAGMA user_version = ${version}`]
    return { version, sql: `${[...numbers, ...parts].join(";\n\n")};\n` }
  } finally {
    driver.close()
  }
}

/** Compares the tables of a new file with those that its version has in a folder: `NAME.VERSION.sql`. */
export const compareFile = (file: string, folder: string, name: string) =>
  Effect.gen(function*() {
    const before = existsSync(folder) ? readdirSync(folder) : []
    const { sql, version } = schemaOf(file)
    const frozen = `${name}.${version}.sql`
    yield* Effect.promise(() => expect(sql).toMatchFileSnapshot(join(folder, frozen)))
    assert.include(before, frozen, "the tables of a new version were written into a file now: commit it")
  })

/** Makes a file by the SQL of an earlier version. */
export const makeFile = (file: string, sql: string): void => {
  const driver = Driver.open(file)
  driver.exec(sql)
  driver.close()
}

/** The SQL of all versions in a folder. */
export const versionsOf = (folder: string, name: string): ReadonlyArray<readonly [file: string, sql: string]> =>
  readdirSync(folder).filter((file) => file.startsWith(`${name}.`))
    .map((file) => [file, readFileSync(join(folder, file), "utf8")] as const)
