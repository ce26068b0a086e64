/** Rows as Parquet. */
import { parquetReadObjects, type SchemaElement } from "hyparquet"
import { ByteWriter, ParquetWriter } from "hyparquet-writer"
import type { Row } from "../Row.js"
import type { Column, Columns, Type } from "./columns.js"

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

/** Writes rows in groups, as they come. */
export const encoder = (columns: Columns) => {
  const bytes = new ByteWriter()
  const writer = new ParquetWriter({ writer: bytes, schema: schemaOf(columns) })
  let waiting: Array<Row> = []
  const flush = (): void => {
    if (waiting.length === 0) return
    const columnData = columns.transfers.map((column) => ({
      name: column.name,
      data: waiting.map((row) => valueOf(row, column))
    }))
    void writer.write({ columnData, rowGroupSize: groupSize })
    waiting = []
  }
  /** What was written since the last time. */
  const drain = (): Uint8Array => {
    const written = bytes.getBytes().slice()
    bytes.index = 0
    return written
  }
  return {
    add: (rows: ReadonlyArray<Row>): Uint8Array => {
      waiting.push(...rows)
      if (waiting.length >= groupSize) flush()
      return drain()
    },
    end: (): Uint8Array => {
      flush()
      void writer.finish()
      return drain()
    }
  }
}

/** The IDs of the rows in a file. */
export const ids = async (file: Uint8Array): Promise<ReadonlyArray<string>> => {
  const rows = await parquetReadObjects({ file: new Uint8Array(file).buffer, columns: ["id"] })
  return rows.map(({ id }) => String(id))
}
