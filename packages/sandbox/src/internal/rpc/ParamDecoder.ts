import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Either from "effect/Either"
import { Numeral } from "./Json.js"

/**
 * Why a value is not what a parameter takes, in the words of a node: either a message, or what was found and the name
 * of the type that was wanted, which reads differently inside an object.
 */
export class ParamError {
  constructor(readonly message: string, readonly wanted?: string) {}

  /** The whole text; `field` is the place inside an object. */
  text(field?: string): string {
    if (this.wanted === undefined) return this.message
    const where = field === undefined ? "value" : `struct field ${field}`
    return `json: cannot unmarshal ${this.message} into Go ${where} of type ${this.wanted}`
  }

  /** The same of a field of an object. */
  inField(field: string): ParamError {
    return new ParamError(this.text(field))
  }
}

export type Decoded<A> = Either.Either<A, ParamError>

/**
 * Decodes a parameter. `optional`: it may be left out or null. `isPresent`: as a field, null is not the same as nothing. `isMore`: no
 * node of release 2.2.1 takes it.
 */
export interface ParamDecoder<A> {
  readonly optional: boolean
  readonly isPresent?: boolean
  readonly isMore?: boolean
  readonly decode: (value: unknown) => Decoded<A>
}

/** Fails with a {@link ParamError}. */
export const fail = (message: string, wanted?: string): Either.Either<never, ParamError> =>
  Either.left(new ParamError(message, wanted))

/** Fails for a value of another JSON type than `wanted`. */
export const wrongType = (value: unknown, wanted: string): Either.Either<never, ParamError> =>
  fail(kindOf(value), wanted)

export const make = <A>(decode: (value: unknown) => Decoded<A>): ParamDecoder<A> => ({ optional: false, decode })

export const optional = <A>({ decode }: ParamDecoder<A>): ParamDecoder<A | undefined> => ({
  optional: true,
  decode: (value) => value === undefined || value === null ? Either.right(undefined) : decode(value)
})

/** A field that may be left out, and is not null. */
export const present = <A>(decoder: ParamDecoder<A>): ParamDecoder<A> => ({ ...decoder, isPresent: true })

/** A parameter that no node of release 2.2.1 takes. */
export const more = <A>(decoder: ParamDecoder<A>): ParamDecoder<A> => ({ ...decoder, isMore: true })

/** A node's name for the JSON type of a value. */
const kindOf = (value: unknown): string =>
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

/** Bytes in lower case, of a length if one is given. */
export const bytes = (type: string, length?: number): ParamDecoder<Hex> =>
  make((value) => {
    if (typeof value !== "string") return fail("non-string", type)
    if (value !== "" && !hasPrefix(value)) return fail(notHex.prefix, type)
    const digits = value.slice(2)
    if (digits.length % 2 !== 0) return fail(notHex.odd, type)
    if (length !== undefined && digits.length !== 2 * length) {
      return fail(`hex string has length ${digits.length}, want ${2 * length} for ${type}`)
    }
    return isHex(digits) ? Either.right(lower(digits)) : fail(notHex.syntax, type)
  })

/** An address, in lower case. */
export const address = bytes("common.Address", 20)

/** A hash, in lower case. */
export const hash = bytes("common.Hash", 32)

/** Bytes, in lower case. */
export const data = bytes("hexutil.Bytes")

/** The number in a shortest hex text, or what is wrong with it. */
const quantityOf = (text: string, bits: number): Either.Either<bigint, string> => {
  if (!hasPrefix(text)) return Either.left(notHex.prefix)
  const digits = text.slice(2)
  if (digits === "") return Either.left(notHex.number)
  if (digits.length > 1 && digits.startsWith("0")) return Either.left(notHex.zeros)
  if (digits.length > bits / 4) return Either.left(`hex number > ${bits} bits`)
  return isHex(digits) ? Either.right(BigInt(`0x${digits}`)) : Either.left(notHex.syntax)
}

const quantityOfBits = (bits: number, type: string): ParamDecoder<bigint> =>
  make((value) => {
    if (typeof value !== "string") return fail("non-string", type)
    if (value === "") return Either.right(0n)
    return Either.mapLeft(quantityOf(value, bits), (problem) => new ParamError(problem, type))
  })

