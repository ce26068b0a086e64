/** The columns of each version, with their types, which do not depend on what an export holds. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Plan } from "../Plan.js"
import { columnsVersion, Rejected, Row } from "../Row.js"
import type { SinkError } from "../Sink.js"
import { newer } from "./newer.js"
import { Since } from "./since.js"

/** What a column holds. A `number` is exact and may have any number of digits. */
export type Type = "text" | "integer" | "number" | "time"

/** A column of one kind of row. */
export interface Column<A> {
  readonly name: string
  /** The version of the columns that the column came with. */
  readonly since: number
  readonly type: Type
  /** Whether a row may have `null`. */
  readonly isOptional: boolean
  readonly read: (row: A) => string | number | null
}

/** The columns of all kinds of rows, in one version. */
export interface Columns {
  readonly version: number
  readonly transfers: ReadonlyArray<Column<Row>>
  readonly rejected: ReadonlyArray<Column<Rejected>>
}

/** Columns whose strings are not text. */
const types: Readonly<Record<string, Type>> = {
  timestamp: "time",
  token_id: "number",
  amount: "number",
  amount_decimal: "number",
  fee: "number"
}

const columnsOf = <A>(
  fields: { readonly [Name in keyof A & string]: Schema.Schema.AnyNoContext },
  read: (name: keyof A & string) => (row: A) => string | number | null
): ReadonlyArray<Column<A>> => {
  // `Object.keys` forgets the type of the names.
  const names = Object.keys(fields) as Array<keyof A & string>
  return names.map((name) => {
    const holds = Schema.is(fields[name])
    return {
      name,
      since: Number(fields[name].ast.annotations[Since]),
      type: types[name] ?? (holds(0) ? "integer" : "text"),
      isOptional: holds(null),
      read: read(name)
    }
  })
}

/** The newest columns. */
export const newest: Columns = {
  version: columnsVersion,
  transfers: columnsOf<Row>(Row.fields, (name) => (row) => row[name]),
  rejected: columnsOf<Rejected>(Rejected.fields, (name) => (row) => row[name])
}

/** The columns that a program knows. Tests put columns of a version to come in their place. */
export class Known extends Context.Reference<Known>()("@effect-klaytn/exports/internal/columns/Known", {
  defaultValue: () => newest
}) {}

/** The columns of an older version. */
export const at = (columns: Columns, version: number): Columns => ({
  version,
  transfers: columns.transfers.filter(({ since }) => since <= version),
  rejected: columns.rejected.filter(({ since }) => since <= version)
})

/** The version of the columns of an export. Plans had none before there was a second one. */
export const versionOf = ({ columns = 1 }: Pick<Plan, "columns">): number => columns

/** The columns of an export. Those of a newer program are refused. */
export const ofPlan = (plan: Pick<Plan, "columns">): Effect.Effect<Columns, SinkError> =>
  Effect.flatMap(Known, (known) => {
    const version = versionOf(plan)
    return version > known.version
      ? newer("the columns of the export", version, known.version)
      : Effect.succeed(at(known, version))
  })

/** Rows as lists of what the columns hold. */
export const lists = <A>(columns: ReadonlyArray<Column<A>>, rows: ReadonlyArray<A>) =>
  rows.map((row) => columns.map(({ read }) => read(row)))

/** Rows as objects that have the columns and nothing else. */
export const objects = <A>(columns: ReadonlyArray<Column<A>>, rows: ReadonlyArray<A>) =>
  rows.map((row) => Object.fromEntries(columns.map(({ name, read }) => [name, read(row)])))

/** Rows as NDJSON. */
export const jsonLines = <A>(columns: ReadonlyArray<Column<A>>, rows: ReadonlyArray<A>): string =>
  objects(columns, rows).map((one) => `${JSON.stringify(one)}\n`).join("")
