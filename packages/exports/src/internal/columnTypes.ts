/** The types of the columns of a row, which do not depend on what an export holds. */
import * as Schema from "effect/Schema"
import { type Column, columns, Row } from "../Row.js"

/** What a column holds. A `number` is exact and may have any number of digits. */
export type Type = "text" | "integer" | "number" | "time"

/** Columns whose strings are not text. */
const types: Partial<Record<Column, Type>> = {
  timestamp: "time",
  token_id: "number",
  amount: "number",
  amount_decimal: "number",
  fee: "number"
}

const holds = (column: Column, value: unknown): boolean => {
  const schema: Schema.Schema.AnyNoContext = Row.fields[column]
  return Schema.is(schema)(value)
}

const integers = new Set(columns.filter((column) => holds(column, 0)))

export const typeOf = (column: Column): Type => types[column] ?? (integers.has(column) ? "integer" : "text")

/** Whether a column may be `null`. */
export const isOptional = (column: Column): boolean => holds(column, null)
