/** Rows as Parquet. */
import * as Effect from "effect/Effect"
import * as Runtime from "effect/Runtime"
import * as Stream from "effect/Stream"
import { parquetMetadataAsync, parquetReadObjects, type SchemaElement } from "hyparquet"
import { ByteWriter, ParquetWriter } from "hyparquet-writer"
import type { Row } from "../Row.js"
import type { Column, Columns, Type } from "./columns.js"
import type { Source } from "./source.js"

/** The digits that `amount_decimal` has room for. */
export const decimalDigits = 38

const decimal: Partial<SchemaElement> = {
  type: "FIXED_LEN_BYTE_ARRAY",
  type_length: 16,
  converted_type: "DECIMAL",
  logical_type: { type: "DECIMAL", precision: decimalDigits, scale: 0 },
  precision: decimalDigits,
  scale: 0
}

const elements: Readonly<Record<Type, Partial<SchemaElement>>> = {
  text: { type: "BYTE_ARRAY", converted_type: "UTF8", logical_type: { type: "STRING" } },
  integer: { type: "INT64" },
  // 256 bits need 78 digits, more than a decimal of any warehouse has.
  number: { type: "BYTE_ARRAY", converted_type: "UTF8", logical_type: { type: "STRING" } },
  time: {
    type: "INT64",
    converted_type: "TIMESTAMP_MILLIS",
    logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MILLIS" }
  }
}

const schemaOf = ({ transfers }: Columns): Array<SchemaElement> => [
  { name: "transfer", num_children: transfers.length },
  ...transfers.map(({ isOptional, name, type }): SchemaElement => ({
    name,
    ...(name === "amount_decimal" ? decimal : elements[type]),
    repetition_type: isOptional ? "OPTIONAL" : "REQUIRED"
  }))
]

const valueOf = (row: Row, { name, read, type }: Column<Row>): bigint | string | null => {
  if (name === "amount_decimal") return row.amount.length <= decimalDigits ? BigInt(row.amount) : null
  const value = read(row)
  if (value === null) return null
  if (type === "time") return BigInt(Date.parse(String(value)))
  return type === "integer" ? BigInt(value) : String(value)
}

/** Rows that are written together: more take more memory, fewer take more room. */
const groupSize = 5_000
/** The text of rows that are written together: anyone can give a token a long name. */
const groupText = 8 * 2 ** 20

/** Writes rows in groups, as they come. */
export const encoder = (columns: Columns) => {
  const bytes = new ByteWriter()
  const writer = new ParquetWriter({ writer: bytes, schema: schemaOf(columns) })
  let waiting: Array<Row> = []
  let text = 0
  const flush = (): void => {
    if (waiting.length === 0) return
    const columnData = columns.transfers.map((column) => ({
      name: column.name,
      data: waiting.map((row) => valueOf(row, column))
    }))
    void writer.write({ columnData, rowGroupSize: groupSize })
    waiting = []
    text = 0
  }
  /** What was written since the last time. */
  const drain = (): Uint8Array => {
    const written = bytes.getBytes().slice()
    bytes.index = 0
    return written
  }
  return {
    add: (rows: ReadonlyArray<Row>): Uint8Array => {
      for (const row of rows) {
        waiting.push(row)
        text += (row.token_name?.length ?? 0) + (row.token_symbol?.length ?? 0)
        if (waiting.length >= groupSize || text >= groupText) flush()
      }
      return drain()
    },
    end: (): Uint8Array => {
      flush()
      void writer.finish()
      return drain()
    }
  }
}

/** A text may begin with U+FEFF, which a decoder takes for a mark of the encoding otherwise. */
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true })

/** A value as the row has it. */
const readValue = (value: unknown, { type }: Column<Row>): string | number | null => {
  if (value === null || value === undefined) return null
  if (value instanceof Date) return `${value.toISOString().slice(0, -5)}Z`
  return type === "integer" ? Number(value) : String(value)
}

/** The rows of a file, a group at a time. The decimal is left out: it is made of the amount when the row is written. */
export const rows = (source: Source, { transfers }: Columns): Stream.Stream<ReadonlyArray<Row>, unknown> => {
  const columns = transfers.filter(({ name }) => name !== "amount_decimal")
  return Stream.unwrap(Effect.gen(function*() {
    const runtime = yield* Effect.runtime<never>()
    const slice = (start: number, end = source.bytes): Promise<ArrayBuffer> =>
      Runtime.runPromise(runtime)(Effect.map(Stream.runCollect(source.read(start, end - start)), (chunks) => {
        const all = new Uint8Array(end - start)
        let at = 0
        for (const chunk of chunks) {
          all.set(chunk, at)
          at += chunk.length
        }
        return all.buffer
      }))
    const file = { byteLength: source.bytes, slice }
    const metadata = yield* Effect.tryPromise({ try: () => parquetMetadataAsync(file), catch: (error) => error })
    let next = 0
    const groups = metadata.row_groups.map(({ num_rows }) => {
      const rowStart = next
      next += Number(num_rows)
      return { rowStart, rowEnd: next }
    })
    return Stream.mapEffect(Stream.fromIterable(groups), (group) =>
      Effect.tryPromise({
        try: async () => {
          const found = await parquetReadObjects({
            file,
            metadata,
            ...group,
            columns: columns.map(({ name }) => name),
            parsers: { stringFromBytes: (bytes) => bytes && utf8.decode(bytes) }
          })
          return found.map((one): Row =>
            // The columns of the export, of which the file was made.
            Object.fromEntries([
              ["amount_decimal", null],
              ...columns.map((column) => [column.name, readValue(one[column.name], column)])
            ]) as Row
          )
        },
        catch: (error) => error
      }))
  }))
}
