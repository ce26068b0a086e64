import { describe, it } from "@effect/vitest"
import { join } from "node:path"
import { databases } from "../../store/test/support/databases.js"
import { compare } from "../../store/test/support/frozen.js"
import * as recipe from "../../store/test/support/recipe.js"
import { tables } from "../src/internal/migrations.js"

describe("the migrations of payouts", () => {
  it.effect("have the statements of their files", () =>
    compare(tables("klaytn"), join(import.meta.dirname, "migrations")))
})

describe.each(databases)("the tables of payouts on %s", (_, open) => {
  it.scopedLive("get a column by one more migration, whatever version they have", () =>
    recipe.check(open, tables("klaytn"), "klaytn_payouts"))
})
