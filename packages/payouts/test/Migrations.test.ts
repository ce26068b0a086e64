import { describe, it } from "@effect/vitest"
import { join } from "node:path"
import { compare } from "../../engine/test/support/frozen.js"
import { tables } from "../src/internal/migrations.js"

describe("the migrations of payouts", () => {
  it.effect("have the statements of their files", () =>
    compare(tables("klaytn"), join(import.meta.dirname, "migrations")))
})
