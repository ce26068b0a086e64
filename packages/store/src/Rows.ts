/**
 * Cells of rows that a `SqlClient` gives, read by the names of their columns. Both databases give the same values: Postgres gives a
 * `bigint` or `numeric` as text, SQLite a number, or a `bigint` where no number holds it.
 *
 * **Example** (how many rows there are)
 *
 * ```ts
 * import * as Rows from "@effect-klaytn/store/Rows"
 * import * as SqlClient from "@effect/sql/SqlClient"
 * import * as Effect from "effect/Effect"
 *
 * export const count = Effect.gen(function*() {
 *   const sql = yield* SqlClient.SqlClient
 *   const [row] = yield* sql`SELECT count(*) AS orders FROM orders`
 *   return Rows.number(row, "orders")
 * })
 * ```
 */

/**
 * A row by the names of its columns; undefined where a query has found none.
 *
 * @category models
 */
export type Row = object | undefined

const cellOf = (row: Row, column: string): unknown => row === undefined ? undefined : Reflect.get(row, column)

const unexpected = (column: string, expected: string): never => {
  throw new TypeError(`column ${column} of a stored row is not ${expected}`)
}

/**
 * A whole number below 2^53. Throws for any other cell, and for a larger number: it would lose digits.
 *
 * @category reading
 */
export const number = (row: Row, column: string): number => {
  const value = Number(bigint(row, column))
  return Number.isSafeInteger(value) ? value : unexpected(column, "a whole number below 2^53")
}

/**
 * A whole number of any size. Throws for any other cell.
 *
 * @category reading
 */
export const bigint = (row: Row, column: string): bigint => {
  const cell = cellOf(row, column)
  if (typeof cell === "bigint") return cell
  const isWhole = typeof cell === "number"
    ? Number.isSafeInteger(cell)
    : typeof cell === "string" && /^-?\d+$/.test(cell)
  return isWhole ? BigInt(String(cell)) : unexpected(column, "a whole number")
}

/**
 * Text. Throws for any other cell.
 *
 * @category reading
 */
export const text = (row: Row, column: string): string => {
  const cell = cellOf(row, column)
  return typeof cell === "string" ? cell : unexpected(column, "text")
}

/**
 * What `read` gives; undefined where the cell is NULL, or there is no row.
 *
 * @category reading
 */
export const optional = <A>(read: (row: Row, column: string) => A) => (row: Row, column: string): A | undefined =>
  (cellOf(row, column) ?? null) === null ? undefined : read(row, column)
