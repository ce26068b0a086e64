/** The SQL that loads an export in CSV into DuckDB, with exact types. */
import { type Column, columns } from "../Row.js"
import { type Type, typeOf } from "./columnTypes.js"
import { decimalDigits } from "./parquet.js"

const typeNames: Readonly<Record<Type, string>> = {
  text: "VARCHAR",
  integer: "BIGINT",
  number: "VARCHAR",
  time: "TIMESTAMPTZ"
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** A text without the apostrophe that keeps spreadsheets from taking it for a formula. */
const plain = (column: string): string => `CASE WHEN ${column} LIKE '''%' THEN substr(${column}, 2) ELSE ${column} END`

const selected = (column: Column): string => {
  if (column === "amount_decimal") return `TRY_CAST(amount AS DECIMAL(${decimalDigits}, 0)) AS amount_decimal`
  return typeOf(column) === "text" ? `${plain(`"${column}"`)} AS "${column}"` : `"${column}"`
}

/** Without rows there are no parts, and a table that is empty. */
const source = (parts: ReadonlyArray<string>, fields: string): string =>
  `read_csv([
    ${parts.map(quoted).join(",\n    ")}
  ],
  header = true, delim = ',', quote = '"', escape = '"', new_line = '\\r\\n', nullstr = '', allow_quoted_nulls = false,
  auto_detect = false,
  columns = {${fields}})`

export const loadSql = (parts: ReadonlyArray<string>): string => {
  const fields = columns.map((column) => `${quoted(column)}: ${quoted(typeNames[typeOf(column)])}`).join(", ")
  const nothing = columns.map((column) => `NULL::${typeNames[typeOf(column)]} AS "${column}"`).join(", ")
  const from = parts.length === 0 ? `(SELECT ${nothing}) WHERE false` : source(parts, fields)
  return `-- Loads this export into DuckDB. In its directory: duckdb warehouse.duckdb < load.sql
-- Without these types DuckDB reads amounts as DOUBLE, which keeps 15 digits of them.
SET TimeZone = 'UTC';
CREATE OR REPLACE TABLE transfers AS
SELECT
  ${columns.map(selected).join(",\n  ")}
FROM ${from};
`
}
