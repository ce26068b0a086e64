/**
 * SQLite as a client of `@effect/sql`, on the binary of `libsql`, which needs no script at install. `@effect/sql-libsql`
 * (0.42) can't be used: each transaction leaves its connection open, and after one `SQLITE_BUSY` at the begin of a
 * transaction every later statement waits forever.
 */
import * as SqlClient from "@effect/sql/SqlClient"
import type { Connection } from "@effect/sql/SqlConnection"
import { SqlError } from "@effect/sql/SqlError"
import * as Statement from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { createRequire } from "node:module"
import * as DatabaseFault from "../DatabaseFault.js"
import * as transactions from "./transactions.js"
import * as wholeFile from "./wholeFile.js"

interface LibsqlStatement {
  readonly reader: boolean
  readonly raw: (enabled: boolean) => void
  readonly safeIntegers: (enabled: boolean) => void
  readonly columns: () => ReadonlyArray<{ readonly name: string }>
  readonly all: (values: ReadonlyArray<unknown>) => ReadonlyArray<ReadonlyArray<unknown>>
  readonly run: (values: ReadonlyArray<unknown>) => unknown
}

interface LibsqlDatabase {
  readonly open: boolean
  readonly inTransaction: boolean
  readonly exec: (sql: string) => void
  readonly prepare: (sql: string) => LibsqlStatement
  readonly close: () => void
}

/** Takes the write lock at once. A transaction that takes it later may be refused. */
const begin = "BEGIN IMMEDIATE"

type Row = Readonly<Record<string, unknown>>

const load = createRequire(import.meta.url)

/** `require` returns `any`: the part that is used is typed above. */
const library = (): new(path: string) => LibsqlDatabase => load("libsql")

const attempt = <A>(message: string, run: () => A): Effect.Effect<A, SqlError> =>
  Effect.try({ try: run, catch: (cause) => new SqlError({ cause, message }) })

/**
 * Closes a database whose file has everything then, and needs no `-wal`: without this, the file would be empty beside its `-wal`. Statements
 * are executed as text: a prepared one would keep the connection, and a lock that it has, until it is garbage collected.
 */
const closeWhole = (file: string) => (database: LibsqlDatabase): void => {
  try {
    if (database.open && database.inTransaction) database.exec("ROLLBACK")
    if (database.open) {
      database.exec("PRAGMA journal_mode = DELETE")
      wholeFile.closed(file)
    }
  } catch {
    // Another connection is open: the last one to close does it, unless it is of this process and waits to be garbage collected.
    try {
      database.exec("PRAGMA wal_checkpoint(TRUNCATE)")
    } catch { /* A full disk, or one that can only be read: the `-wal` stays, and the next one to open reads it. */ }
  }
  database.close()
}

/** Reads a number from a database at an address. */
const look: wholeFile.Look = (address, query) => {
  const database = new (library())(address)
  try {
    const statement = database.prepare(query)
    statement.raw(true)
    return statement.all([])[0]?.[0]
  } finally {
    database.close()
  }
}

const open = (
  file: string,
  close: (database: LibsqlDatabase) => void
): Effect.Effect<LibsqlDatabase, SqlError, Scope.Scope> =>
  Effect.acquireRelease(
    attempt("Failed to open the database", () => {
      const problem = wholeFile.problemOf(file, look)
      if (problem !== undefined) throw wholeFile.errorOf(problem)
      const database = new (library())(file)
      wholeFile.opens(file)
      return database
    }),
    (database) => Effect.sync(() => close(database))
  )

/** Whether another process holds the lock. */
const isBusy = (error: SqlError): boolean => DatabaseFault.of(error).code?.startsWith("SQLITE_BUSY") === true

/** About a second of retries that are 4 ms apart. */
const retriesPerLog = 250

/**
 * Another process holds the lock for the length of a transaction, and a busy process releases it only briefly. A line
 * is logged for each second of waiting.
 */
const busyRetries = (file: string) =>
  Schedule.jittered(Schedule.spaced("4 millis")).pipe(
    Schedule.intersect(Schedule.recurUpTo("10 seconds")),
    Schedule.tapOutput(([retries]) =>
      (retries + 1) % retriesPerLog === 0
        ? Effect.logWarning(`${file} is locked by another process; trying again`)
        : Effect.void
    )
  )

