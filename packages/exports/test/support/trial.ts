/** Columns and tables of versions to come, as a later commit would add them. */
import * as Effect from "effect/Effect"
import { type Column, type Columns, Known, newest } from "../../src/internal/columns.js"
import type { Migration } from "../../src/internal/migrations.js"
import * as tables from "../../src/internal/tables.js"
import { Plan } from "../../src/Plan.js"
import type { Rejected, Row } from "../../src/Row.js"

const since = newest.version + 1

/** In the middle, since a column may be added anywhere. */
const day: Column<Row> = {
  name: "day",
  since,
  type: "text",
  isOptional: true,
  read: ({ timestamp }) => timestamp?.slice(0, 10) ?? null
}

const place: Column<Rejected> = {
  name: "place",
  since,
  type: "integer",
  isOptional: false,
  read: ({ position }) => position + 1
}

export const columns: Columns = {
  version: since,
  transfers: newest.transfers.flatMap((column) => column.name === "unix" ? [column, day] : [column]),
  rejected: [...newest.rejected, place]
}

/** Runs a program that knows the trial columns. */
export const withColumns = Effect.provideService(Known, columns)

/** A plan of a program that knows the trial columns. */
export const planned = (plan: Plan): Plan => new Plan({ ...plan, version: 2, columns: since })

/** Migrations that can't be run twice: a second run fails, or counts further. */
export const migrations: ReadonlyArray<Migration> = [
  ...tables.migrations,
  {
    name: "tries",
    statements: (dialect, prefix) => [
      `ALTER TABLE ${prefix}export_windows ADD COLUMN tries ${
        dialect === "pg" ? "BIGINT" : "INTEGER"
      } NOT NULL DEFAULT 0`,
      `UPDATE ${prefix}export_windows SET tries = tries + 1`
    ]
  },
  {
    name: "trial",
    statements: (_, prefix) => [
      `CREATE TABLE ${prefix}export_trial (account TEXT NOT NULL)`,
      `INSERT INTO ${prefix}export_trial (account) SELECT account FROM ${prefix}export_accounts`,
      `UPDATE ${prefix}export_windows SET tries = tries + 1`
    ]
  }
]

/** Runs a program that knows the trial migrations. */
export const withMigrations = Effect.provideService(tables.Known, migrations)
