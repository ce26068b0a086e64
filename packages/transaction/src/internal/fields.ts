import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js"
import { fromBytes, type Hex, isHex } from "../Hex.js"
import type { Faults } from "./faults.js"
import type { Encodable, Item } from "./rlp.js"

/**
 * How a field is read and written. Both record a fault at `path` for what they refuse, and return a placeholder. A
 * missing value is `undefined`; one from untyped code may be anything.
 */
export interface Field<A, E extends Encodable = Uint8Array> {
  readonly read: (item: Item | undefined, path: string, faults: Faults) => A
  readonly write: (value: A | undefined, path: string, faults: Faults) => E
}

const none = new Uint8Array(0)

/** The path of an element; the whole value has the empty path. */
export const at = (path: string, element: string): string => path === "" ? element : `${path}.${element}`

const isList = (item: Item | undefined): item is ReadonlyArray<Item> => Array.isArray(item)

export const readBytes = (item: Item | undefined, path: string, faults: Faults): Uint8Array => {
  if (item instanceof Uint8Array) return item
  faults.add("WrongShape", path, item === undefined ? "is missing" : "is a list where bytes belong")
  return none
}

export const readList = (item: Item | undefined, path: string, faults: Faults): ReadonlyArray<Item> => {
  if (isList(item)) return item
  faults.add("WrongShape", path, item === undefined ? "is missing" : "is bytes where a list belongs")
  return []
}

export const expectLength = (items: ReadonlyArray<Item>, length: number, path: string, faults: Faults): void => {
  if (items.length !== length) {
    faults.add("WrongShape", path, `the list has ${items.length} elements instead of ${length}`)
  }
}

/** The elements of a list. In a value from untyped code, missing ones are `undefined`. */
export const elements = <A>(
  list: ReadonlyArray<A> | undefined,
  path: string,
  faults: Faults
): ReadonlyArray<A | undefined> => {
  if (Array.isArray(list)) return Array.from(list)
  faults.add("WrongShape", path, list === undefined ? "is missing" : "is not a list")
  return []
}

/** A list whose elements have one form. */
export const list = <A>(element: Field<A, Encodable>): Field<ReadonlyArray<A>, Array<Encodable>> => ({
  read: (item, path, faults) =>
    readList(item, path, faults).map((one, i) => element.read(one, `${path}[${i}]`, faults)),
  write: (values, path, faults) =>
    elements(values, path, faults).map((one, i) => element.write(one, `${path}[${i}]`, faults))
})

/** A record, which is encoded as the list of its parts in this order. */
export const record = <A extends object>(
  parts: { readonly [K in keyof A]-?: Field<A[K], Encodable> }
): Field<A, Array<Encodable>> => {
  // The parts have all keys of the record and no others.
  const names = Object.keys(parts) as Array<keyof A & string>
  return {
    read: (item, path, faults) => {
      const items = readList(item, path, faults)
      expectLength(items, names.length, path, faults)
      const values = names.map((name, i) => [name, parts[name].read(items[i], at(path, name), faults)])
      // Each key has the value that its part has read.
      return Object.fromEntries(values) as A
    },
    write: (value, path, faults) => names.map((name) => parts[name].write(value?.[name], at(path, name), faults))
  }
}

/** Bytes of any length, as hexadecimal text. */
export const hex: Field<Hex> = {
  read: (item, path, faults) => fromBytes(readBytes(item, path, faults)),
  write: (value, path, faults) => {
    if (isHex(value)) return hexToBytes(value.slice(2))
    faults.add(
      value === undefined ? "WrongShape" : "NotHex",
      path,
      value === undefined ? "is missing" : "is not hexadecimal text: expected 0x and an even number of digits"
    )
    return none
  }
}

/** Bytes of a fixed length, as hexadecimal text. */
export const fixed = (length: number): Field<Hex> => {
  const check = (bytes: Uint8Array, path: string, faults: Faults): Uint8Array => {
    if (bytes.length !== length) {
      faults.add("WrongShape", path, `has ${bytes.length} bytes instead of ${length}`)
    }
    return bytes
  }
  return {
    read: (item, path, faults) => fromBytes(check(readBytes(item, path, faults), path, faults)),
    write: (value, path, faults) => check(hex.write(value, path, faults), path, faults)
  }
}

export const address = fixed(20)

/** Big-endian without leading zero bytes; zero is empty. */
const quantityBytes = (value: bigint): Uint8Array => {
  if (value === 0n) return none
  const digits = value.toString(16)
  return hexToBytes(digits.length % 2 === 0 ? digits : `0${digits}`)
}

const quantity = (bits: number): Field<bigint> => ({
  read: (item, path, faults) => {
    const bytes = readBytes(item, path, faults)
    if (bytes.length === 0) return 0n
    if (bytes[0] === 0) {
      faults.add(
        "LeadingZero",
        path,
        "has leading zero bytes, which an integer must not have; zero is the empty string"
      )
      return 0n
    }
    if (bytes.length * 8 > bits) {
      faults.add("OutOfRange", path, `does not fit in ${bits} bits`)
      return 0n
    }
    return BigInt(`0x${bytesToHex(bytes)}`)
  },
  write: (value, path, faults) => {
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
})

export const uint64 = quantity(64)
export const uint256 = quantity(256)

/** An integer in a range that a JavaScript number can represent exactly. */
export const integer = (min: number, max: number): Field<number> => ({
  read: (item, path, faults) => {
    const value = uint64.read(item, path, faults)
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) {
      faults.add("OutOfRange", path, "is larger than 2^53 - 1")
      return 0
    }
    if (value < min || value > max) faults.add("OutOfRange", path, `is not an integer from ${min} to ${max}`)
    return Number(value)
  },
  write: (value, path, faults) => {
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
})

export const boolean: Field<boolean> = {
  read: (item, path, faults) => {
    const value = quantity(8).read(item, path, faults)
    if (value > 1n) faults.add("OutOfRange", path, "is neither false (empty) nor true (1)")
    return value === 1n
  },
  write: (value, path, faults) => {
    if (typeof value !== "boolean") {
      faults.add("WrongShape", path, value === undefined ? "is missing" : "is neither true nor false")
    }
    return value === true ? Uint8Array.of(1) : none
  }
}

/** 32 bytes, padded. The value must fit. */
export const wordBytes = (value: bigint): Uint8Array => hexToBytes(value.toString(16).padStart(64, "0"))
