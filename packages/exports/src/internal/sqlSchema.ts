/** The rows of an export and their views, in each dialect. */
import type { Row } from "../Row.js"
import type { Column, Columns, Type } from "./columns.js"

export type Dialect = "sqlite" | "pg"

const typeNames: Record<Dialect, Record<Type, string>> = {
  sqlite: { text: "TEXT", integer: "INTEGER", number: "TEXT", time: "TEXT" },
  pg: { text: "TEXT", integer: "BIGINT", number: "NUMERIC", time: "TIMESTAMPTZ" }
}

/** The tables of the two kinds of rows. */
export type Table = "transfers" | "rejected"

const namesOf = (columns: Columns, table: Table): ReadonlyArray<string> => columns[table].map(({ name }) => name)

/**
 * Inserts the rows of one parameter, a JSON array, that are not there yet, and returns their IDs. A statement with a
 * parameter for each value would take longer to parse than to run.
 */
export const insertion = (dialect: Dialect, prefix: string, table: Table, columns: Columns): string => {
  const names = namesOf(columns, table)
  const list = names.map((name) => `"${name}"`).join(", ")
  const source = dialect === "sqlite"
    ? `SELECT ${names.map((name) => `value ->> '${name}'`).join(", ")} FROM json_each(?) WHERE true`
    : `SELECT ${list} FROM json_populate_recordset(NULL::${prefix}${table}, ?::json)`
  return `INSERT INTO ${prefix}${table} (${list}) ${source} ON CONFLICT (id) DO NOTHING RETURNING id`
}

/** The same, which also replaces what differs, except for the rows of some windows. */
export const replacement = (others: ReadonlyArray<number>): typeof insertion => (dialect, prefix, table, columns) => {
  const names = namesOf(columns, table).filter((name) => name !== "id")
  const differing = names.map((name) => `"${name}" = excluded."${name}"`).join(", ")
  const own = others.length === 0 ? "" : ` WHERE ${prefix}${table}."window" NOT IN (${others.join()})`
  return insertion(dialect, prefix, table, columns).replace("DO NOTHING", `DO UPDATE SET ${differing}${own}`)
}

/** A column as a row has it: numbers and times as text. */
const exact = (dialect: Dialect, { name, type }: Column<Row>): string => {
  if (type === "number") return `CAST("${name}" AS TEXT) AS "${name}"`
  return type === "time" && dialect === "pg"
    ? `to_char("${name}" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS "${name}"`
    : `"${name}"`
}

/**
 * Selects the rows of a window, exactly as they were inserted. In SQLite it has three parameters, the last one says how
 * many rows after a place: SQLite has no cursors.
 */
export const rowsOf = (dialect: Dialect, prefix: string, { transfers }: Columns): string => {
  const list = transfers.map((column) => exact(dialect, column)).join(", ")
  return dialect === "pg"
    ? `SELECT ${list} FROM ${prefix}transfers WHERE "window" = $1`
    : `SELECT rowid AS place, ${list} FROM ${prefix}transfers WHERE "window" = ? AND rowid > ? ORDER BY rowid LIMIT ?`
}

/** A decimal text in SQLite is cut into limbs of nine digits, which are added as integers without rounding. */
const limbs = Array.from({ length: 9 }, (_, index) => index)
const base = 1_000_000_000

const limb = (index: number): string =>
  `CAST(substr(substr('${"0".repeat(81)}' || amount, -81), ${1 + 9 * (8 - index)}, 9) AS INTEGER)`

/** Division that rounds down, and its remainder. */
const floored = (value: string): string => `(${value} - ${remainder(value)}) / ${base}`
const remainder = (value: string): string => `((${value} % ${base} + ${base}) % ${base})`

/**
 * Exact sums as text. Each step carries from one limb to the next, rounded down, so that only the highest limb can be
 * negative; then the whole is negated and carried again. The steps are materialized: merged into one expression, they
 * would grow threefold with each limb.
 */
const sqliteSums = (moved: string, key: string): string => {
  const names = ["received", "sent", "balance"] as const
  const steps: Array<string> = []
  const step = (select: string, source = `FROM step${steps.length - 1}`, rest = ""): void => {
    steps.push(`step${steps.length} AS MATERIALIZED (SELECT ${select} ${source} ${rest})`)
  }
  const each = (write: (name: (typeof names)[number], index: number) => string): string =>
    names.flatMap((name) => limbs.map((index) => `${write(name, index)} AS ${name}_${index}`)).join(", ")
  const carry = (others: string): void => {
    for (const from of limbs.slice(0, -1)) {
      const write = (name: string, index: number): string =>
        index === from
          ? remainder(`${name}_${index}`)
          : index === from + 1
          ? `${name}_${index} + ${floored(`${name}_${from}`)}`
          : `${name}_${index}`
      step(`${others}, ${each(write)}`)
    }
  }
  const parts = { received: "direction > 0", sent: "direction < 0", balance: "1" }
  const sums = each((name, index) =>
    `SUM(CASE WHEN moved = 1 AND ${parts[name]} THEN ${name === "balance" ? "direction * " : ""}${
      limb(index)
    } ELSE 0 END)`
  )
  const others = `${key}, transfers, uncertain`
  step(
    `${key}, COUNT(*) AS transfers, SUM(1 - moved) AS uncertain, ${sums}`,
    `FROM (${moved})`,
    `GROUP BY ${key}`
  )
  carry(others)
  const highest = limbs.length - 1
  step(
    `${others}, balance_${highest} < 0 AS negative, ${
      each((name, index) => `CASE WHEN ${name}_${highest} < 0 THEN -${name}_${index} ELSE ${name}_${index} END`)
    }`
  )
  carry(`${others}, negative`)
  const texts = names.map((name) => {
    const digits = [...limbs].reverse().map((index) => `printf('%09d', ${name}_${index})`).join(" || ")
    const sign = name === "balance" ? "CASE WHEN negative THEN '-' ELSE '' END || " : ""
    return `${sign}COALESCE(NULLIF(ltrim(${digits}, '0'), ''), '0') AS ${name}`
  })
  return `WITH ${steps.join(", ")} SELECT ${key}, ${texts.join(", ")}, transfers, uncertain FROM step${
    steps.length - 1
  }`
}