/** A quantity of up to 256 bits. */
export const big = quantityOfBits(256, "*hexutil.Big")

/** A quantity of up to 64 bits. */
export const uint64 = quantityOfBits(64, "hexutil.Uint64")

/** The same as the place of a transaction. */
export const index = quantityOfBits(64, "hexutil.Uint")

/** A JSON number that is whole, not negative and of 64 bits. */
const wholeOf = (value: unknown): bigint | undefined => {
  const text = value instanceof Numeral ? value.text : typeof value === "number" ? String(value) : ""
  if (!/^\d{1,20}$/.test(text)) return undefined
  const whole = BigInt(text)
  return whole < 2n ** 64n ? whole : undefined
}

const integer = (type: string, least: bigint, most: bigint): ParamDecoder<number> =>
  make((value) => {
    const text = value instanceof Numeral ? value.text : typeof value === "number" ? String(value) : undefined
    if (text === undefined) return wrongType(value, type)
    const isWhole = /^-?\d{1,20}$/.test(text) && BigInt(text) >= least && BigInt(text) <= most
    return isWhole ? Either.right(Number(text)) : fail(`number ${text}`, type)
  })

/** A JSON number that is whole. */
export const int = integer("int", -(2n ** 63n), 2n ** 63n - 1n)

/** The same, not negative. */
export const uint = integer("uint64", 0n, 2n ** 64n - 1n)

/** The whole number of a JSON number or of a shortest hex text. */
export const decodeHeight = (value: unknown): Decoded<bigint> => {
  const whole = wholeOf(value)
  if (whole !== undefined) return Either.right(whole)
  if (typeof value !== "string") return fail(notHex.prefix)
  return value === ""
    ? fail(notHex.empty)
    : Either.mapLeft(quantityOf(value, 64), (problem) =>
      // These digits are read one by one, until there are too many.
      new ParamError(isHex(value.slice(2, 18)) || !problem.startsWith("hex number >") ? problem : notHex.syntax))
}

export const bool: ParamDecoder<boolean> = make((value) =>
  value === null ? Either.right(false) : typeof value === "boolean" ? Either.right(value) : wrongType(value, "bool")
)

const textOf = (type: string): ParamDecoder<string> =>
  make((value) =>
    value === null ? Either.right("") : typeof value === "string" ? Either.right(value) : wrongType(value, type)
  )

export const text = textOf("string")

/** The identifier of a filter or a subscription, which may be any text. */
export const id = textOf("rpc.ID")

/** A list whose items all decode. */
export const list = <A>(item: ParamDecoder<A>, type: string): ParamDecoder<ReadonlyArray<A>> =>
  make((value) => {
    if (value === null) return Either.right([])
    return Array.isArray(value) ? Either.all(value.map(item.decode)) : wrongType(value, type)
  })

/** Whether a value is an object, and neither a list nor a number. */
export const isRecord = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Numeral)

/** Of some names the one that a key means: a node reads keys in any case. */
export const nameOf = <Name extends string>(key: string, names: ReadonlyArray<Name>): Name | undefined =>
  names.find((name) => name === key) ?? names.find((name) => name.toLowerCase() === key.toLowerCase())

/** The fields of an object that have these names, in any case; of several the last. */
export const fieldsOf = <const Name extends string>(
  value: { readonly [key: string]: unknown },
  ...names: ReadonlyArray<Name>
): { readonly [K in Name]?: unknown } => {
  const found: { [K in Name]?: unknown } = {}
  for (const [key, field] of Object.entries(value)) {
    const name = nameOf(key, names)
    if (name !== undefined) found[name] = field
  }
  return found
}

/** Decodes data of a fixed length, as in a topic or a list of addresses; `0x` is required. */
export const exactData = (value: string, length: number): Decoded<Hex> => {
  if (value === "") return fail(notHex.empty)
  if (!hasPrefix(value)) return fail(notHex.prefix)
  const digits = value.slice(2)
  if (!isHex(digits)) return fail(notHex.syntax)
  if (digits.length % 2 !== 0) return fail(notHex.odd)
  return digits.length === 2 * length
    ? Either.right(lower(digits))
    : fail(`hex has invalid length ${digits.length / 2} after decoding`)
}
