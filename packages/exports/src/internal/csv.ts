/** Rows as CSV. */
import { parse } from "csv-parse"
import { stringify } from "csv-stringify/sync"
import * as Effect from "effect/Effect"
import { columns, type Row } from "../Row.js"

/** What a spreadsheet takes for a formula, and the sign that keeps it from doing so. */
const risky = /^[=+\-@\t\r']/

export const header = `${columns.join(",")}\r\n`

/** A line for each row. Quotes tell an empty text from `null`. */
export const lines = (rows: ReadonlyArray<Row>): string =>
  stringify(rows.map((row) => columns.map((column) => row[column])), {
    record_delimiter: "\r\n",
    quoted_match: /^$|[\r\n]/,
    cast: { string: (text) => risky.test(text) ? `'${text}` : text }
  })

/** The first field of each record of a file that `lines` wrote. */
export const firstFields = (text: string): Effect.Effect<ReadonlyArray<string>> =>
  Effect.async((resume) => {
    const fields: Array<string> = []
    const onRecord = ([first = ""]: ReadonlyArray<string>) => void fields.push(first)
    parse(text, { record_delimiter: "\r\n", on_record: onRecord }, (error) => {
      resume(error === undefined || error === null ? Effect.succeed(fields) : Effect.die(error))
    })
  })
