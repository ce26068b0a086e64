/**
 * Texts in CSV that no spreadsheet takes for a formula: anybody can name a token.
 *
 * **Details**
 *
 * Spreadsheets execute a cell that begins with `=`, `+`, `-`, `@` or one of their full-width forms, or with a tab or the end of a
 * line before one. Where a list is separated by `;` or tabs, quotes in the middle of a cell don't hold it together, so that such
 * a text may also begin behind `;`, `|`, a tab or the end of a line, with quotes before its sign. {@link of} puts an apostrophe
 * there, and {@link textOf} takes it away. {@link lines} writes all texts so.
 */
import { stringify } from "csv-stringify/sync"

const signs = "=+\\-@＝＋－＠'"

const atBegin = new RegExp(`^[${signs}\\t\\r\\n]`)

/** What begins a cell in some spreadsheet, before a sign. */
const separators = ";|\\t\\r\\n"

/** Quotes behind a separator may be read as those of a cell. */
const begun = `"*[${signs}]`

const within = new RegExp(`([${separators}])(?=${begun})`, "g")

const escaped = new RegExp(`([${separators}])'(?=${begun})`, "g")

/**
 * A text as it is written into a cell.
 *
 * **Example**
 *
 * ```ts
 * import * as CsvCell from "@effect-klaytn/exports/CsvCell"
 *
 * console.log(CsvCell.of("=1+1"), CsvCell.of("a;=1+1")) // '=1+1 a;'=1+1
 * ```
 *
 * @category conversions
 */
export const of = (text: string): string => {
  const inside = text.replace(within, "$1'")
  return atBegin.test(inside) ? `'${inside}` : inside
}

/**
 * The text of a cell that {@link of} made.
 *
 * @category conversions
 */
export const textOf = (cell: string): string => (cell.startsWith("'") ? cell.slice(1) : cell).replace(escaped, "$1")

/**
 * The text of a cell that {@link of} made, as an expression of DuckDB.
 *
 * @category conversions
 */
export const textSql = (expression: string): string => {
  const text = `CASE WHEN ${expression} LIKE '''%' THEN substr(${expression}, 2) ELSE ${expression} END`
  const [before, after] = [separators, begun].map((some) => some.replaceAll("'", "''"))
  return `regexp_replace(${text}, '([${before}])''(${after})', '\\1\\2', 'g')`
}

/**
 * Rows as lines of CSV, their texts as {@link of} has them. Quotes tell an empty text from `null` and `undefined`.
 *
 * @category conversions
 */
export const lines = (
  rows: ReadonlyArray<ReadonlyArray<unknown>>,
  options: {
    /** The names of the columns, as the first line. Default: no such line. */
    readonly header?: ReadonlyArray<string> | undefined
    /** Default: CRLF, as RFC 4180 has it. */
    readonly lineEnd?: "\r\n" | "\n" | undefined
  } = {}
): string =>
  stringify(options.header === undefined ? [...rows] : [options.header, ...rows], {
    record_delimiter: options.lineEnd ?? "\r\n",
    quoted_match: /^$|[\r\n]/,
    cast: { string: of }
  })
