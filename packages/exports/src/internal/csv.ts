/** Rows as CSV. */
import { parse } from "csv-parse/sync"
import { stringify } from "csv-stringify/sync"
import type { Row } from "../Row.js"
import { type Columns, lists } from "./columns.js"

/** What a spreadsheet takes for a formula, and the sign that keeps it from doing so. */
const risky = /^[=+\-@\t\r']/

export const header = ({ transfers }: Columns): string => `${transfers.map(({ name }) => name).join(",")}\r\n`

/** A line for each row. Quotes tell an empty text from `null`. */
export const lines = ({ transfers }: Columns, rows: ReadonlyArray<Row>): string =>
  stringify(lists(transfers, rows), {
    record_delimiter: "\r\n",
    quoted_match: /^$|[\r\n]/,
    cast: { string: (text) => risky.test(text) ? `'${text}` : text }
  })

/** The first field of each record. */
export const firstFields = (text: string): ReadonlyArray<string> =>
  parse(text, { record_delimiter: "\r\n", on_record: ([first = ""]) => [first] }).flat()
