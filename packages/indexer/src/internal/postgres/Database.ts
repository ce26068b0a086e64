/** Statements on the tables of one index in Postgres. */
import * as Deadline from "@effect-klaytn/core/Deadline"
import * as DatabaseFault from "@effect-klaytn/store/DatabaseFault"
import type { LeaseLost } from "@effect-klaytn/store/Lease"
import * as SqlClient from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import type * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schedule from "effect/Schedule"
import { StoreFailure } from "../../IndexError.js"
import type { Dialect, Statement } from "../queries/Statement.js"
import { decode } from "./cells.js"

/** The failure of a statement, or of the lease. */
const failureOf = (operation: string, error: unknown): StoreFailure =>
  new StoreFailure({
    operation,
    cause: error instanceof SqlError && error.cause instanceof Error ? error.cause : error,
    mayPass: error instanceof SqlError && DatabaseFault.isPassing(error)
  })

/** Makes what a database reports, and what reading its rows throws, a `StoreFailure`. */
export const io = (operation: string) =>
<A, E>(
  effect: Effect.Effect<A, E | SqlError | LeaseLost>
): Effect.Effect<A, Exclude<E, SqlError | LeaseLost> | StoreFailure> =>
  effect.pipe(
    Effect.mapError((error): Exclude<E, SqlError | LeaseLost> | StoreFailure =>
      error instanceof SqlError || Predicate.isTagged(error, "LeaseLost")
        ? failureOf(operation, error)
        // A cast: the only other errors are the caller's own.
        : error as Exclude<E, SqlError | LeaseLost>
    ),
    Effect.catchAllDefect((defect) => Effect.fail(failureOf(operation, defect)))
  )

/** How long a read waits for a server that restarts, or is silent: less than the callers of a service wait for an answer. */
export const patience = Duration.seconds(8)

/** At once, then after waits that double up to a second. */
const waits = Schedule.exponential("100 millis").pipe(Schedule.union(Schedule.spaced("1 second")))

const isInTransaction: Effect.Effect<boolean> = Effect.contextWith((context: Context.Context<never>) =>
  context.unsafeMap.has(SqlClient.TransactionConnection.key)
)

/**
 * Repeats a read that a broken connection has ended; in a transaction, all of the transaction has to be repeated. Ends after 8
 * seconds, or when the deadline around it passes if that is earlier, whatever the database does.
 */
export const repeated = <A>(read: Effect.Effect<A, SqlError>): Effect.Effect<A, SqlError> =>
  Effect.flatMap(isInTransaction, (isInside) => isInside ? read : outside(read))

const outside = <A>(read: Effect.Effect<A, SqlError>): Effect.Effect<A, SqlError> =>
  Effect.flatMap(Deadline.left, (left) => {
    let last: SqlError | undefined
    const late = () => last ?? new SqlError({ cause: new Error("timeout: the database has not answered in time") })
    if (left <= 0) return Effect.fail(late())
    return read.pipe(
      Effect.tapError((error) => Effect.sync(() => last = error)),
      Effect.retry({ while: DatabaseFault.isPassing, schedule: waits }),
      // The interruption of a statement waits for the server, too.
      Effect.disconnect,
      Effect.timeoutFail({ duration: Duration.min(patience, left), onTimeout: late })
    )
  })

/** Runs reads in one snapshot. */
export const inOneState = <A>(
  { sql }: Database,
  reads: Effect.Effect<A, StoreFailure>
): Effect.Effect<A, StoreFailure> => {
  const snapshot = sql.withTransaction(
    Effect.zipRight(sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY`, reads)
  )
  // What ends one of the reads is repeated as a failure of the statement, and given on as it was.
  return repeated(Effect.mapError(
    snapshot,
    (error) => error instanceof SqlError ? error : new SqlError({ cause: error.cause, message: error.message })
  )).pipe(io("page"))
}

/** Names of schemas, as Postgres keeps them. */
export const isSchema = (name: string): boolean => /^(?!pg_)[a-z][a-z0-9_]{0,47}$/.test(name)

export class Database {
  readonly dialect: Dialect
  /** The schema as statements name it: some words are reserved. */
  readonly quoted: string

  constructor(readonly sql: SqlClient.SqlClient, readonly schema: string) {
    // No reserved word has a digit.
    this.quoted = /\d/.test(schema) ? schema : `"${schema}"`
    this.dialect = {
      table: (name) => `${this.quoted}.${name}`,
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

  /** Runs a statement whose parameters are `?1`, `?2` and so on. */
  rows(
    text: string,
    values: ReadonlyArray<unknown> = []
  ): Effect.Effect<ReadonlyArray<Readonly<Record<string, unknown>>>, SqlError> {
    return this.sql.unsafe<Record<string, unknown>>(text.replace(/\?(\d+)/g, "$$$1"), values)
  }

  /** All rows of a query. */
  all<A>({ read, rest, selection, values }: Statement<A>): Effect.Effect<ReadonlyArray<A>, SqlError> {
    const cells = Object.entries(selection)
    const list = cells.map(([name, { sql }]) => `${sql} AS "${name}"`).join(", ")
    return Effect.map(this.rows(`SELECT ${list} ${rest}`, values), (rows) =>
      rows.map((row) => {
        const record: Record<string, unknown> = {}
        for (const [name, { column }] of cells) record[name] = decode(column, row[name], name)
        return read(record)
      }))
  }

  /** The first row of a query. */
  first<A>(statement: Statement<A>): Effect.Effect<Option.Option<A>, SqlError> {
    return Effect.map(this.all(statement), ([row]) => Option.fromNullable(row))
  }
}