const pgSums = (moved: string, key: string): string =>
  `SELECT ${key},
    COALESCE(SUM(amount) FILTER (WHERE moved = 1 AND direction > 0), 0) AS received,
    COALESCE(SUM(amount) FILTER (WHERE moved = 1 AND direction < 0), 0) AS sent,
    COALESCE(SUM(direction * amount) FILTER (WHERE moved = 1), 0) AS balance,
    COUNT(*) AS transfers, SUM(1 - moved) AS uncertain
   FROM (${moved}) AS sides GROUP BY ${key}`

/** Each side of each transfer that an account of the export is on. Presets don't say their accounts: then all are. */
const sides = (prefix: string, day: string): string => {
  const side = (account: string, direction: number): string =>
    `SELECT ${account} AS account, ${direction} AS direction, kind, contract, token_id, amount, ${day} AS day,
       CASE WHEN status = 'success' THEN 1 ELSE 0 END AS moved
     FROM ${prefix}transfers
     WHERE (status IS NULL OR status <> 'failure')
       AND (${account} IN (SELECT account FROM ${prefix}export_accounts)
         OR NOT EXISTS (SELECT 1 FROM ${prefix}export_accounts))`
  return `${side("to_address", 1)} UNION ALL ${side("from_address", -1)}`
}

const typed = (dialect: Dialect, { name, type }: Pick<Column<never>, "name" | "type">): string =>
  // `window` is a reserved word.
  `"${name}" ${typeNames[dialect][type]}`

/** The statements that create the tables of the rows. Each may be run again. */
export const tables = (dialect: Dialect, prefix: string, columns: Columns): ReadonlyArray<string> => {
  const strict = dialect === "sqlite" ? " STRICT" : ""
  const table = (name: Table): string => {
    const fields = columns[name].map((column) => {
      const end = column.name === "id" ? " PRIMARY KEY" : column.isOptional ? "" : " NOT NULL"
      return `${typed(dialect, column)}${end}`
    })
    return `CREATE TABLE IF NOT EXISTS ${prefix}${name} (${fields.join(", ")})${strict}`
  }
  return [table("transfers"), table("rejected")]
}

/** The names of the columns that a table has. */
export const columnNames = (dialect: Dialect, prefix: string, table: Table): string =>
  dialect === "sqlite"
    ? `SELECT name FROM pragma_table_info('${prefix}${table}')`
    : `SELECT attname AS name FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
       WHERE relname = '${prefix}${table}' AND pg_table_is_visible(attrelid) AND attnum > 0 AND NOT attisdropped`

/** Adds the columns that a table lacks: an older program made the table, and stored no plan. */
export const additions = (
  dialect: Dialect,
  prefix: string,
  table: Table,
  columns: Columns,
  found: ReadonlySet<string>
): ReadonlyArray<string> =>
  columns[table].filter(({ name }) => !found.has(name)).map((column) =>
    `ALTER TABLE ${prefix}${table} ADD COLUMN ${typed(dialect, column)}`
  )

/** The statements that create the indexes and the views of the rows. Each may be run again. */
export const views = (dialect: Dialect, prefix: string): ReadonlyArray<string> => {
  const index = (name: string, on: string): string =>
    `CREATE INDEX IF NOT EXISTS ${prefix}transfers_${name} ON ${prefix}transfers (${on})`
  const create = dialect === "sqlite" ? "CREATE VIEW IF NOT EXISTS" : "CREATE OR REPLACE VIEW"
  const sums = dialect === "sqlite" ? sqliteSums : pgSums
  const day = dialect === "sqlite" ? "substr(timestamp, 1, 10)" : "(timestamp AT TIME ZONE 'UTC')::date"
  const moved = sides(prefix, day)
  const key = "account, kind, contract, token_id"
  return [
    index("transaction", "transaction_hash"),
    index("from", "from_address, unix"),
    index("to", "to_address, unix"),
    index("contract", "contract"),
    index("unix", "unix"),
    index("window", "\"window\""),
    `${create} ${prefix}balances AS ${sums(moved, key)}`,
    `${create} ${prefix}daily AS ${sums(moved, `day, ${key}`)}`
  ]
}
