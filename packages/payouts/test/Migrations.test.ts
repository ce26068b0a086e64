import * as Migrations from "@effect-klaytn/store/Migrations"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { join } from "node:path"
import { databases } from "../../store/test/support/databases.js"
import { compare } from "../../store/test/support/frozen.js"
import * as recipe from "../../store/test/support/recipe.js"
import { tables, upgrade } from "../src/internal/migrations.js"

describe("the migrations of payouts", () => {
  it.effect("have the statements of their files", () =>
    compare(tables("klaytn"), join(import.meta.dirname, "migrations")))
})

describe.each(databases)("the tables of payouts on %s", (name, open) => {
  it.scopedLive("get a column by one more migration, whatever version they have", () =>
    recipe.check(open, tables("klaytn"), "klaytn_payouts"))

  it.scopedLive("are made and upgraded under long names, and refused where two would have one name", () =>
    Effect.flatMap(open, ({ layer }) =>
      Effect.gen(function*() {
        for (const namespace of ["s".repeat(46), "t".repeat(50), "ü".repeat(27)]) {
          const all = tables(namespace)
          yield* Migrations.upgrade({ ...all, migrations: all.migrations.slice(0, 2) })
          assert.deepInclude(yield* upgrade(namespace), { from: 2, to: all.migrations.length }, namespace)
        }
        const longer = yield* Effect.either(upgrade("u".repeat(55)))
        assert.strictEqual(longer._tag, name === "SQLite" ? "Right" : "Left")
        if (longer._tag === "Left") assert.include(longer.left.message, "up to 54 bytes in Postgres")
      }).pipe(Effect.provide(layer))))
})
