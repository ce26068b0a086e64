/** The tables of a gateway's files and of its callers in a wallet: what is frozen, and what older ones become. */
import * as Driver from "@effect-klaytn/store/Driver"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { join } from "node:path"
import { databases, temporaryFile } from "../../store/test/support/databases.js"
import * as frozen from "../../store/test/support/frozen.js"
import * as recipe from "../../store/test/support/recipe.js"
import * as CallerFile from "../src/CallerFile.js"
import type { GatewayError } from "../src/GatewayError.js"
import * as IndexFile from "../src/internal/IndexFile.js"
import * as WalletCallers from "../src/internal/WalletCallers.js"
import * as PresetFile from "../src/PresetFile.js"

const folder = join(import.meta.dirname, "tables")

const files: ReadonlyArray<readonly [string, (file: string) => Effect.Effect<unknown, GatewayError, Scope.Scope>]> = [
  ["callers", CallerFile.open],
  ["presets", (file: string) => PresetFile.open(file)],
  [
    "index",
    (file: string) => Effect.flatMap(IndexFile.open(file), (home) => home.open(1001, undefined, false))
  ]
]

/** The columns and indexes of a file, in one order. */
const shapeOf = (file: string): ReadonlyArray<ReadonlyArray<unknown>> => {
  const driver = Driver.open(file)
  try {
    return [
      ...driver.prepare(
        `SELECT m.name, x.name, x.type, x."notnull", x.dflt_value, x.pk, x.hidden
         FROM sqlite_schema m, pragma_table_xinfo(m.name) x WHERE m.type = 'table' ORDER BY 1, 2`
      ).all(),
      ...driver.prepare("SELECT tbl_name, sql FROM sqlite_schema WHERE type = 'index' ORDER BY 1, 2").all()
    ]
  } finally {
    driver.close()
  }
}

describe.each(files)("the file of the %s", (name, open) => {
  it.scopedLive("has the tables of its version, and older files get what they lack", () =>
    Effect.gen(function*() {
      const file = yield* temporaryFile
      yield* Effect.scoped(open(file))
      yield* frozen.compareFile(file, folder, name)
      for (const [version, sql] of frozen.versionsOf(folder, name)) {
        const older = yield* temporaryFile
        frozen.makeFile(older, sql)
        yield* Effect.scoped(open(older))
        assert.deepStrictEqual(shapeOf(older), shapeOf(file), version)
      }
    }))
})

describe("the migrations of a wallet's callers", () => {
  it.effect("have the statements of their files", () =>
    frozen.compare(WalletCallers.tables, join(import.meta.dirname, "migrations")))
})

describe.each(databases)("the callers of a wallet on %s", (_, open) => {
  it.scopedLive("get a column by one more migration, whatever version they have", () =>
    recipe.check(open, WalletCallers.tables, WalletCallers.table))
})
