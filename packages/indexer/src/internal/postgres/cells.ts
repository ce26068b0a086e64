/**
 * How the columns of the index are stored in Postgres: amounts as `numeric`, bytes as `bytea`, other numbers as `bigint` or
 * narrower; and lists of values as parameters in Postgres' binary form, which costs the server and this process least.
 */
import type { AnyColumn } from "@effect-klaytn/store/Column"

/** The type of a column. Texts are ordered by their bytes, as in SQLite. */
export const typeOf = ({ bits, isAmount = false, type }: AnyColumn): string =>
  isAmount
    ? "numeric(78, 0)"
    : type === "INTEGER"
    ? bits === undefined ? "bigint" : bits === 32 ? "integer" : "smallint"
    : type === "TEXT"
    ? "text"
    : "bytea"

/** Postgres' own numbers for types. */
const typeNumbers = { smallint: 21, integer: 23, bigint: 20, text: 25, bytea: 17, numeric: 1700 }

/** Bytes that grow. */
class Output {
  #bytes = Buffer.allocUnsafe(4096)
  #end = 0

  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#end)
  }

  int16(value: number): void {
    this.#end = this.#room(2).writeInt16BE(value, this.#end)
  }

  int32(value: number): void {
    this.#end = this.#room(4).writeInt32BE(value, this.#end)
  }

  /** A whole number below 2^53, not below 0. */
  int64(value: number): void {
    const high = Math.floor(value / 2 ** 32)
    this.#end = this.#room(8).writeUInt32BE(value - high * 2 ** 32, this.#room(8).writeInt32BE(high, this.#end))
  }

  /** Text of so many bytes, with their number. */
  text(value: string, length: number, encoding: "utf8" | "hex"): void {
    this.int32(length)
    this.#end += this.#room(length).write(value, this.#end, encoding)
  }

  raw(value: Uint8Array): void {
    this.int32(value.length)
    this.#room(value.length).set(value, this.#end)
    this.#end += value.length
  }

  /** A whole number of any size, not below 0: digits of base 10,000 without the zeros at the end. */
  numeric(value: bigint): void {
    const decimal = value === 0n ? "" : value.toString()
    const groups = Math.ceil(decimal.length / 4)
    const digits = decimal.padStart(groups * 4, "0")
    let end = digits.length
    while (end > 0 && digits.charCodeAt(end - 1) === 48) end--
    const count = Math.ceil(end / 4)
    this.int32(8 + count * 2)
    this.int16(count)
    this.int16(Math.max(0, groups - 1))
    // The sign, and digits after the point.
    this.int32(0)
    for (let place = 0; place < count; place++) this.int16(Number(digits.slice(place * 4, place * 4 + 4)))
  }

  #room(size: number): Buffer {
    if (this.#end + size > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#end + size))
      this.#bytes.copy(larger, 0, 0, this.#end)
      this.#bytes = larger
    }
    return this.#bytes
  }
}

type Write = (output: Output, value: unknown) => void

const writeBytes: Write = (output, value) => {
  // A column of bytes takes hex or bytes.
  if (value instanceof Uint8Array) return output.raw(value)
  const digits = String(value).slice(2)
  output.text(digits, digits.length / 2, "hex")
}

/** How a value that is not NULL is written, with the number of its type. */
const formOf = (column: AnyColumn): { readonly type: number; readonly write: Write } => {
  // A cast: rows have what their columns encode.
  const encode = (value: unknown) => column.encode(value as never)
  switch (typeOf(column)) {
    case "bigint":
      return {
        type: typeNumbers.bigint,
        write: (output, value) => (output.int32(8), output.int64(Number(encode(value))))
      }
    case "integer":
      return {
        type: typeNumbers.integer,
        write: (output, value) => (output.int32(4), output.int32(Number(encode(value))))
      }
    case "smallint":
      return {
        type: typeNumbers.smallint,
        write: (output, value) => (output.int32(2), output.int16(Number(encode(value))))
      }
    case "bytea":
      return { type: typeNumbers.bytea, write: writeBytes }
    case "text":
      return {
        type: typeNumbers.text,
        write: (output, value) => {
          const text = String(encode(value))
          output.text(text, Buffer.byteLength(text), "utf8")
        }
      }
    default:
      return {
        type: typeNumbers.numeric,
        write: (output, value) => output.numeric(typeof value === "bigint" ? value : BigInt(String(value)))
      }
  }
}

/** The values of a field of rows as one parameter, an array in Postgres' binary form. */
export const arrayOf = (column: AnyColumn, field: string, rows: ReadonlyArray<object>): Buffer => {
  const { type, write } = formOf(column)
  const output = new Output()
  // One dimension, which may have NULLs, and begins with 1.
  for (const head of [1, 1, type, rows.length, 1]) output.int32(head)
  for (const row of rows) {
    const value = Reflect.get(row, field)
    if (value === undefined) output.int32(-1)
    else write(output, value)
  }
  return output.bytes
}

/** Reads a cell as the driver gives it: large numbers as text. */
export const decode = (column: AnyColumn, cell: unknown, name: string): unknown => {
  if (cell === null) return column.decode(null, name)
  if (column.isAmount === true) return BigInt(String(cell))
  return column.decode(column.type === "INTEGER" ? Number(cell) : cell, name)
}