const encoded = (value: unknown): unknown => {
  if (typeof value === "boolean") return value ? 1 : 0
  if (value instanceof Date) return value.toISOString()
  return value === undefined ? null : value
}

const decoded = (exact: boolean) => (value: unknown): unknown =>
  typeof value === "bigint" && !exact && Number.isSafeInteger(Number(value)) ? Number(value) : value

/** A row by the names of its columns. Not by `Object.fromEntries`, which takes three times as long. */
const named = (columns: ReadonlyArray<string>, row: ReadonlyArray<unknown>): Row => {
  const found: Record<string, unknown> = {}
  columns.forEach((name, place) => {
    found[name] = row[place]
  })
  return found
}

interface Result {
  readonly columns: ReadonlyArray<string>
  readonly rows: ReadonlyArray<ReadonlyArray<unknown>>
}

const none: Result = { columns: [], rows: [] }

/** So many prepared statements are kept. */
const mostKept = 256

/** Some others have their effect when they are prepared. */
const isKept = (sql: string): boolean => /^\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b/i.test(sql)

/** Executes a prepared statement, a statement of this text that was prepared before if there is one. */
type Step = (sql: string, params: ReadonlyArray<unknown>, exact: boolean) => Result

/** The steps of a database. A statement that has failed is not used again: it may hold a part of a lock. */
const stepsOf = (database: LibsqlDatabase): Step => {
  const kept = new Map<string, LibsqlStatement>()

  const prepare = (sql: string): LibsqlStatement => {
    const statement = database.prepare(sql)
    if (statement.reader) {
      statement.raw(true)
      statement.safeIntegers(true)
    }
    return statement
  }

  const keep = (sql: string, statement: LibsqlStatement) => {
    const [oldest] = kept.keys()
    if (oldest !== undefined && kept.size >= mostKept) kept.delete(oldest)
    kept.set(sql, statement)
  }

  return (sql, params, exact) => {
    const statement = kept.get(sql) ?? prepare(sql)
    // Kept again, as the newest, once it has run.
    kept.delete(sql)
    const values = params.map(encoded)
    let result = none
    if (statement.reader) {
      const rows = statement.all(values).map((row) => row.map(decoded(exact)))
      // Read last: if another process has changed the table, the columns change when the statement is executed.
      result = { columns: statement.columns().map(({ name }) => name), rows }
    } else {
      statement.run(values)
    }
    if (isKept(sql)) keep(sql, statement)
    return result
  }
}

type Execute = (sql: string, params: ReadonlyArray<unknown>, exact: boolean) => Result

const reads = /^\s*(SELECT|PRAGMA|EXPLAIN)\b/i

const isCheckpoint = (sql: string): boolean => /\bwal_checkpoint\b/i.test(sql)

/** SQLite refuses it in a transaction. */
const isVacuum = (sql: string): boolean => /^\s*VACUUM\b/i.test(sql)

/**
 * Executes statements outside of transactions.
 *
 * A prepared statement that meets the lock of another process holds a part of it until it is garbage collected: every
 * later one fails as locked, and it is never used again. So statements that take a lock are executed as text, and writes are prepared inside.
 */
const outsideTransaction =
  (database: LibsqlDatabase, step: Step, mark: wholeFile.Mark): Execute => (sql, params, exact) => {
    if (reads.test(sql)) {
      if (isCheckpoint(sql)) mark.checkpointed()
      return step(sql, params, exact)
    }
    mark.begin()
    if (isVacuum(sql)) {
      database.exec(sql)
      mark.committed()
      return none
    }
    database.exec(begin)
    try {
      const result = step(sql, params, exact)
      database.exec("COMMIT")
      mark.committed()
      return result
    } finally {
      if (database.inTransaction) database.exec("ROLLBACK")
    }
  }

