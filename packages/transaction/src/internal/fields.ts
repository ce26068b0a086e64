import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js"
import { fromBytes, type Hex, isHex } from "../Hex.js"
import type { Faults } from "./faults.js"
import type { Item } from "./rlp.js"

const none = new Uint8Array(0)

export const uint64 = 64
export const uint256 = 256

const isList = (item: Item | undefined): item is ReadonlyArray<Item> => Array.isArray(item)

export const readBytes = (item: Item | undefined, path: string, faults: Faults): Uint8Array => {
  if (item instanceof Uint8Array) {
    return item
  }
  faults.add("WrongShape", path, item === undefined ? "is missing" : "is a list where bytes belong")
  return none
}

export const readList = (item: Item | undefined, path: string, faults: Faults): ReadonlyArray<Item> => {
  if (isList(item)) {
    return item
  }
  faults.add("WrongShape", path, item === undefined ? "is missing" : "is bytes where a list belongs")
  return []
}

export const expectLength = (items: ReadonlyArray<Item>, length: number, path: string, faults: Faults): void => {
  if (items.length !== length) {
    faults.add("WrongShape", path, `the list has ${items.length} elements instead of ${length}`)
  }
}

export const readQuantity = (item: Item | undefined, bits: number, path: string, faults: Faults): bigint => {
  const bytes = readBytes(item, path, faults)
  if (bytes.length === 0) {
    return 0n
  }
  if (bytes[0] === 0) {
    faults.add("LeadingZero", path, "an integer has no leading zero bytes; zero is the empty string")
    return 0n
  }
  if (bytes.length * 8 > bits) {
    faults.add("OutOfRange", path, `does not fit in ${bits} bits`)
    return 0n
  }
  return BigInt(`0x${bytesToHex(bytes)}`)
}

/** Reads an unsigned integer that a JavaScript number can represent exactly. */
export const readNumber = (item: Item | undefined, bits: number, path: string, faults: Faults): number => {
  const value = readQuantity(item, bits, path, faults)
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) {
    faults.add("OutOfRange", path, "is larger than 2^53 - 1")
    return 0
  }
  return Number(value)
}

export const readFixed = (item: Item | undefined, length: number, path: string, faults: Faults): Hex => {
  const bytes = readBytes(item, path, faults)
  if (bytes.length !== length) {
    faults.add("WrongShape", path, `has ${bytes.length} bytes instead of ${length}`)
  }
  return fromBytes(bytes)
}

export const readHex = (item: Item | undefined, path: string, faults: Faults): Hex =>
  fromBytes(readBytes(item, path, faults))

export const readBoolean = (item: Item | undefined, path: string, faults: Faults): boolean => {
  const value = readQuantity(item, 8, path, faults)
  if (value > 1n) {
    faults.add("OutOfRange", path, "is neither false (empty) nor true (1)")
  }
  return value === 1n
}

/** The elements of what should be a list; in a value from untyped code, missing ones are `undefined`. */
export const elements = <A>(
  list: ReadonlyArray<A> | undefined,
  path: string,
  faults: Faults
): ReadonlyArray<A | undefined> => {
  if (Array.isArray(list)) {
    return Array.from(list)
  }
  faults.add("WrongShape", path, list === undefined ? "is missing" : "is not a list")
  return []
}

export const writeBytes = (value: Hex | undefined, path: string, faults: Faults): Uint8Array => {
  if (isHex(value)) {
    return hexToBytes(value.slice(2))
  }
  faults.add(
    value === undefined ? "WrongShape" : "NotHex",
    path,
    value === undefined ? "is missing" : "is not hexadecimal text: expected 0x and an even number of digits"
  )
  return none
}

export const writeFixed = (value: Hex | undefined, length: number, path: string, faults: Faults): Uint8Array => {
  const bytes = writeBytes(value, path, faults)
  if (bytes.length !== length) {
    faults.add("WrongShape", path, `has ${bytes.length} bytes instead of ${length}`)
  }
  return bytes
}

export const writeQuantity = (
  value: bigint | undefined,
  bits: number,
  path: string,
  faults: Faults
): Uint8Array => {
  if (typeof value !== "bigint") {
    faults.add("WrongShape", path, value === undefined ? "is missing" : "is not a bigint")
    return none
  }
  if (value < 0n || value >> BigInt(bits) > 0n) {
    faults.add("OutOfRange", path, `is not an unsigned integer of ${bits} bits`)
    return none
  }
  return quantityBytes(value)
}

export const writeNumber = (
  value: number | undefined,
  min: number,
  max: number,
  path: string,
  faults: Faults
): Uint8Array => {
  if (typeof value !== "number") {
    faults.add("WrongShape", path, value === undefined ? "is missing" : "is not a number")
    return none
  }
  if (!Number.isSafeInteger(value) || value < min || value > max) {
    faults.add("OutOfRange", path, `is not an integer from ${min} to ${max}`)
    return none
  }
  return quantityBytes(BigInt(value))
}

export const writeBoolean = (value: boolean | undefined, path: string, faults: Faults): Uint8Array => {
  if (typeof value !== "boolean") {
    faults.add("WrongShape", path, value === undefined ? "is missing" : "is neither true nor false")
  }
  return value === true ? Uint8Array.of(1) : none
}

/** Big-endian without leading zero bytes; zero is empty. */
const quantityBytes = (value: bigint): Uint8Array => {
  if (value === 0n) {
    return none
  }
  const digits = value.toString(16)
  return hexToBytes(digits.length % 2 === 0 ? digits : `0${digits}`)
}

/** 32 bytes, padded. The value must fit. */
export const wordBytes = (value: bigint): Uint8Array => hexToBytes(value.toString(16).padStart(64, "0"))
