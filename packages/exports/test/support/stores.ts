/** Stores that older commits have made (`scripts/oldStores.ts`), in a place of their own, and what is in them. */
import * as Database from "@effect-klaytn/engine/Database"
import * as NodeContext from "@effect/platform-node/NodeContext"
import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { parquetMetadata, parquetReadObjects } from "hyparquet"
import { copyFileSync, cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type * as records from "../../../../drills/exports/records.js"
import { onPostgres } from "../../../engine/test/support/databases.js"
import * as FileSink from "../../src/FileSink.js"
import type { Sink } from "../../src/Sink.js"
import * as SqlSink from "../../src/SqlSink.js"
import { duck } from "./duck.js"

export const folder = join(import.meta.dirname, "../stores")

/** The commits that made stores. */
export const commits = readdirSync(folder, { withFileTypes: true }).flatMap((one) =>
  one.isDirectory() && existsSync(join(folder, one.name, "ndjson-half")) ? [one.name] : []
)

/** A copy of the directory of 100 nights that a commit made, as NDJSON. */
export const nights = (commit: string) =>
  Effect.tap(
    temporary,
    (directory) => Effect.sync(() => cpSync(join(folder, commit, "ndjson-nights"), directory, { recursive: true }))
  )

/** The history of the service of all stores. */
export const readHistory = () =>
  // Written by the script.
  JSON.parse(readFileSync(join(folder, "history.json"), "utf8")) as ReadonlyArray<records.Recorded>

export type State = "half" | "night"

type Row = Readonly<Record<string, unknown>>

/** A store in a place of its own. */
export interface Store {
  readonly sink: Sink
  /** The columns of each part, or of each table, that holds transfers. */
  readonly headers: Effect.Effect<ReadonlyArray<ReadonlyArray<string>>, unknown>
  /** All transfers, by ID. */
  readonly rows: Effect.Effect<ReadonlyArray<Row>, unknown>
  /** All rejected records, by ID. */
  readonly rejected: Effect.Effect<ReadonlyArray<Row>, unknown>
}

export interface Kind {
  readonly name: string
  readonly hasTables: boolean
  /** A copy of what a commit made; an empty place without a commit. */
  readonly open: (commit: string | undefined, state: State) => Effect.Effect<Store, unknown, Scope.Scope>
}

export const temporary = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "exports-stores-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

const byId = (rows: ReadonlyArray<Row>): ReadonlyArray<Row> =>
  [...rows].sort((one, other) => String(one["id"]) < String(other["id"]) ? -1 : 1)

const linesOf = (directory: string, name: string): ReadonlyArray<Row> =>
  existsSync(join(directory, name))
    ? readdirSync(join(directory, name)).flatMap((file) =>
      readFileSync(join(directory, name, file), "utf8").split("\n").filter((line) => line !== "")
        .map((line): Row => JSON.parse(line) as Row) // a line that is no object fails the test
    )
    : []

const partsOf = (directory: string): ReadonlyArray<string> =>
  readdirSync(join(directory, "parts")).map((name) => join(directory, "parts", name))

type Format = "ndjson" | "csv" | "parquet"

const bytesOf = (part: string): ArrayBuffer => new Uint8Array(readFileSync(part)).buffer

const readers: Readonly<Record<Format, (directory: string) => Pick<Store, "headers" | "rows">>> = {
  ndjson: (directory) => ({
    headers: Effect.sync(() => {
      const headers = linesOf(directory, "parts").map((line) => Object.keys(line).join())
      return [...new Set(headers)].map((header) => header.split(","))
    }),
    rows: Effect.sync(() => linesOf(directory, "parts"))
  }),
  csv: (directory) => ({
    headers: Effect.sync(() =>
      partsOf(directory).map((part) => readFileSync(part, "utf8").split("\r\n")[0]?.split(",") ?? [])
    ),
    rows: Effect.suspend(() =>
      Effect.map(
        duck(directory, readFileSync(join(directory, "load.sql"), "utf8"), "SELECT * FROM transfers"),
        ({ rows }) => rows
      )
    )
  }),
  parquet: (directory) => ({
    headers: Effect.sync(() =>
      partsOf(directory).map((part) => parquetMetadata(bytesOf(part)).schema.slice(1).map(({ name }) => name))
    ),
    rows: Effect.promise(async () =>
      (await Promise.all(partsOf(directory).map((part) => parquetReadObjects({ file: bytesOf(part) })))).flat()
    )
  })
}

/** Reads what is in a directory. */
export const reader = (format: Format, directory: string): Omit<Store, "sink"> => {
  const { headers, rows } = readers[format](directory)
  return {
    headers,
    rows: Effect.map(rows, byId),
    rejected: Effect.sync(() => byId(linesOf(directory, "rejected")))
  }
}

const files = (format: Format): Kind => ({
  name: format,
  hasTables: false,
  open: (commit, state) =>
    Effect.gen(function*() {
      const directory = yield* temporary
      if (commit !== undefined) cpSync(join(folder, commit, `${format}-${state}`), directory, { recursive: true })
      return { ...reader(format, directory), sink: yield* FileSink.make({ directory, format }) }
    }).pipe(Effect.provide(NodeContext.layer))
})

const ofDatabase = Effect.gen(function*() {
  const sql = yield* SqlClient
  const all = (table: string) => Effect.map(sql.unsafe<Row>(`SELECT * FROM ${table}`).withoutTransform, byId)
  return {
    sink: yield* SqlSink.make(),
    headers: Effect.map(
      sql.unsafe<Row>("SELECT * FROM transfers LIMIT 1").withoutTransform,
      (rows) => rows.map(Object.keys)
    ),
    rows: all("transfers"),
    rejected: all("rejected")
  }
})

const sqlite: Kind = {
  name: "SQLite",
  hasTables: true,
  open: (commit, state) =>
    Effect.gen(function*() {
      const file = join(yield* temporary, "export.sqlite")
      if (commit !== undefined) copyFileSync(join(folder, commit, `sqlite-${state}.sqlite`), file)
      return yield* Effect.provide(ofDatabase, yield* Layer.build(Database.layerSqlite({ file })))
    })
}

const postgres = onPostgres.map(([, open]): Kind => ({
  name: "on Postgres",
  hasTables: true,
  open: (commit, state) =>
    Effect.gen(function*() {
      const context = yield* Layer.build((yield* open).layer)
      return yield* Effect.gen(function*() {
        const sql = yield* SqlClient
        if (commit !== undefined) {
          yield* sql.unsafe(readFileSync(join(folder, commit, `postgres-${state}.sql`), "utf8"))
        }
        return yield* ofDatabase
      }).pipe(Effect.provide(context))
    })
}))

export const kinds: ReadonlyArray<Kind> = [files("ndjson"), files("csv"), files("parquet"), sqlite, ...postgres]
