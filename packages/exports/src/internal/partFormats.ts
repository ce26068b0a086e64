/** The formats of the parts of a directory. */
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Row } from "../Row.js"
import { type Columns, jsonLines } from "./columns.js"
import * as csv from "./csv.js"
import * as parquet from "./parquet.js"
import type { Source } from "./source.js"

/** Writes the rows of a part as they come. */
export interface Encoder<A> {
  /** What can be written once these rows have come. */
  readonly add: (rows: ReadonlyArray<A>) => Uint8Array
  /** What is left to be written. */
  readonly end: () => Uint8Array
}

interface PartFormat {
  readonly encoder: (columns: Columns) => Encoder<Row>
  /** The rows of a part, some at a time. What is no part fails as something that is not an error of the sink. */
  readonly rows: (source: Source, columns: Columns) => Stream.Stream<ReadonlyArray<Row>, unknown>
}

const nothing = new Uint8Array()

/** Writes lines behind a header, which comes with the first ones. */
export const linesEncoder = <A>(header: string, lines: (rows: ReadonlyArray<A>) => string): Encoder<A> => {
  const utf8 = new TextEncoder()
  let before = header
  return {
    add: (rows) => {
      const text = before + lines(rows)
      before = ""
      return utf8.encode(text)
    },
    end: () => nothing
  }
}

/** The objects of which each has a line, some at a time. */
export const jsonObjects = <A>({ read }: Pick<Source, "read">): Stream.Stream<ReadonlyArray<A>, unknown> =>
  read().pipe(
    Stream.decodeText(),
    Stream.splitLines,
    Stream.chunks,
    Stream.mapEffect((lines) =>
      Effect.try(() =>
        // The lines of an export are what it wrote there.
        Chunk.toReadonlyArray(lines).flatMap((line) => line === "" ? [] : JSON.parse(line) as A)
      )
    )
  )

export const partFormats = {
  ndjson: {
    encoder: ({ transfers }) => linesEncoder("", (rows) => jsonLines(transfers, rows)),
    rows: jsonObjects<Row>
  },
  csv: {
    encoder: (columns) => linesEncoder(csv.header(columns), (rows) => csv.lines(columns, rows)),
    rows: csv.rows
  },
  parquet: { encoder: parquet.encoder, rows: parquet.rows }
} satisfies Record<string, PartFormat>

export type Format = keyof typeof partFormats

/** The format of a part, by the end of its name. */
export const formatOf = (part: string): Format =>
  part.endsWith(".parquet") ? "parquet" : part.endsWith(".csv") ? "csv" : "ndjson"
