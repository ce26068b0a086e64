import type { Hex } from "@effect-klaytn/transaction/Hex"
import { Numeral } from "./Json.js"

/**
 * Why a value is not what a parameter takes, in the words of a node: either a message, or what was found and the name
 * of the type that was wanted, which reads differently inside an object.
 */
export class Unreadable {
  constructor(readonly message: string, readonly wanted?: string) {}

  /** The whole text; `field` is the place inside an object. */
  text(field?: string): string {
    if (this.wanted === undefined) return this.message
    const where = field === undefined ? "value" : `struct field ${field}`
    return `json: cannot unmarshal ${this.message} into Go ${where} of type ${this.wanted}`
  }
}

/** Reads a parameter. `optional`: it may be left out or null. */
export interface Reader<A> {
  readonly optional: boolean
  readonly read: (value: unknown) => A | Unreadable
}

export const reader = <A>(read: (value: unknown) => A | Unreadable): Reader<A> => ({ optional: false, read })

export const optional = <A>({ read }: Reader<A>): Reader<A | undefined> => ({
  optional: true,
  read: (value) => value === undefined || value === null ? undefined : read(value)
})

/** What a value is, in the words of a node. */
export const kindOf = (value: unknown): string =>
  typeof value === "string"
    ? "string"
    : typeof value === "number" || value instanceof Numeral
    ? "number"
    : typeof value === "boolean"
    ? "bool"
    : Array.isArray(value)
    ? "array"
    : "object"

const notHex = {
  empty: "empty hex string",
  syntax: "invalid hex string",
  prefix: "hex string without 0x prefix",
  odd: "hex string of odd length",
  number: "hex string \"0x\"",
  zeros: "hex number with leading zero digits"
} as const

const hasPrefix = (text: string): boolean => text.startsWith("0x") || text.startsWith("0X")
const isHex = (digits: string): boolean => /^[0-9a-f]*$/i.test(digits)
const lower = (digits: string): Hex => `0x${digits.toLowerCase()}`

/** Bytes of a fixed length. */
const fixed = (length: number, type: string): Reader<Hex> =>
  reader((value) => {
    if (typeof value !== "string") return new Unreadable("non-string", type)
    if (value !== "" && !hasPrefix(value)) return new Unreadable(notHex.prefix, type)
    const digits = value.slice(2)
    if (digits.length % 2 !== 0) return new Unreadable(notHex.odd, type)
    if (digits.length !== 2 * length) {
      return new Unreadable(`hex string has length ${digits.length}, want ${2 * length} for ${type}`)
    }
    return isHex(digits) ? lower(digits) : new Unreadable(notHex.syntax, type)
  })

/** An address, in lower case. */
export const address = fixed(20, "common.Address")

/** A hash, in lower case. */
export const hash = fixed(32, "common.Hash")

/** Bytes, in lower case. */
export const data: Reader<Hex> = reader((value) => {
  const type = "hexutil.Bytes"
  if (typeof value !== "string") return new Unreadable("non-string", type)
  if (value === "") return "0x"
  if (!hasPrefix(value)) return new Unreadable(notHex.prefix, type)
  const digits = value.slice(2)
  if (digits.length % 2 !== 0) return new Unreadable(notHex.odd, type)
  return isHex(digits) ? lower(digits) : new Unreadable(notHex.syntax, type)
})

/** The number in a shortest hex text, or what is wrong with it. */
const quantityOf = (text: string, bits: number): bigint | string => {
  if (!hasPrefix(text)) return notHex.prefix
  const digits = text.slice(2)
  if (digits === "") return notHex.number
  if (digits.length > 1 && digits.startsWith("0")) return notHex.zeros
  if (digits.length > bits / 4) return `hex number > ${bits} bits`
  return isHex(digits) ? BigInt(`0x${digits}`) : notHex.syntax
}

const quantity = (bits: number, type: string): Reader<bigint> =>
  reader((value) => {
    if (typeof value !== "string") return new Unreadable("non-string", type)
    if (value === "") return 0n
    const number = quantityOf(value, bits)
    return typeof number === "bigint" ? number : new Unreadable(number, type)
  })

/** A quantity of up to 256 bits. */
export const big = quantity(256, "*hexutil.Big")

/** A quantity of up to 64 bits. */
export const uint64 = quantity(64, "hexutil.Uint64")

/** The same as the place of a transaction. */
export const index = quantity(64, "hexutil.Uint")

/** A JSON number that is whole, not negative and of 64 bits. */
const wholeOf = (value: unknown): bigint | undefined => {
  const text = value instanceof Numeral ? value.text : typeof value === "number" ? String(value) : ""
  if (!/^\d{1,20}$/.test(text)) return undefined
  const whole = BigInt(text)
  return whole < 2n ** 64n ? whole : undefined
}

/** The whole number of a JSON number or of a shortest hex text, or what is wrong with it. */
export const heightOf = (value: unknown): bigint | string => {
  const whole = wholeOf(value)
  if (whole !== undefined) return whole
  if (typeof value !== "string") return notHex.prefix
  return value === "" ? notHex.empty : quantityOf(value, 64)
}

export const bool: Reader<boolean> = reader((value) =>
  value === null ? false : typeof value === "boolean" ? value : new Unreadable(kindOf(value), "bool")
)

export const text: Reader<string> = reader((value) =>
  value === null ? "" : typeof value === "string" ? value : new Unreadable(kindOf(value), "string")
)

/** A list whose items all read. */
export const list = <A>(item: Reader<A>, type: string): Reader<ReadonlyArray<A>> =>
  reader((value) => {
    if (value === null) return []
    if (!Array.isArray(value)) return new Unreadable(kindOf(value), type)
    const items: Array<A> = []
    for (const one of value) {
      const read = item.read(one)
      if (read instanceof Unreadable) return read
      items.push(read)
    }
    return items
  })

/** Is it an object, and neither a list nor a number? */
export const isRecord = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Numeral)

/** Data as it stands in a topic or in a list of addresses: `0x` is needed, and the length given. */
export const exactData = (value: string, length: number, what: string): Hex | string => {
  if (value === "") return notHex.empty
  if (!hasPrefix(value)) return notHex.prefix
  const digits = value.slice(2)
  if (!isHex(digits)) return notHex.syntax
  if (digits.length % 2 !== 0) return notHex.odd
  return digits.length === 2 * length
    ? lower(digits)
    : `hex has invalid length ${digits.length / 2} after decoding; expected ${length} for ${what}`
}
