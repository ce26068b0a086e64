/** Reads CSV as RFC 4180 has it. A quote that is misplaced, or never closed, is an error: it could hide lines. */
import { CsvError, parse } from "csv-parse"
import * as Chunk from "effect/Chunk"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { constVoid } from "effect/Function"
import * as Stream from "effect/Stream"

/** A record, and the number of its first line. */
export interface Row {
  readonly line: number
  readonly fields: ReadonlyArray<string>
}

/** Where a file can't be read any further, and why. */
export class Malformed extends Data.TaggedError("Malformed")<{ readonly line: number; readonly problem: string }> {}

/** The most bytes of a record. Without a limit, a quote that is never closed would keep the rest of the file in memory. */
const longest = 1_000_000

const problems: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: "a quote is opened here and never closed",
  CSV_INVALID_CLOSING_QUOTE:
    "text follows a closing quote: only a comma or the end of the line may, and a quote inside a field is written twice",
  INVALID_OPENING_QUOTE:
    "a quote stands inside a field without quotes: put the field in quotes, and write the quote twice",
  CSV_MAX_RECORD_SIZE: `it is longer than ${longest.toLocaleString("en-US")} bytes: a quote may not be closed`
}

const problemOf = (error: unknown): string => {
  if (error instanceof TypeError) {
    return "the file is not UTF-8: save it as UTF-8, or amounts and keys may be read wrongly"
  }
  return error instanceof CsvError ? problems[error.code] ?? error.message : String(error)
}

/** The records of a file, read as they are asked for. Lines that are empty or only blank are left out. */
export const rows = <E, R>(bytes: Stream.Stream<Uint8Array, E, R>): Stream.Stream<Row, E | Malformed, R> =>
  Stream.suspend(() => {
    let read: Array<Row> = []
    let last = 0
    const parser = parse({
      bom: true,
      max_record_size: longest,
      record_delimiter: ["\r\n", "\n"],
      relax_column_count: true,
      // Nothing is left for the reading side of the parser: the records of a chunk are taken when it was written.
      on_record: (fields: ReadonlyArray<string>, { lines }) => {
        if (fields.length > 1 || fields[0]?.trim() !== "") read.push({ line: last + 1, fields })
        last = lines
        return null
      }
    })
    // The write that caused an error gets it too.
    parser.on("error", constVoid).resume()
    const text = new TextDecoder("utf-8", { fatal: true })
    const step = (act: (done: (error?: Error | null) => void) => void) =>
      Effect.async<Chunk.Chunk<Row>, Malformed>((resume) => {
        const fail = (error: unknown) => resume(new Malformed({ line: last + 1, problem: problemOf(error) }))
        try {
          act((error) => {
            if (error) return fail(error)
            resume(Effect.succeed(Chunk.unsafeFromArray(read)))
            read = []
          })
        } catch (error) {
          fail(error)
        }
      })
    const write = (chunk: Uint8Array) =>
      step((done) => {
        text.decode(chunk, { stream: true })
        parser.write(chunk, done)
      })
    const end = step((done) => {
      text.decode()
      parser.end(done)
    })
    return Stream.flattenChunks(Stream.concat(Stream.mapEffect(bytes, write), Stream.fromEffect(end)))
  })
