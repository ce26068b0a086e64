/**
 * Columns of tables in SQLite: how a value is stored, and how a cell is read.
 */
import type { Row, SqlValue } from "./Driver.js"

/**
 * How a column stores a value. Decoding throws for a cell of any other form: something else has written to the file.
 *
 * @category models
 */
export interface Column<out A, in I = A> {
  readonly type: "INTEGER" | "TEXT" | "BLOB"
  /** The column's name, if it is not the field's name in snake case. */
  readonly name?: string
  readonly isNullable?: boolean
  /** Assigned by the database: an `INTEGER PRIMARY KEY AUTOINCREMENT`. */
  readonly isGenerated?: boolean
  /** The bits that a number needs, where fewer than 64 do: other databases store such numbers in fewer bytes. */
  readonly bits?: 16 | 32
  /** Whether the values are numbers of any size, which other databases store as such. */
  readonly isAmount?: boolean
  /** The value in rows that are older than the column, also as SQL. */
  readonly fallback?: { readonly value: A; readonly sql: string }
  readonly encode: (value: I) => SqlValue
  readonly decode: (cell: unknown, name: string) => A
  /** The SQL expression of a cell as JSON. Default: the cell itself. */
  readonly toJson?: (cell: string) => string
  /** Reads {@link toJson} back. Default: `decode`. */
  readonly fromJson?: (value: unknown, name: string) => A
}

/**
 * A column of any type.
 *
 * @category models
 */
export type AnyColumn = Column<unknown, never>

const unexpected = (name: string, expected: string): never => {
  throw new TypeError(`column ${name} of a stored row is not ${expected}`)
}

const readNumber = (cell: unknown, name: string): number =>
  typeof cell === "number" ? cell : unexpected(name, "a number")

const readText = (cell: unknown, name: string): string => typeof cell === "string" ? cell : unexpected(name, "text")

const readBytes = (cell: unknown, name: string): Uint8Array =>
  cell instanceof Uint8Array ? cell : unexpected(name, "bytes")

/**
 * A whole number below 2^53.
 *
 * @category columns
 */
export const integer: Column<number> = { type: "INTEGER", encode: (value) => value, decode: readNumber }

/**
 * A whole number below 2^31.
 *
 * @category columns
 */
export const smallInteger: Column<number> = { ...integer, bits: 32 }

/**
 * A bigint that stays below 2^53.
 *
 * @category columns
 */
export const bigInteger: Column<bigint> = {
  type: "INTEGER",
  encode: Number,
  decode: (cell, name) => BigInt(readNumber(cell, name))
}

/**
 * A boolean as 0 or 1.
 *
 * @category columns
 */
export const flag: Column<boolean> = {
  type: "INTEGER",
  encode: Number,
  decode: (cell, name) => readNumber(cell, name) === 1,
  fromJson: (value, name) => typeof value === "boolean" ? value : readNumber(value, name) === 1
}

/**
 * Text.
 *
 * @category columns
 */
export const text: Column<string> = { type: "TEXT", encode: (value) => value, decode: readText }

/**
 * Any JSON value as text.
 *
 * @category columns
 */
export const json = <A>(): Column<A> => ({
  type: "TEXT",
  encode: (value) => JSON.stringify(value),
  decode: (cell, name) => JSON.parse(readText(cell, name))
})

/**
 * One of several texts, or of several numbers below 2^15.
 *
 * @category columns
 */
export const oneOf = <const A extends string | number>(...values: ReadonlyArray<A>): Column<A> => ({
  ...(typeof values[0] === "number" ? { type: "INTEGER", bits: 16 } : { type: "TEXT" }),
  encode: (value) => value,
  decode: (cell, name) => values.find((value) => value === cell) ?? unexpected(name, `one of ${values.join(", ")}`)
})

/**
 * Bytes.
 *
 * @category columns
 */
export const bytes: Column<Uint8Array> = {
  type: "BLOB",
  encode: (value) => value,
  decode: readBytes,
  toJson: (cell) => `hex(${cell})`,
  fromJson: (value, name) => Buffer.from(readText(value, name), "hex")
}

