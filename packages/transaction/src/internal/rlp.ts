import { RLP } from "@ethereumjs/rlp"
import type { Faults } from "./faults.js"

/** An item to encode: a byte string or a list of items. */
export type Encodable = Uint8Array | Array<Encodable>

/** A decoded item. Byte strings are views into the input. */
export type Item = Uint8Array | ReadonlyArray<Item>

export const encode = (item: Encodable): Uint8Array => RLP.encode(item)

// The deepest nesting is an access list inside a transaction with blobs: 5 lists.
const maxDepth = 5

interface Cursor {
  readonly bytes: Uint8Array
  readonly path: string
  readonly faults: Faults
  at: number
}

/**
 * Decodes one item that fills the bytes exactly. Stricter than a general decoder: only the shortest form of each length
 * is accepted, nesting is bounded, every error is typed, and nothing is copied.
 */
export const decode = (bytes: Uint8Array, path: string, faults: Faults): Item | undefined => {
  const cursor: Cursor = { bytes, path, faults, at: 0 }
  const item = read(cursor, bytes.length, 0)
  if (item !== undefined && cursor.at < bytes.length) {
    faults.add("TrailingBytes", path, `${bytes.length - cursor.at} bytes are left after the last element; remove them`)
    return undefined
  }
  return item
}

const read = (cursor: Cursor, end: number, depth: number): Item | undefined => {
  const prefix = cursor.bytes[cursor.at]
  if (prefix === undefined || cursor.at >= end) return truncated(cursor)
  cursor.at++
  if (prefix < 0x80) return cursor.bytes.subarray(cursor.at - 1, cursor.at)
  const isList = prefix >= 0xc0
  const short = prefix - (isList ? 0xc0 : 0x80)
  const length = short <= 55 ? short : readLength(cursor, short - 55, end)
  if (length === undefined) return undefined
  const stop = cursor.at + length
  if (stop > end) return truncated(cursor)
  if (isList) return readList(cursor, stop, depth + 1)
  const start = cursor.at
  cursor.at = stop
  const only = cursor.bytes[start]
  if (length === 1 && only !== undefined && only < 0x80) {
    return nonCanonical(cursor, "a single byte below 0x80 must stand for itself")
  }
  return cursor.bytes.subarray(start, stop)
}

const readList = (cursor: Cursor, stop: number, depth: number): ReadonlyArray<Item> | undefined => {
  if (depth > maxDepth) {
    cursor.faults.add(
      "WrongShape",
      cursor.path,
      `lists are nested deeper than in any transaction, at byte ${cursor.at}`
    )
    return undefined
  }
  const items: Array<Item> = []
  while (cursor.at < stop) {
    const item = read(cursor, stop, depth)
    if (item === undefined) return undefined
    items.push(item)
  }
  return items
}

const readLength = (cursor: Cursor, size: number, end: number): number | undefined => {
  if (cursor.at + size > end || size > 6) return truncated(cursor)
  if (cursor.bytes[cursor.at] === 0) return nonCanonical(cursor, "a length has a leading zero byte")
  let length = 0
  for (let i = 0; i < size; i++) {
    length = length * 256 + (cursor.bytes[cursor.at + i] ?? 0)
  }
  cursor.at += size
  return length < 56 ? nonCanonical(cursor, "a length below 56 must be part of the prefix byte") : length
}

const truncated = (cursor: Cursor): undefined =>
  cursor.faults.add(
    "Truncated",
    cursor.path,
    `the bytes end inside the element at byte ${cursor.at}; the end is missing`
  )

const nonCanonical = (cursor: Cursor, rule: string): undefined =>
  cursor.faults.add("NonCanonicalRlp", cursor.path, `${rule} (before byte ${cursor.at}); encode it again canonically`)
