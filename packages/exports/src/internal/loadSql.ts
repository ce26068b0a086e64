/** The SQL that loads an export in CSV into DuckDB, with exact types. */
import * as CsvCell from "../CsvCell.js"
import type { Row } from "../Row.js"
import type { Column, Columns, Type } from "./columns.js"
import { decimalDigits } from "./parquet.js"

const typeNames: Readonly<Record<Type, string>> = {
  text: "VARCHAR",
  integer: "BIGINT",
  number: "VARCHAR",
  time: "TIMESTAMPTZ"
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`

const selected = ({ name, type }: Column<Row>): string => {
  if (name === "amount_decimal") return `TRY_CAST(amount AS DECIMAL(${decimalDigits}, 0)) AS amount_decimal`
  return type === "text" ? `${CsvCell.textSql(`"${name}"`)} AS "${name}"` : `"${name}"`
}

/** Without rows there are no parts, and a table that is empty. */
const source = (parts: ReadonlyArray<string>, fields: string): string =>
  `read_csv([
    ${parts.map(quoted).join(",\n    ")}
  ],
  header = true, delim = ',', quote = '"', escape = '"', new_line = '\\r\\n', nullstr = '', allow_quoted_nulls = false,
  auto_detect = false,
  columns = {${fields}})`

export const loadSql = (parts: ReadonlyArray<string>, { transfers, version }: Columns): string => {
  const fields = transfers.map(({ name, type }) => `${quoted(name)}: ${quoted(typeNames[type])}`).join(", ")
  const nothing = transfers.map(({ name, type }) => `NULL::${typeNames[type]} AS "${name}"`).join(", ")
  const from = parts.length === 0 ? `(SELECT ${nothing}) WHERE false` : source(parts, fields)
  return `-- Loads this export into DuckDB. In its directory: duckdb warehouse.duckdb < load.sql
-- The columns have version ${version}.
-- Without these types DuckDB reads amounts as DOUBLE, which keeps 15 digits of them.
SET TimeZone = 'UTC';
CREATE OR REPLACE TABLE transfers AS
SELECT
  ${transfers.map(selected).join(",\n  ")}
FROM ${from};
`
}
