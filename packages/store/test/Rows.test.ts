import { SqlClient } from "@effect/sql/SqlClient"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Driver from "../src/Driver.js"
import * as Rows from "../src/Rows.js"
import { databases } from "./support/databases.js"

describe.each(databases)("cells of a row on %s", (_, open) => {
  it.scopedLive("are read by their names, whole numbers with all of their digits", () =>
    Effect.gen(function*() {
      const { layer } = yield* open
      yield* Effect.gen(function*() {
        const sql = yield* SqlClient
        const [row] = yield* sql`SELECT CAST(9007199254740993 AS BIGINT) AS large, CAST(7 AS INTEGER) AS small,
          CAST('x' AS TEXT) AS word, NULL AS missing`
        assert.strictEqual(Rows.bigint(row, "large"), 9_007_199_254_740_993n)
        assert.throws(() => Rows.number(row, "large"), "column large of a stored row is not a whole number below 2^53")
        assert.strictEqual(Rows.number(row, "small"), 7)
        assert.strictEqual(Rows.text(row, "word"), "x")
        assert.throws(() => Rows.text(row, "small"), "column small of a stored row is not text")
        assert.throws(() => Rows.number(row, "word"), "column word of a stored row is not a whole number")
        assert.throws(() => Rows.number(row, "smal"), "column smal of a stored row is not there")
        assert.strictEqual(Rows.optional(Rows.number)(row, "small"), 7)
        assert.isUndefined(Rows.optional(Rows.number)(row, "missing"))
        assert.isUndefined(Rows.optional(Rows.text)(undefined, "word"))
        assert.throws(() => Rows.optional(Rows.text)(row, "wort"), "column wort of a stored row is not there")
        assert.strictEqual(Rows.cell(row, "missing"), null)
        const given = sql`${new Uint8Array([1, 2])}`
        const [sealed] = yield* sql`SELECT ${
          sql.onDialectOrElse({ pg: () => sql`${given}::bytea`, orElse: () => given })
        } AS bytes`
        assert.deepStrictEqual([...Rows.bytes(sealed, "bytes")], [1, 2])
        assert.throws(() => Rows.bytes(row, "word"), "column word of a stored row is not bytes")
      }).pipe(Effect.provide(layer))
    }))
})

describe("rows of a driver", () => {
  it("have the names of their columns", () => {
    const driver = Driver.openLibsql(":memory:")
    assert.deepStrictEqual(driver.prepare("CREATE TABLE orders (id INTEGER, paid BLOB)").named(), [])
    const insert = driver.prepare("INSERT INTO orders VALUES (?1, ?2) RETURNING paid, id AS number")
    const [row] = insert.named(7, new Uint8Array([1]))
    assert.strictEqual(Rows.number(row, "number"), 7)
    assert.deepStrictEqual([...Rows.bytes(row, "paid")], [1])
    driver.close()
  })
})
