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

const unexpected = (column: string, expected: string): never => {
  throw new TypeError(`column ${column} of a stored row is not ${expected}`)
}

/**
 * A cell as it is; undefined without a row. Throws for a column that the query did not select: it would be taken for NULL.
 *
 * @category reading
 */
export const cell = (row: Row, column: string): unknown => {
  if (row === undefined) return undefined
  // A cast: a row has its cells by the names of its columns. Reflect.get takes longer.
  const found = (row as Readonly<Record<string, unknown>>)[column]
  return found === undefined && !(column in row) ? unexpected(column, "there") : found
}

/**
 * A whole number below 2^53. Throws for any other cell, and for a larger number: it would lose digits.
 *
 * @category reading
 */
export const number = (row: Row, column: string): number => {
  const found = cell(row, column)
  const value = typeof found === "number" ? found : Number(bigint(row, column))
  return Number.isSafeInteger(value) ? value : unexpected(column, "a whole number below 2^53")
}

/**
 * A whole number of any size. Throws for any other cell.
 *
 * @category reading
 */
export const bigint = (row: Row, column: string): bigint => {
  const found = cell(row, column)
  if (typeof found === "bigint") return found
  const isWhole = typeof found === "number"
    ? Number.isSafeInteger(found)
    : typeof found === "string" && /^-?\d+$/.test(found)
  return isWhole ? BigInt(String(found)) : unexpected(column, "a whole number")
}

/**
 * Text. Throws for any other cell.
 *
 * @category reading
 */
export const text = (row: Row, column: string): string => {
  const found = cell(row, column)
  return typeof found === "string" ? found : unexpected(column, "text")
}

/**
 * Bytes. Throws for any other cell.
 *
 * @category reading
 */
export const bytes = (row: Row, column: string): Uint8Array => {
  const found = cell(row, column)
  return found instanceof Uint8Array ? found : unexpected(column, "bytes")
}

/**
 * What `read` gives; undefined where the cell is NULL, or there is no row.
 *
 * @category reading
 */
export const optional = <A>(read: (row: Row, column: string) => A) => (row: Row, column: string): A | undefined =>
  (cell(row, column) ?? null) === null ? undefined : read(row, column)
