import type { Hex } from "@effect-klaytn/transaction/Hex"
import type { Row } from "./Driver.js"

/** A stored value was not of the type its column has: the file was written by something else. */
const unexpected = (index: number, expected: string): never => {
  throw new TypeError(`column ${index} of a stored row is not ${expected}`)
}

/** A whole number. */
export const integer = (row: Row, index: number): number => {
  const value = row[index]
  return typeof value === "number" ? value : unexpected(index, "a number")
}

/** Text. */
export const text = (row: Row, index: number): string => {
  const value = row[index]
  return typeof value === "string" ? value : unexpected(index, "text")
}

/** Bytes. */
export const bytes = (row: Row, index: number): Uint8Array => {
  const value = row[index]
  return value instanceof Uint8Array ? value : unexpected(index, "bytes")
}

/** Bytes as lower-case 0x text. */
export const hex = (row: Row, index: number): Hex => toHex(bytes(row, index))

/** Big-endian bytes as a number. */
export const amount = (row: Row, index: number): bigint => {
  const digits = Buffer.from(bytes(row, index)).toString("hex")
  return digits === "" ? 0n : BigInt(`0x${digits}`)
}

/** Null as undefined, anything else by the given reader. */
export const optional = <A>(read: (row: Row, index: number) => A) => (row: Row, index: number): A | undefined =>
  row[index] === null ? undefined : read(row, index)

/** Bytes to lower-case 0x text. */
export const toHex = (value: Uint8Array): Hex =>
  `0x${Buffer.from(value.buffer, value.byteOffset, value.length).toString("hex")}`

/** 0x text to bytes, in the form the database wants. */
export const blob = (hexText: string): Uint8Array => Buffer.from(hexText.slice(2), "hex")

/** The same for what may be absent. */
export const blobOrNull = (hexText: string | undefined): Uint8Array | null =>
  hexText === undefined ? null : blob(hexText)

/** A number to big-endian bytes without leading zeros; zero is empty. */
export const amountBlob = (value: bigint): Uint8Array => {
  if (value === 0n) return new Uint8Array(0)
  const digits = value.toString(16)
  return Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, "hex")
}
