/** Reads what an export left, without the exporter: files as text, tables with SQL. */
import { DuckDBInstance } from "@duckdb/node-api"
import type { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { exportedKey, tally } from "./records.js"

export interface Tallies {
  readonly rows: ReadonlyMap<string, number>
  readonly rejected: ReadonlyMap<string, number>
}

type Row = Record<string, unknown>

/** The records of a CSV text (RFC 4180) by their header. */
const parseCsv = (text: string): ReadonlyArray<Row> => {
  const records: Array<Array<string>> = []
  let record: Array<string> = []
  let field = ""
  let quoted = false
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at)
    if (quoted) {
      if (char !== "\"") field += char
      else if (text.charAt(at + 1) === "\"") {
        field += char
        at++
      } else quoted = false
    } else if (char === "\"") quoted = true
    else if (char === ",") {
      record.push(field)
      field = ""
    } else if (char === "\n" && field.endsWith("\r")) {
      record.push(field.slice(0, -1))
      records.push(record)
      record = []
      field = ""
    } else field += char
  }
  const [header = [], ...rest] = records
  return rest.map((one) => Object.fromEntries(header.map((name, index) => [name, one[index]])))
}

const jsonLines = (text: string): ReadonlyArray<Row> =>
  // A line that is no JSON is a defect of the export.
  text.split("\n").filter((line) => line !== "").map((line): Row => JSON.parse(line) as Row)

interface Recorded {
  readonly parts: ReadonlyArray<string>
  readonly rejected: ReadonlyArray<string>
}

/** A line of the journal, as its documentation has it, and as older versions wrote it. */
interface Line {
  readonly state: { readonly window: number }
  readonly part?: string | null
  readonly parts?: ReadonlyArray<{ readonly name: string }>
  readonly rejected?: string | null | ReadonlyArray<{ readonly name: string }>
}

const namesOf = (files: Line["rejected"]): ReadonlyArray<string> =>
  typeof files === "string" ? [files] : (files ?? []).map(({ name }) => name)

/** The recorded files of a directory; the newest line of a window counts, and the newest that names files. */
const recordedFiles = (directory: string): ReadonlyArray<Recorded> => {
  const journal = join(directory, "windows.ndjson")
  const recorded = new Map<number, Recorded>()
  const lines = existsSync(journal) ? readFileSync(journal, "utf8") : ""
  for (const line of jsonLines(lines.slice(0, lines.lastIndexOf("\n") + 1))) {
    const { part, parts, rejected, state } = line as unknown as Line
    const before = recorded.get(state.window)
    recorded.set(state.window, {
      parts: part !== undefined ? namesOf(part) : parts === undefined ? before?.parts ?? [] : namesOf(parts),
      rejected: rejected === undefined ? before?.rejected ?? [] : namesOf(rejected)
    })
  }
  return [...recorded.values()]
}

const readRows = (directory: string, names: ReadonlyArray<string>): ReadonlyArray<Row> =>
  names.flatMap((name) => {
    const text = readFileSync(join(directory, name), "utf8")
    return name.endsWith(".csv") ? parseCsv(text) : jsonLines(text)
  })

const rejectedOf = (directory: string, all: ReadonlyArray<Recorded>) =>
  tally(readRows(directory, all.flatMap(({ rejected }) => rejected)).map((row) => String(row["raw"])))

/** Counts what the recorded files of a directory hold, as NDJSON or CSV. */
export const fileTallies = (directory: string): Tallies => {
  const all = recordedFiles(directory)
  return {
    rows: tally(readRows(directory, all.flatMap(({ parts }) => parts)).map(exportedKey)),
    rejected: rejectedOf(directory, all)
  }
}

/** The rows of a query of DuckDB, with each value as JSON has it. */
export const duckRows = async (query: string): Promise<ReadonlyArray<Row>> => {
  const instance = await DuckDBInstance.create()
  const connection = await instance.connect()
  const reader = await connection.runAndReadAll(query)
  const rows = reader.getRowObjectsJson()
  connection.closeSync()
  instance.closeSync()
  return rows
}

/** Counts what the recorded files of a directory hold, as Parquet, by DuckDB. */
export const parquetTallies = async (directory: string): Promise<Tallies> => {
  const all = recordedFiles(directory)
  const parts = all.flatMap(({ parts }) => parts.map((name) => `'${join(directory, name)}'`))
  const rows = parts.length === 0 ? [] : await duckRows(`SELECT * FROM read_parquet([${parts.join(", ")}])`)
  return { rows: tally(rows.map(exportedKey)), rejected: rejectedOf(directory, all) }
}

/** Counts what the tables of a database hold. */
export const sqlTallies = (sql: SqlClient) =>
  Effect.gen(function*() {
    const rows = yield* sql<Row>`SELECT transaction_hash, kind, from_address, to_address, contract,
      CAST(token_id AS TEXT) AS token_id, CAST(amount AS TEXT) AS amount, part FROM transfers`
    const rejected = yield* sql<Row>`SELECT raw FROM rejected`
    return {
      rows: tally(rows.map(exportedKey)),
      rejected: tally(rejected.map(({ raw }) => String(raw)))
    }
  })