/**
 * Bytes, read as lower-case 0x hex.
 *
 * @category columns
 */
export const hex: Column<`0x${string}`, `0x${string}` | Uint8Array> = {
  type: "BLOB",
  encode: (value) => typeof value === "string" ? Buffer.from(value.slice(2), "hex") : value,
  decode: (cell, name) => {
    const { buffer, byteOffset, length } = readBytes(cell, name)
    return `0x${Buffer.from(buffer, byteOffset, length).toString("hex")}`
  },
  toJson: (cell) => `'0x' || lower(hex(${cell}))`,
  fromJson: (value, name) => `0x${readText(value, name).slice(2)}`
}

/**
 * A number of any size as big-endian bytes without leading zeros; zero is empty.
 *
 * @category columns
 */
export const amount: Column<bigint> = {
  type: "BLOB",
  isAmount: true,
  encode: (value) => {
    if (value === 0n) return new Uint8Array(0)
    const digits = value.toString(16)
    return Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, "hex")
  },
  decode: (cell, name) => {
    const digits = Buffer.from(readBytes(cell, name)).toString("hex")
    return digits === "" ? 0n : BigInt(`0x${digits}`)
  },
  toJson: (cell) => `'0x0' || hex(${cell})`,
  fromJson: (value, name) => BigInt(readText(value, name))
}

/**
 * A column that may be NULL, which reads as undefined.
 *
 * @category columns
 */
export const nullable = <A, I>(column: Column<A, I>): Column<A | undefined, I | undefined> => {
  const { decode, encode, fromJson = decode, toJson } = column
  return {
    ...column,
    isNullable: true,
    encode: (value) => value === undefined ? null : encode(value),
    decode: (cell, name) => cell === null ? undefined : decode(cell, name),
    ...(toJson !== undefined && { toJson: (cell: string) => `iif(${cell} IS NULL, NULL, ${toJson(cell)})` }),
    fromJson: (value, name) => value === null ? undefined : fromJson(value, name)
  }
}

/**
 * A column with a name of its own.
 *
 * @category columns
 */
export const named = <A, I>(name: string, column: Column<A, I>): Column<A, I> => ({ ...column, name })

/**
 * A column added after its table.
 *
 * @category columns
 */
export const withDefault = <A, I>(column: Column<A, I>, value: A & I): Column<A, I> => {
  const stored = column.encode(value)
  const sql = stored instanceof Uint8Array
    ? `x'${Buffer.from(stored).toString("hex")}'`
    : typeof stored === "string"
    ? `'${stored.replaceAll("'", "''")}'`
    : String(stored)
  return { ...column, fallback: { value, sql } }
}

/**
 * A row number that the database assigns and never reuses.
 *
 * @category columns
 */
export const generated = { ...integer, isGenerated: true } as const

/**
 * A field of a record, and the column that stores the field.
 *
 * @category models
 */
export type FieldColumn = readonly [field: string, column: AnyColumn]

/**
 * Makes the function that stores fields of a record: one value for each of the columns, in their order. The record must have
 * the values that the columns take.
 *
 * @category rows
 */
export const rowWriter = (
  columns: ReadonlyArray<FieldColumn>
): (record: Readonly<Record<string, unknown>>) => ReadonlyArray<SqlValue> => {
  const fields = columns.map(([name, { encode }]) => ({ name, encode }))
  // A cast: the caller's record has what each of the columns takes.
  return (record) => fields.map(({ encode, name }) => encode(record[name] as never))
}

/**
 * Makes the function that reads a row whose cells are in the order of the columns. `form` says whether these are the cells
 * themselves or their {@link Column.toJson}. Throws for a cell that its column can't read.
 *
 * @category rows
 */
export const rowReader = (
  columns: ReadonlyArray<FieldColumn>,
  form: "cells" | "json"
): (row: Row) => Record<string, unknown> => {
  const fields = columns.map(([name, { decode, fromJson = decode }], position) => ({
    name,
    decode: form === "json" ? fromJson : decode,
    position
  }))
  return (row) => {
    const record: Record<string, unknown> = {}
    for (const { decode, name, position } of fields) record[name] = decode(row[position], name)
    return record
  }
}