/** Executes the statements of the fiber that holds the connection: those of a transaction, or of a caller of `reserve`. */
const holding = (database: LibsqlDatabase, step: Step, mark: wholeFile.Mark) => {
  const outside = outsideTransaction(database, step, mark)
  /** The error that made SQLite take back the transaction by itself: a full disk, for example. */
  let takenBackFor: unknown

  /** Ends the transaction, also after a commit that was refused. There is none if its begin was refused. */
  const rollback = () => {
    takenBackFor = undefined
    if (database.open && database.inTransaction) database.exec("ROLLBACK")
  }

  const execute: Execute = (sql, params, exact) => {
    if (/^\s*ROLLBACK\s*$/.test(sql)) {
      rollback()
      return none
    }
    // A part of the transaction must not be committed without the rest.
    if (takenBackFor !== undefined) throw takenBackFor
    const isBoundary = sql === begin || /^\s*COMMIT\s*$/.test(sql)
    if (!isBoundary && !database.inTransaction) return outside(sql, params, exact)
    try {
      if (!isBoundary) return step(sql, params, exact)
      if (sql === begin) mark.begin()
      database.exec(sql)
      if (sql !== begin) mark.committed()
      return none
    } catch (error) {
      if (sql !== begin && !database.inTransaction) takenBackFor = error
      throw error
    }
  }

  return { execute, rollback }
}

/**
 * A client on one connection. Transactions begin with the write lock, one at a time; statements outside of them wait
 * until the one that is open has ended. An integer that no `number` holds comes as a `bigint`.
 */
export const make = Effect.fnUntraced(function*(file: string) {
  const database = yield* open(file, closeWhole(file))
  const whileBusy = <A>(effect: Effect.Effect<A, SqlError>) =>
    Effect.retry(effect, { while: isBusy, schedule: busyRetries(file) })
  const mark = yield* attempt("Failed to open the database", () => {
    database.exec("PRAGMA synchronous = FULL")
    database.exec("PRAGMA foreign_keys = ON")
    return wholeFile.make(file, (sql) => database.exec(sql))
  }).pipe(whileBusy)

  const connection = (
    execute: Execute,
    guarded: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
  ): Connection => {
    const run = (sql: string, params: ReadonlyArray<unknown>) =>
      Effect.flatMap(SqlClient.SafeIntegers, (exact) =>
        attempt("Failed to execute statement", () => {
          // `libsql` ends the process when it prepares a statement of a closed database.
          if (!database.open) throw new Error("the database was closed with its layer")
          return execute(sql, params, exact)
        })).pipe(whileBusy, guarded)
    const toRows = (sql: string, params: ReadonlyArray<unknown>): Effect.Effect<ReadonlyArray<Row>, SqlError> =>
      Effect.map(run(sql, params), ({ columns, rows }) => rows.map((row) => named(columns, row)))
    const transformed: Connection["execute"] = (sql, params, transform) =>
      transform === undefined ? toRows(sql, params) : Effect.map(toRows(sql, params), transform)
    return {
      execute: transformed,
      executeUnprepared: transformed,
      executeRaw: toRows,
      executeValues: (sql, params) => Effect.map(run(sql, params), ({ rows }) => rows),
      executeStream: (sql, params, transform) => Stream.fromIterableEffect(transformed(sql, params, transform))
    }
  }

  const lock = yield* Effect.makeSemaphore(1)
  const step = stepsOf(database)
  const { execute, rollback } = holding(database, step, mark)
  const held = connection(execute, identity)
  const release = Effect.ensuring(Effect.ignore(attempt("Failed to roll back", rollback)), lock.release(1))
  return transactions.failing(
    yield* SqlClient.make({
      acquirer: Effect.succeed(connection(outsideTransaction(database, step, mark), lock.withPermits(1))),
      transactionAcquirer: Effect.uninterruptibleMask((restore) =>
        Effect.as(Effect.zipRight(restore(lock.take(1)), Effect.addFinalizer(() => release)), held)
      ),
      compiler: Statement.makeCompilerSqlite(),
      beginTransaction: begin,
      spanAttributes: [["db.system.name", "sqlite"]]
    })
  )
})

/** Holds the lock that a file is, see `file` of `Locks`. */
export const lockFile = (file: string): Effect.Effect<void, SqlError, Scope.Scope> =>
  Effect.flatMap(
    open(file, (database) => database.close()),
    (database) =>
      attempt("Failed to lock the database", () => {
        database.exec("PRAGMA locking_mode = EXCLUSIVE")
        database.exec("BEGIN EXCLUSIVE")
      }).pipe(Effect.retry({
        while: isBusy,
        schedule: Schedule.intersect(Schedule.spaced("100 millis"), Schedule.recurUpTo("3 seconds")).pipe(
          Schedule.tapOutput(([retries]) =>
            retries === 0
              ? Effect.logInfo(`${file} is locked by another process; waiting up to 3 seconds`)
              : Effect.void
          )
        )
      }))
  )
