import * as Database from "@effect-klaytn/store/Database"
import * as DatabaseFile from "@effect-klaytn/store/DatabaseFile"
import * as Driver from "@effect-klaytn/store/Driver"
import * as SqlClient from "@effect/sql/SqlClient"
import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { copyFileSync, existsSync, rmSync, statSync } from "node:fs"
import { temporaryFile } from "./support/databases.js"

/** An open database, in the terms that both kinds have. */
interface Open {
  /** Writes a row of so many bytes. */
  readonly write: (bytes: number) => Effect.Effect<void>
  readonly count: Effect.Effect<number>
}

const asynchronous = (file: string) =>
  Effect.gen(function*() {
    const sql = Context.get(yield* Layer.build(Database.layerSqlite({ file })), SqlClient.SqlClient)
    yield* Effect.orDie(sql`CREATE TABLE IF NOT EXISTS notes (text TEXT)`)
    return {
      write: (bytes: number) => Effect.asVoid(Effect.orDie(sql`INSERT INTO notes VALUES (${"x".repeat(bytes)})`)),
      count: Effect.map(
        Effect.orDie(sql<{ readonly n: number }>`SELECT count(*) AS n FROM notes`),
        ([row]) => row?.n ?? -1
      )
    }
  })

const kind: DatabaseFile.Kind = {
  program: "test",
  applicationId: 7,
  version: 1,
  upgrade: (driver) => driver.exec("CREATE TABLE notes (text TEXT)")
}

const synchronous = (connect: (path: string) => Driver.Driver) => (file: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => DatabaseFile.open(file, kind, connect)),
      (driver) => Effect.sync(() => DatabaseFile.close(driver))
    ),
    (driver): Open => ({
      write: (bytes) =>
        Effect.sync(() =>
          Driver.atomically(driver, () => driver.prepare("INSERT INTO notes VALUES (?1)").run("x".repeat(bytes)))
        ),
      count: Effect.sync(() => Number(driver.prepare("SELECT count(*) FROM notes").first()?.[0]))
    })
  )

const kinds = [
  ["Database", asynchronous],
  ["DatabaseFile with libsql", synchronous(Driver.openLibsql)],
  ...(Number(process.versions.node.split(".")[0]) >= 24
    ? [["DatabaseFile with node:sqlite", synchronous(Driver.openNodeSqlite)] as const]
    : [])
] as const

describe.each(kinds)("a file of %s", (_, open) => {
  const copies = (file: string, ...suffixes: ReadonlyArray<string>) => {
    const copy = `${file}-copy`
    for (const suffix of ["", "-wal", "-shm"]) rmSync(`${copy}${suffix}`, { force: true })
    for (const suffix of suffixes) copyFileSync(`${file}${suffix}`, `${copy}${suffix}`)
    return copy
  }
  const refusal = (file: string) =>
    Effect.map(Effect.exit(Effect.scoped(open(file))), Exit.match({ onFailure: Cause.pretty, onSuccess: () => "" }))
  const counted = (file: string) => Effect.scoped(Effect.flatMap(open(file), ({ count }) => count))

  it.scoped("that is copied while it is written, without its -wal, is refused in words, and again", () =>
    Effect.gen(function*() {
      const file = yield* temporaryFile
      const { write } = yield* open(file)
      yield* write(10)
      const copy = copies(file, "")
      for (const _ of [1, 2]) {
        assert.include(yield* refusal(copy), "FILE-wal is not beside it, and has what was written last")
        assert.isFalse(existsSync(`${copy}-wal`))
      }
      assert.strictEqual(yield* counted(copies(file, "", "-wal")), 1)
    }))

  it.scoped("is told from a whole one however often its -wal was written into it", () =>
    Effect.gen(function*() {
      const file = yield* temporaryFile
      const { write } = yield* open(file)
      for (let n = 1; n <= 6; n++) {
        yield* write(3_000_000)
        assert.include(yield* refusal(copies(file, "")), "FILE-wal is not beside it")
        assert.strictEqual(yield* counted(copies(file, "", "-wal")), n)
      }
      assert.isAbove(statSync(file).size, 12_000_000)
      assert.isBelow(statSync(`${file}-wal`).size, 10_000_000)
    }), 60_000)

  it.scoped("that was closed is whole, and needs no -wal", () =>
    Effect.gen(function*() {
      const file = yield* temporaryFile
      for (const expected of [1, 2]) {
        yield* Effect.scoped(Effect.flatMap(open(file), ({ write }) => write(10)))
        assert.isFalse(existsSync(`${file}-wal`))
        assert.strictEqual(yield* counted(copies(file, "")), expected)
      }
    }))

  it.scoped("into which another program has written its -wal is whole", () =>
    Effect.gen(function*() {
      const file = yield* temporaryFile
      const { write } = yield* open(file)
      yield* write(10)
      const copy = copies(file, "", "-wal")
      const other = Driver.openLibsql(copy)
      other.exec("PRAGMA wal_checkpoint(TRUNCATE)")
      other.exec(`VACUUM INTO '${file}-vacuumed'`)
      other.close()
      copyFileSync(copy, `${file}-restored`)
      assert.strictEqual(yield* counted(`${file}-restored`), 1)
      assert.strictEqual(yield* counted(`${file}-vacuumed`), 1)
    }))

  it.scoped("that is put back beside the -wal of another state is refused before anything is read", () =>
    Effect.gen(function*() {
      const file = yield* temporaryFile
      yield* Effect.scoped(Effect.flatMap(open(file), ({ write }) => write(10)))
      const kept = copies(file, "")
      copyFileSync(kept, `${file}-kept`)
      const { write } = yield* open(file)
      yield* write(10)
      const copy = copies(file, "", "-wal")
      copyFileSync(`${file}-kept`, copy)
      const { size } = statSync(`${copy}-wal`)
      assert.include(yield* refusal(copy), "the FILE-wal beside it belongs to another state of it")
      assert.strictEqual(statSync(`${copy}-wal`).size, size)
      rmSync(copy)
      assert.include(yield* refusal(copy), "only its FILE-wal is there")
    }))

  it.scoped("of an older program, which says nothing of its -wal, is read", () =>
    Effect.gen(function*() {
      const file = yield* temporaryFile
      yield* Effect.scoped(Effect.flatMap(open(file), ({ write }) => write(10)))
      const old = Driver.openLibsql(file)
      old.exec("DROP TABLE effect_klaytn_wal")
      old.exec("PRAGMA journal_mode = WAL")
      old.exec("INSERT INTO notes VALUES ('b')")
      old.exec("PRAGMA wal_checkpoint(TRUNCATE)")
      assert.strictEqual(yield* counted(copies(file, "")), 2)
      old.close()
    }))
})

describe("a database", () => {
  it.scoped("is marked anew once a statement has written the -wal into the file", () =>
    Effect.gen(function*() {
      const file = yield* temporaryFile
      const sql = Context.get(yield* Layer.build(Database.layerSqlite({ file })), SqlClient.SqlClient)
      yield* sql`CREATE TABLE notes (text TEXT)`
      yield* sql`PRAGMA wal_checkpoint(TRUNCATE)`
      copyFileSync(file, `${file}-whole`)
      assert.isUndefined(DatabaseFile.problemOf(`${file}-whole`))
      yield* sql`INSERT INTO notes VALUES ('a')`
      copyFileSync(file, `${file}-copy`)
      assert.include(DatabaseFile.problemOf(`${file}-copy`), "FILE-wal is not beside it")
    }))
})
