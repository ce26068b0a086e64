import * as Rows from "@effect-klaytn/store/Rows"
import { fromBytes, type Hex } from "@effect-klaytn/transaction/Hex"
import { SqlError } from "@effect/sql/SqlError"
import type { Statement } from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Metric from "effect/Metric"
import { StoreFailure } from "../CustodyError.js"
import * as WalletMetrics from "../WalletMetrics.js"

export const { bigint, bytes, cell, number, optional, text } = Rows

/** A row by the names of its columns. */
export type Row = Rows.Row

/** Bytes as lower-case 0x hex. */
export const hex = (row: Row, column: string): Hex => fromBytes(bytes(row, column))

/** For what asks only whether there is a row. */
export const exists = () => true as const

/** Whether a failure is one of a statement or of a transaction. */
export const isSqlError = (failure: unknown): failure is SqlError => failure instanceof SqlError

/** What a failed statement is to a wallet. */
export const failed = (operation: string) => (error: SqlError): StoreFailure =>
  new StoreFailure({ operation, cause: error.cause ?? error })

/** Runs a statement that changes rows. The statements of a wallet are no part of a program's traces. */
export const change = (operation: string, statement: Statement<object>): Effect.Effect<void, StoreFailure> =>
  Effect.asVoid(Effect.mapError(statement, failed(operation))).pipe(Effect.withTracerEnabled(false))

/** Reads rows; a cell of another form than the column's is a `StoreFailure`. */
export const select = <A>(
  operation: string,
  statement: Statement<object>,
  read: (row: Row) => A
): Effect.Effect<ReadonlyArray<A>, StoreFailure> =>
  Effect.flatMap(
    Effect.mapError(statement, failed(operation)),
    (rows) =>
      Effect.try({ try: () => rows.map((row) => read(row)), catch: (cause) => new StoreFailure({ operation, cause }) })
  ).pipe(
    Effect.withTracerEnabled(false)
  )

/** Reads the first row, if there is one. */
export const first = <A>(
  operation: string,
  statement: Statement<object>,
  read: (row: Row) => A
): Effect.Effect<A | undefined, StoreFailure> => Effect.map(select(operation, statement, read), (rows) => rows[0])

/** What was read of some rows. */
export interface Read<A> {
  readonly found: ReadonlyArray<A>
  /** How many rows there were, with those that could not be read. */
  readonly count: number
  /** The last row, readable or not. */
  readonly last: Row
}

/**
 * Reads the rows of a table for what has to go on with the others: a row that can't be read is left out, named once in the log, and
 * counted. The column `id` of a row is its ID.
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
    read: (row: Row) => A
  ): Effect.Effect<Read<A>, StoreFailure> =>
    Effect.gen(function*() {
      const all = yield* Effect.mapError(statement, failed(operation))
      const found: Array<A> = []
      for (const row of all) {
        const one = Either.try({
          try: () => read(row),
          catch: (cause) => cause instanceof Error ? cause.message : "unknown cause"
        })
        if (Either.isRight(one)) found.push(one.right)
        else yield* unreadable(`${cell(row, "id")}`, one.left)
      }
      return { found, count: all.length, last: all.at(-1) }
    }).pipe(Effect.withTracerEnabled(false))

  /** Pages from the first row on until there are as many as asked for: rows that are passed over make none shorter. */
  const fill = <A>(
    operation: string,
    { before, limit }: { readonly before: number; readonly limit: number },
    statement: (before: number, limit: number) => Statement<object>,
    read: (row: Row) => A
  ): Effect.Effect<ReadonlyArray<A>, StoreFailure> =>
    Effect.gen(function*() {
      const all: Array<A> = []
      for (let last = before; all.length < limit;) {
        const wanted = limit - all.length
        const { count, found, last: end } = yield* page(operation, statement(last, wanted), read)
        all.push(...found)
        if (count < wanted) break
        last = number(end, "id")
      }
      return all
    })

  return {
    fill,
    select: <A>(operation: string, statement: Statement<object>, read: (row: Row) => A) =>
      Effect.map(page(operation, statement, read), ({ found }) => found)
  }
}

/** A row that can't be read, and why. */
export interface Unreadable {
  readonly id: number
  readonly why: string
}

const atOnce = 1000

/** The rows of a table that can't be read, of all of them, in the order of their IDs, in the column `id`. */
export const unreadable = (
  statement: (after: number, limit: number) => Statement<object>,
  read: (row: Row) => unknown
): Effect.Effect<ReadonlyArray<Unreadable>, StoreFailure> =>
  Effect.gen(function*() {
    const found: Array<Unreadable> = []
    for (let last = 0;;) {
      const page = yield* Effect.mapError(statement(last, atOnce), failed("repair"))
      for (const row of page) {
        last = number(row, "id")
        const one = Either.try({
          try: () => read(row),
          catch: (cause) => cause instanceof Error ? cause.message : "unknown cause"
        })
        if (Either.isLeft(one)) found.push({ id: last, why: one.left })
      }
      if (page.length < atOnce) return found
    }
  }).pipe(Effect.withTracerEnabled(false))
