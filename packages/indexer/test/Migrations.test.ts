import { describe, it } from "@effect/vitest"
import { join } from "node:path"
import { compare } from "../../store/test/support/frozen.js"
import { tablesOf } from "../src/internal/postgres/tables.js"

describe("the migrations of an index in Postgres", () => {
  it.effect("have the statements of their files", () =>
    compare(tablesOf({ schema: "s", quoted: "\"s\"" }), join(import.meta.dirname, "migrations"), ["pg"]))
})
