import { describe, it } from "@effect/vitest"
import { join } from "node:path"
import { databases } from "../../store/test/support/databases.js"
import { compare } from "../../store/test/support/frozen.js"
import * as recipe from "../../store/test/support/recipe.js"
import * as CustodyTables from "../src/CustodyTables.js"
import * as GuardTables from "../src/GuardTables.js"

const wallet = CustodyTables.make(1001)
const guard = GuardTables.make(1001)
const folder = join(import.meta.dirname, "migrations")

describe("the migrations of a wallet", () => {
  it.effect("have the statements of their files", () => compare(wallet, join(folder, "wallet")))

  it.effect("have the statements of their files, those of its guard", () => compare(guard, join(folder, "guard")))
})

describe.each(databases)("the tables of a wallet on %s", (_, open) => {
  it.scopedLive("get a column by one more migration, whatever version they have", () =>
    recipe.check(open, wallet, "wallet_sends_1001"))

  it.scopedLive("get a column by one more migration, those of its guard", () =>
    recipe.check(open, guard, "wallet_roots_1001"))
})
