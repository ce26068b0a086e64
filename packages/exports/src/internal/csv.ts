/** Rows as CSV. */
import { parse } from "csv-parse"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { pipeline, Readable } from "node:stream"
import * as CsvCell from "../CsvCell.js"
import type { Row } from "../Row.js"
import { type Column, type Columns, lists } from "./columns.js"
import type { Source } from "./source.js"

export const header = ({ transfers }: Columns): string => CsvCell.lines([transfers.map(({ name }) => name)])

/** A line for each row. */
export const lines = ({ transfers }: Columns, rows: ReadonlyArray<Row>): string => CsvCell.lines(lists(transfers, rows))

/** A field as the column has it. Only quotes tell an empty text from `null`. */
const valueOf = (text: string, isQuoted: boolean, column: Column<Row> | undefined): string | number | null => {
  if (text === "" && !isQuoted) return null
  if (column?.type === "integer") return Number(text)
  return CsvCell.textOf(text)
}

/** How many rows are read at once. */
const atOnce = 1000

/** The rows of a file. */
export const rows = (
  { read }: Pick<Source, "read">,
  { transfers }: Columns
): Stream.Stream<ReadonlyArray<Row>, unknown> => {
  const known = new Map(transfers.map((column) => [column.name, column]))
  return Stream.unwrap(Effect.map(Effect.runtime<never>(), (runtime) => {
    const parser = parse({
      columns: true,
      record_delimiter: "\r\n",
      cast: (text, { column, quoting }) => valueOf(text, quoting, known.get(String(column)))
    })
    // What fails ends the parser, and so the stream.
    pipeline(Readable.from(Stream.toAsyncIterableRuntime(read(), runtime)), parser, () => undefined)
    return Stream.fromAsyncIterable<Row, unknown>(parser, (error) => error).pipe(
      Stream.grouped(atOnce),
      Stream.map(Chunk.toReadonlyArray)
    )
  }))
}
