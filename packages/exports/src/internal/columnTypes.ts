/** The types of the columns of a row, which do not depend on what an export holds. */
import type { Column } from "../Row.js"

/** What a column holds. A `number` is exact and may have any number of digits. */
export type Type = "text" | "integer" | "number" | "time"

/** Columns that are not text. */
const types: Partial<Record<Column, Type>> = {
  block_number: "integer",
  transaction_index: "integer",
  equal_index: "integer",
  part: "integer",
  timestamp: "time",
  unix: "integer",
  token_decimals: "integer",
  token_id: "number",
  amount: "number",
  amount_decimal: "number",
  transaction_type: "integer",
  fee: "number",
  fee_ratio: "integer",
  window: "integer"
}

const optional: ReadonlySet<Column> = new Set<Column>([
  "block_number",
  "transaction_index",
  "timestamp",
  "unix",
  "contract",
  "token_name",
  "token_symbol",
  "token_decimals",
  "token_id",
  "amount_decimal",
  "status",
  "operator",
  "fee_payer",
  "account"
])

export const typeOf = (column: Column): Type => types[column] ?? "text"

/** Whether a column may be `null`. */
export const isOptional = (column: Column): boolean => optional.has(column)
