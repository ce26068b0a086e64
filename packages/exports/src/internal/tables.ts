/** The tables in which an export keeps its plan, its windows and its budgets, by version. */
import * as Context from "effect/Context"
import type { Migration } from "./migrations.js"

/** The tables that every version of this package has. Databases were without a version before there were migrations. */
const first: Migration = {
  name: "plan_windows_accounts_budget",
  statements: (dialect, prefix) => {
    const integer = dialect === "sqlite" ? "INTEGER" : "BIGINT"
    const strict = dialect === "sqlite" ? " STRICT" : ""
    return [
      `CREATE TABLE IF NOT EXISTS ${prefix}export_plan (id ${integer} PRIMARY KEY, plan TEXT NOT NULL,
       manifest TEXT)${strict}`,
      `CREATE TABLE IF NOT EXISTS ${prefix}export_windows ("window" ${integer} PRIMARY KEY, status TEXT NOT NULL,
       pages ${integer} NOT NULL, rows_stored ${integer} NOT NULL, state TEXT NOT NULL)${strict}`,
      `CREATE TABLE IF NOT EXISTS ${prefix}export_accounts (account TEXT PRIMARY KEY)${strict}`,
      `CREATE TABLE IF NOT EXISTS ${prefix}export_budget (name TEXT PRIMARY KEY, free_at ${integer} NOT NULL,
       day ${integer} NOT NULL, used ${integer} NOT NULL)${strict}`
    ]
  }
}

/** What is stored and the service did not return when it was last compared. */
const extra: Migration = {
  name: "extra",
  statements: (dialect, prefix) => [
    `CREATE TABLE ${prefix}export_extra (id TEXT PRIMARY KEY, "window" ${
      dialect === "sqlite" ? "INTEGER" : "BIGINT"
    } NOT NULL,
     since ${dialect === "sqlite" ? "INTEGER" : "BIGINT"} NOT NULL)${dialect === "sqlite" ? " STRICT" : ""}`
  ]
}

/**
 * The migrations in their order: the first one makes version 1. Those that were released never change: `test/migrations` has their
 * statements. The rows are not among these tables: their columns have a version of their own.
 */
export const migrations: ReadonlyArray<Migration> = [first, extra]

/** The migrations that a program knows. Tests add migrations of a version to come. */
export class Known extends Context.Reference<Known>()("@effect-klaytn/exports/internal/tables/Known", {
  defaultValue: (): ReadonlyArray<Migration> => migrations
}) {}
