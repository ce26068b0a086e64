/** Statements on the tables of one index in Postgres. */
import type * as SqlClient from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import { StoreFailure } from "../../IndexError.js"
import type { Dialect, Statement } from "../queries/Statement.js"
import { decode } from "./cells.js"

/** Of Postgres: connections (08, 53300), a cancelled statement, a server that ends; of the network: refused or broken. */
const passing = /^(08|53300$|57014$|57P0)|^E(CONN|PIPE|TIMEDOUT)/

/** Whether the same statement may succeed at once: the connection was lost, or the server restarted. */
const mayPass = ({ cause }: SqlError): boolean =>
  cause instanceof Error &&
  ("code" in cause && typeof cause.code === "string" ? passing.test(cause.code) : /connection/i.test(cause.message))

/** The failure of a statement; a commit that fails is a defect of the client, and so is a row that can't be read. */
const failureOf = (operation: string, error: unknown): StoreFailure =>
  new StoreFailure({
    operation,
    cause: error instanceof SqlError && error.cause instanceof Error ? error.cause : error,
    mayPass: error instanceof SqlError && mayPass(error)
  })

/** Makes what a database reports, and what reading its rows throws, a `StoreFailure`. */
export const io =
  (operation: string) =>
  <A, E>(effect: Effect.Effect<A, E | SqlError>): Effect.Effect<A, Exclude<E, SqlError> | StoreFailure> =>
    effect.pipe(
      Effect.mapError((error): Exclude<E, SqlError> | StoreFailure =>
        // A cast: the only other errors are the caller's own.
        error instanceof SqlError ? failureOf(operation, error) : error as Exclude<E, SqlError>
      ),
      Effect.catchAllDefect((defect) => Effect.fail(failureOf(operation, defect)))
    )

/** How long a read waits for a server that restarts: less than the callers of a service wait for an answer. */
const patience = "8 seconds"

/** At once, then after waits that double up to a second. */
const waits = Schedule.exponential("100 millis").pipe(
  Schedule.union(Schedule.spaced("1 second")),
  Schedule.intersect(Schedule.recurUpTo(patience))
)

/** Repeats a read, outside of a transaction, that a broken connection has ended. */
export const repeated = <A>(read: Effect.Effect<A, SqlError>): Effect.Effect<A, SqlError> =>
  Effect.retry(read, { while: mayPass, schedule: waits })

/** Names of schemas that need no quotes. */
export const isSchema = (name: string): boolean => /^[a-z][a-z0-9_]{0,47}$/.test(name)

export class Database {
  readonly dialect: Dialect

  constructor(readonly sql: SqlClient.SqlClient, readonly schema: string) {
    this.dialect = {
      table: (name) => `${schema}.${name}`,
      amongTexts: (column, place) => `${column} = ANY(?${place}::text[])`,
      amongBytes: (column, place) => `${column} = ANY(?${place}::bytea[])`,
      texts: (list) => list,
      bytes: (list) => `{${list.map((one) => `"\\\\x${one.slice(2)}"`).join(",")}}`,
      amount: (value) => String(value)
    }
  }

  /** The full name of a table. */
  table(name: string): string {
    return this.dialect.table(name)
  }

  /** Runs a statement whose parameters are `?1`, `?2` and so on, and gives the cells of its rows. */
  rows(
    text: string,
    values: ReadonlyArray<unknown> = []
  ): Effect.Effect<ReadonlyArray<ReadonlyArray<unknown>>, SqlError> {
    return this.sql.unsafe(text.replace(/\?(\d+)/g, "$$$1"), values).values
  }

  /** All rows of a query. */
  all<A>({ read, rest, selection, values }: Statement<A>): Effect.Effect<ReadonlyArray<A>, SqlError> {
    const cells = Object.entries(selection)
    const list = cells.map(([name, { sql }]) => `${sql} AS "${name}"`).join(", ")
    return Effect.map(this.rows(`SELECT ${list} ${rest}`, values), (rows) =>
      rows.map((row) => {
        const record: Record<string, unknown> = {}
        for (const [place, [name, { column }]] of cells.entries()) record[name] = decode(column, row[place], name)
        return read(record)
      }))
  }

  /** The first row of a query. */
  first<A>(statement: Statement<A>): Effect.Effect<Option.Option<A>, SqlError> {
    return Effect.map(this.all(statement), ([row]) => Option.fromNullable(row))
  }
}
