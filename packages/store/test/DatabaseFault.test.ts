import * as Database from "@effect-klaytn/store/Database"
import * as DatabaseFault from "@effect-klaytn/store/DatabaseFault"
import * as SqlClient from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { temporaryFile } from "./support/databases.js"

const of = (cause: unknown) => DatabaseFault.of(new SqlError({ cause, message: "Failed to execute statement" }))

describe("a fault of a database", () => {
  it("passes if the connection or another transaction is to blame", () => {
    const codes = [
      "08006",
      "40001",
      "40P01",
      "53300",
      "55P03",
      "57P01",
      "57P03",
      "57014",
      "25P03",
      "ECONNREFUSED",
      "ETIMEDOUT"
    ]
    for (const code of [...codes, "ENOTFOUND", "EAI_AGAIN", "SQLITE_BUSY", "SQLITE_BUSY_SNAPSHOT", "SQLITE_LOCKED"]) {
      assert.deepInclude(of({ code }), { kind: "Passing", code }, code)
      assert.isTrue(DatabaseFault.isPassing({ code }))
    }
    for (
      const message of [
        "Connection terminated unexpectedly",
        "timeout exceeded when trying to connect",
        "Connection timed out",
        "Query read timeout"
      ]
    ) {
      assert.deepInclude(of(new Error(message)), { kind: "Passing", code: undefined, message })
    }
  })

  it("is one of the session if the server is a standby now: another session may lead to the primary", () => {
    assert.deepInclude(of({ code: "25006" }), { kind: "Session", code: "25006" })
    assert.isTrue(DatabaseFault.isPassing({ code: "25006" }))
  })

  it("makes the database unusable until somebody acts, and says how", () => {
    const advised: Readonly<Record<string, string>> = {
      "28P01": "password",
      "28000": "user",
      "3D000": "Create the database",
      "57P04": "Create the database",
      "3F000": "schema",
      "42501": "rights",
      "53100": "Free space",
      SQLITE_FULL: "Free space",
      ENOSPC: "Free space",
      SQLITE_READONLY_DBMOVED: "writable",
      EROFS: "writable",
      SQLITE_CANTOPEN: "folder",
      EACCES: "folder",
      SQLITE_NOTADB: "another file",
      SQLITE_CORRUPT: "backup",
      XX001: "backup",
      SQLITE_IOERR_WRITE: "disk",
      DEPTH_ZERO_SELF_SIGNED_CERT: "certificate",
      ERR_TLS_CERT_ALTNAME_INVALID: "certificate"
    }
    for (const [code, advice] of Object.entries(advised)) {
      assert.deepInclude(of({ code }), { kind: "Unusable", code })
      assert.include(of({ code }).advice, advice)
      assert.isFalse(DatabaseFault.isPassing({ code }))
    }
    for (
      const message of [
        "The server does not support SSL connections",
        "SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string"
      ]
    ) {
      assert.deepInclude(of(new Error(message)), { kind: "Unusable", message })
    }
    for (const form of ["a string", "a non-empty string"]) {
      const none = of(new Error(`SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be ${form}`))
      assert.match(none.advice, /^The server asks for a password, and none was given: set PGPASSWORD, or /)
    }
    assert.match(of(new Error("SASL: the server refuses")).advice, /^Check the user and the password/)
  })

  it("is otherwise one of the statement", () => {
    for (const code of ["23505", "40002", "42P01", "42601", "25P02", "SQLITE_CONSTRAINT_UNIQUE", "SQLITE_ERROR"]) {
      assert.strictEqual(of({ code }).kind, "Statement", code)
    }
    assert.strictEqual(of(new Error("odd")).kind, "Statement")
    assert.strictEqual(DatabaseFault.of("odd").message, "odd")
  })

  it("is found behind the errors that it is the cause of", () => {
    const cause = new SqlError({ cause: { code: "53100", message: "No space left on device" }, message: "Failed" })
    const found = { kind: "Unusable", code: "53100", message: "No space left on device" } as const
    assert.deepInclude(DatabaseFault.of(new Error("storage", { cause })), found)
  })
})

describe("a database that can't be used", () => {
  it.scoped("is a SQLite file that has reached its size, and it is told as what it is", () =>
    Effect.gen(function*() {
      const context = yield* Layer.build(Database.layerSqlite({ file: yield* temporaryFile }))
      const sql = yield* Effect.provide(SqlClient.SqlClient, context)
      yield* sql`CREATE TABLE notes (text TEXT)`
      yield* sql`PRAGMA max_page_count = 4`
      const error = yield* Effect.flip(sql`INSERT INTO notes VALUES (${"x".repeat(100_000)})`)
      assert.deepInclude(DatabaseFault.of(error), { kind: "Unusable", code: "SQLITE_FULL" })
      yield* sql`PRAGMA query_only = 1`
      const readOnly = yield* Effect.flip(sql`INSERT INTO notes VALUES ('a')`)
      assert.deepInclude(DatabaseFault.of(readOnly), { kind: "Unusable", code: "SQLITE_READONLY" })
    }))
})
