/**
 * Migrations that were released never change: their statements are files beside the tests. A new migration, whose file is not
 * there, fails once and writes the file; a changed one fails until a migration is added instead.
 */
import type * as Migrations from "@effect-klaytn/store/Migrations"
import * as Reactivity from "@effect/experimental/Reactivity"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as SqlClient from "@effect/sql/SqlClient"
import type { Connection } from "@effect/sql/SqlConnection"
import * as Statement from "@effect/sql/Statement"
import { assert, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { existsSync, readdirSync } from "node:fs"
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
export const compare = ({ migrations }: Migrations.Tables, folder: string) =>
  Effect.gen(function*() {
    const before = existsSync(folder) ? readdirSync(folder) : []
    const files: Array<string> = []
    for (const [i, migration] of migrations.entries()) {
      for (const [dialect, compiler] of Object.entries(compilers)) {
        const file = join(folder, `${i + 1}_${migration.name}.${dialect}.sql`)
        const statements = yield* statementsOf(compiler, migration)
        yield* Effect.promise(() => expect(statements).toMatchFileSnapshot(file))
        files.push(basename(file))
      }
    }
    assert.sameMembers(before, files, "files of migrations were written now, or belong to none: commit or remove them")
  })
