/** What the tables of an export hold of a window: read back, compared with what was recorded, marked and removed. */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { Row } from "../Row.js"
import { type Damage, Extra, type SinkError, type WindowState } from "../Sink.js"
import type { Columns } from "./columns.js"
import * as sqlSchema from "./sqlSchema.js"
import { type Content, noContent, withRows } from "./state.js"

/** The database of an export, as far as its contents need it. */
interface Tables {
  readonly sql: SqlClient
  readonly dialect: sqlSchema.Dialect
  readonly prefix: string
  readonly query: (
    text: string,
    parameters?: ReadonlyArray<unknown>
  ) => Effect.Effect<ReadonlyArray<Record<string, unknown>>, SqlError>
}

/** How many rows are in memory at once. */
const batch = 5_000

/** A row as it was inserted: Postgres returns whole numbers as text. */
const toRow = ({ transfers }: Columns) => (found: Readonly<Record<string, unknown>>): Row => {
  const row: Record<string, unknown> = {}
  for (const { name, type } of transfers) {
    const value = found[name]
    row[name] = type === "integer" && value !== null ? Number(value) : value
  }
  // The table has the columns of a row.
  return row as unknown as Row
}

/** What a window holds now. */
export const contentOf = (tables: Tables, columns: Columns, window: number): Effect.Effect<Content, SqlError> => {
  const text = sqlSchema.rowsOf(tables.dialect, tables.prefix, columns)
  const read = toRow(columns)
  if (tables.dialect === "pg") {
    return tables.sql.unsafe<Record<string, unknown>>(text, [window]).stream.pipe(
      Stream.rechunk(batch),
      Stream.chunks,
      Stream.runFold(noContent, (content, found) => withRows(columns, content, [...found].map(read)))
    )
  }
  return Effect.map(
    Effect.iterate({ content: noContent, place: -1, more: true }, {
      while: ({ more }) => more,
      body: ({ content, place }) =>
        Effect.map(tables.query(text, [window, place, batch]), (found) => ({
          content: withRows(columns, content, found.map(read)),
          place: Number(found.at(-1)?.["place"] ?? place),
          more: found.length === batch
        }))
    }),
    ({ content }) => content
  )
}

const damage = (window: number, problem: string): Damage => ({ window, problem })

const numbers = (row: Readonly<Record<string, unknown>>, name: string): number => Number(row[name] ?? 0)

/** How many rejected records a window has. */
export const rejectedOf = ({ prefix, query }: Tables, window: number): Effect.Effect<number, SqlError> =>
  Effect.map(
    query(`SELECT COUNT(*) AS found FROM ${prefix}rejected WHERE "window" = ?`, [window]),
    ([row]) => numbers(row ?? {}, "found")
  )

/** Windows of which rows are gone, or of which there are more than were stored. In one statement, so all of one moment. */
export const damages = ({ prefix, query }: Tables): Effect.Effect<ReadonlyArray<Damage>, SqlError> =>
  Effect.map(
    query(
      `SELECT "window", rows_stored, found FROM (
         SELECT w."window", w.rows_stored,
           (SELECT COUNT(*) FROM ${prefix}transfers AS t WHERE t."window" = w."window") AS found
         FROM ${prefix}export_windows AS w WHERE w.status <> 'open') AS counted WHERE found <> rows_stored`
    ),
    (found) =>
      found.map((row) =>
        damage(
          numbers(row, "window"),
          `table ${prefix}transfers has ${numbers(row, "found")} rows of it, and ${
            numbers(row, "rows_stored")
          } were stored`
        )
      )
  )

/** Compares the rows of a window with its checksum, while no other process writes to it. */
export const verify = (
  tables: Tables,
  columns: Columns,
  window: number,
  stateOf: Effect.Effect<WindowState | undefined, SqlError | SinkError>
): Effect.Effect<ReadonlyArray<Damage>, SqlError | SinkError> =>
  Effect.gen(function*() {
    const state = yield* stateOf
    if (state?.status !== "closed") return []
    const content = yield* contentOf(tables, columns, window)
    const rejected = yield* rejectedOf(tables, window)
    if ((yield* stateOf)?.pages !== state.pages) return yield* verify(tables, columns, window, stateOf)
    const { prefix } = tables
    if (content.rows !== state.rows) {
      return [damage(window, `table ${prefix}transfers has ${content.rows} rows of it, and ${state.rows} were stored`)]
    }
    if (content.checksum !== state.checksum) {
      return [
        damage(window, `its rows in table ${prefix}transfers are not those that were stored: their checksum differs`)
      ]
    }
    return rejected === state.rejected
      ? []
      : [damage(window, `table ${prefix}rejected has ${rejected} records of it, and ${state.rejected} were stored`)]
  })

const decodeExtras = Schema.decodeUnknownSync(Schema.Array(Extra))

export const extras = ({ prefix, query }: Tables): Effect.Effect<ReadonlyArray<Extra>, SqlError> =>
  Effect.map(
    query(`SELECT id, "window", since FROM ${prefix}export_extra ORDER BY "window", id`),
    (found) =>
      decodeExtras(found.map((row) => ({ ...row, window: numbers(row, "window"), since: numbers(row, "since") })))
  )

/** The elements of a JSON array of texts, one a row. */
const listed = (dialect: sqlSchema.Dialect): string =>
  dialect === "pg" ? "SELECT json_array_elements_text(?::json)" : "SELECT value FROM json_each(?)"

/** Replaces the marks of a window. */
export const mark = (
  { dialect, prefix, query, sql }: Tables,
  window: number,
  marked: ReadonlyArray<Extra>
): Effect.Effect<void, SqlError> => {
  const source = dialect === "pg"
    ? "SELECT id, \"window\", since FROM json_to_recordset(?::json) AS one(id text, \"window\" bigint, since bigint)"
    : "SELECT value ->> 'id', value ->> 'window', value ->> 'since' FROM json_each(?) WHERE true"
  return sql.withTransaction(Effect.gen(function*() {
    yield* query(`DELETE FROM ${prefix}export_extra WHERE "window" = ?`, [window])
    if (marked.length === 0) return
    yield* query(
      `INSERT INTO ${prefix}export_extra (id, "window", since) ${source} ON CONFLICT (id) DO UPDATE
         SET "window" = excluded."window", since = excluded.since`,
      [JSON.stringify(marked)]
    )
  }))
}

/** Removes rows and rejected records of a window, with their marks. The state is stored by the caller, together with this. */
export const remove = (
  { dialect, prefix, query }: Tables,
  window: number,
  ids: ReadonlySet<string>
): Effect.Effect<void, SqlError> =>
  Effect.forEach(
    ["transfers", "rejected", "export_extra"],
    (table) =>
      query(`DELETE FROM ${prefix}${table} WHERE "window" = ? AND id IN (${listed(dialect)})`, [
        window,
        JSON.stringify([...ids])
      ]),
    { discard: true }
  )
