/** How the columns of the index are stored in Postgres: amounts as `numeric`, bytes as `bytea`, other numbers as `bigint`. */
import type { AnyColumn } from "../../Column.js"

/** The type of a column. Texts are ordered by their bytes, as in SQLite. */
export const typeOf = ({ isAmount = false, type }: AnyColumn): string =>
  isAmount ? "numeric(78, 0)" : type === "INTEGER" ? "bigint" : type === "TEXT" ? "text" : "bytea"

const hexOf = (value: unknown): string =>
  typeof value === "string" ? value.slice(2) : value instanceof Uint8Array ? Buffer.from(value).toString("hex") : ""

/** A value as an element of an array in Postgres' text form. */
const element = (column: AnyColumn): (value: unknown) => string => {
  if (column.isAmount === true) return (value) => value === undefined ? "NULL" : String(value)
  // A cast: rows have what their columns encode.
  const encode = (value: unknown) => column.encode(value as never)
  if (column.type === "INTEGER") return (value) => value === undefined ? "NULL" : String(encode(value))
  // A column of bytes takes hex or bytes.
  if (column.type === "BLOB") return (value) => value === undefined ? "NULL" : `"\\\\x${hexOf(value)}"`
  return (value) => {
    const text = encode(value)
    return text === null ? "NULL" : `"${String(text).replace(/[\\"]/g, "\\$&")}"`
  }
}

/** The values of a column as one parameter, an array in Postgres' text form. */
export const arrayOf = (column: AnyColumn, values: ReadonlyArray<unknown>): string =>
  `{${values.map(element(column)).join(",")}}`

/** Reads a cell as the driver gives it: large numbers as text. */
export const decode = (column: AnyColumn, cell: unknown, name: string): unknown => {
  if (cell === null) return column.decode(null, name)
  if (column.isAmount === true) return BigInt(String(cell))
  return column.decode(column.type === "INTEGER" ? Number(cell) : cell, name)
}
