import { fromBytes, type Hex } from "@effect-klaytn/transaction/Hex"
import { SqlError } from "@effect/sql/SqlError"
import type { Statement } from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Metric from "effect/Metric"
import { StoreFailure } from "../CustodyError.js"
import * as WalletMetrics from "../WalletMetrics.js"

/** A row in the order of its columns. */
export type Cells = ReadonlyArray<unknown>

const unexpected = (expected: string): never => {
  throw new TypeError(`a stored cell is not ${expected}`)
}

/** A row as it is. */
export const cells = (row: Cells): Cells => row

/** A whole number; Postgres gives a `bigint` as text. */
export const number = (cell: unknown): number => {
  const value = typeof cell === "string" || typeof cell === "bigint" ? Number(cell) : cell
  return typeof value === "number" && Number.isSafeInteger(value) ? value : unexpected("a whole number")
}

/** A whole number of any size, exactly: SQLite gives those that no `number` holds as `bigint`, and Postgres as text. */
export const bigint = (cell: unknown): bigint => {
  if (typeof cell === "bigint") return cell
  if (typeof cell === "number" && Number.isSafeInteger(cell)) return BigInt(cell)
  return typeof cell === "string" && /^-?\d+$/.test(cell) ? BigInt(cell) : unexpected("a whole number")
}

/** Text. */
export const text = (cell: unknown): string => typeof cell === "string" ? cell : unexpected("text")

/** Bytes. */
export const bytes = (cell: unknown): Uint8Array => cell instanceof Uint8Array ? cell : unexpected("bytes")

/** Bytes as lower-case 0x hex. */
export const hex = (cell: unknown): Hex => fromBytes(bytes(cell))

/** A cell that may be NULL. */
export const optional = <A>(read: (cell: unknown) => A) => (cell: unknown): A | undefined =>
  cell === null || cell === undefined ? undefined : read(cell)

/** Whether a failure is one of a statement or of a transaction. */
export const isSqlError = (failure: unknown): failure is SqlError => failure instanceof SqlError

/** What a failed statement is to a wallet. */
export const failed = (operation: string) => (error: SqlError): StoreFailure =>
  new StoreFailure({ operation, cause: error.cause ?? error })

/** Runs a statement that changes rows. The statements of a wallet are no part of a program's traces. */
export const change = (operation: string, statement: Statement<object>): Effect.Effect<void, StoreFailure> =>
  Effect.asVoid(Effect.mapError(statement.values, failed(operation))).pipe(Effect.withTracerEnabled(false))

/** Reads rows; a cell of another form than the column's is a `StoreFailure`. */
export const select = <A>(
  operation: string,
  statement: Statement<object>,
  read: (row: Cells) => A
): Effect.Effect<ReadonlyArray<A>, StoreFailure> =>
  Effect.flatMap(
    Effect.mapError(statement.values, failed(operation)),
    (rows) => Effect.try({ try: () => rows.map(read), catch: (cause) => new StoreFailure({ operation, cause }) })
  ).pipe(
    Effect.withTracerEnabled(false)
  )

/** Reads the first row, if there is one. */
export const first = <A>(
  operation: string,
  statement: Statement<object>,
  read: (row: Cells) => A
): Effect.Effect<A | undefined, StoreFailure> => Effect.map(select(operation, statement, read), (rows) => rows[0])

/** What was read of some rows. */
export interface Read<A> {
  readonly found: ReadonlyArray<A>
  /** How many rows there were, with those that could not be read. */
  readonly count: number
  /** The first cell of the last row, readable or not. */
  readonly last: unknown
}

/**
 * Reads the rows of a table for what has to go on with the others: a row that can't be read is left out, named once in the log, and
 * counted. The first cell of a row is its ID.
 */
export const passingOver = (table: string) => {
  const named = new Set<string>()

  const unreadable = (id: string, why: string): Effect.Effect<void> => {
    if (named.has(id)) return Effect.void
    named.add(id)
    return Effect.zipRight(
      Metric.update(WalletMetrics.unreadable.pipe(Metric.tagged("table", table)), 1),
      Effect.logError(
        `row ${id} of ${table} can't be read and is passed over: ${why}; see \`klaytn gateway wallet repair\``
      )
    )
  }

  const page = <A>(
    operation: string,
    statement: Statement<object>,
    read: (row: Cells) => A
  ): Effect.Effect<Read<A>, StoreFailure> =>
    Effect.gen(function*() {
      const all: ReadonlyArray<Cells> = yield* Effect.mapError(statement.values, failed(operation))
      const found: Array<A> = []
      for (const row of all) {
        const one = Either.try({
          try: () => read(row),
          catch: (cause) => cause instanceof Error ? cause.message : "unknown cause"
        })
        if (Either.isRight(one)) found.push(one.right)
        else yield* unreadable(`${row[0]}`, one.left)
      }
      return { found, count: all.length, last: all.at(-1)?.[0] }
    }).pipe(Effect.withTracerEnabled(false))

  /** Pages from the first row on until there are as many as asked for: rows that are passed over make none shorter. */
  const fill = <A>(
    operation: string,
    { before, limit }: { readonly before: number; readonly limit: number },
    statement: (before: number, limit: number) => Statement<object>,
    read: (row: Cells) => A
  ): Effect.Effect<ReadonlyArray<A>, StoreFailure> =>
    Effect.gen(function*() {
      const all: Array<A> = []
      for (let last = before; all.length < limit;) {
        const wanted = limit - all.length
        const { count, found, last: end } = yield* page(operation, statement(last, wanted), read)
        all.push(...found)
        if (count < wanted) break
        last = number(end)
      }
      return all
    })

  return {
    fill,
    select: <A>(operation: string, statement: Statement<object>, read: (row: Cells) => A) =>
      Effect.map(page(operation, statement, read), ({ found }) => found)
  }
}

/** A row that can't be read, and why. */
export interface Unreadable {
  readonly id: number
  readonly why: string
}

const atOnce = 1000

/** The rows of a table that can't be read, of all of them, in the order of their IDs. The first cell of a row is its ID. */
export const unreadable = (
  statement: (after: number, limit: number) => Statement<object>,
  read: (row: Cells) => unknown
): Effect.Effect<ReadonlyArray<Unreadable>, StoreFailure> =>
  Effect.gen(function*() {
    const found: Array<Unreadable> = []
    for (let last = 0;;) {
      const page: ReadonlyArray<Cells> = yield* Effect.mapError(statement(last, atOnce).values, failed("repair"))
      for (const row of page) {
        last = number(row[0])
        const one = Either.try({
          try: () => read(row),
          catch: (cause) => cause instanceof Error ? cause.message : "unknown cause"
        })
        if (Either.isLeft(one)) found.push({ id: last, why: one.left })
      }
      if (page.length < atOnce) return found
    }
  }).pipe(Effect.withTracerEnabled(false))
