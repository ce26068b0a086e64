/** The formats of the parts of a directory. */
import type { Row } from "../Row.js"
import { type Columns, jsonLines } from "./columns.js"
import * as csv from "./csv.js"
import * as parquet from "./parquet.js"

/** Writes the rows of a part as they come. */
export interface Encoder {
  /** What can be written once these rows have come. */
  readonly add: (rows: ReadonlyArray<Row>) => Uint8Array
  /** What is left to be written. */
  readonly end: () => Uint8Array
}

interface PartFormat {
  readonly encoder: (columns: Columns) => Encoder
  /** The IDs of the rows of a part. */
  readonly ids: (part: Uint8Array) => Promise<ReadonlyArray<string>>
}

const nothing = new Uint8Array()

const ofLines = (
  header: (columns: Columns) => string,
  lines: (columns: Columns, rows: ReadonlyArray<Row>) => string,
  ids: (text: string) => ReadonlyArray<string>
): PartFormat => ({
  encoder: (columns) => {
    const utf8 = new TextEncoder()
    let before = header(columns)
    return {
      add: (rows) => {
        const text = before + lines(columns, rows)
        before = ""
        return utf8.encode(text)
      },
      end: () => nothing
    }
  },
  ids: (part) => Promise.resolve(ids(new TextDecoder().decode(part)))
})

/** The IDs of objects of which each has a line. */
export const idsInJson = (lines: string): ReadonlyArray<string> =>
  lines.split("\n").flatMap((one) => /^\{"id":"([^"]+)"/.exec(one)?.[1] ?? [])

export const partFormats = {
  ndjson: ofLines(() => "", ({ transfers }, rows) => jsonLines(transfers, rows), idsInJson),
  csv: ofLines(csv.header, csv.lines, (text) => csv.firstFields(text).slice(1)),
  parquet: { encoder: parquet.encoder, ids: parquet.ids }
} satisfies Record<string, PartFormat>

export type Format = keyof typeof partFormats

/** The format of a part, by the end of its name. */
export const formatOf = (part: string): Format =>
  part.endsWith(".parquet") ? "parquet" : part.endsWith(".csv") ? "csv" : "ndjson"
