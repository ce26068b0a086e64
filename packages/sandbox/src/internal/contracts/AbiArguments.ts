import { concatBytes, hexToBytes, setLengthLeft, setLengthRight } from "@ethereumjs/util"
import { selector } from "./Abi.js"

/** An argument as it comes in JSON: its ABI type, and its value as a number, a text, a boolean or a list of them. */
export interface AbiArgument {
  readonly type: string
  readonly value: unknown
}

interface Encoded {
  readonly dynamic: boolean
  readonly bytes: Uint8Array
}

const word = (value: bigint): Uint8Array => setLengthLeft(hexToBytes(`0x${even(value.toString(16))}`), 32)

const even = (digits: string): string => digits.length % 2 === 0 ? digits : `0${digits}`

const padded = (bytes: Uint8Array): Uint8Array => setLengthRight(bytes, Math.ceil(bytes.length / 32) * 32)

const fixed = (bytes: Uint8Array): Encoded => ({ dynamic: false, bytes })

const integerOf = (value: unknown): bigint | undefined => {
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : undefined
  return typeof value === "string" && /^(?:-?\d+|0x[0-9a-f]+)$/i.test(value) ? BigInt(value) : undefined
}

const bytesOf = (value: unknown): Uint8Array | undefined =>
  typeof value === "string" && /^0x(?:[0-9a-f]{2})*$/i.test(value) ? hexToBytes(`0x${value.slice(2)}`) : undefined

const integer = (value: unknown, signed: boolean, bits: number): Encoded | undefined => {
  const number = integerOf(value)
  if (number === undefined || bits % 8 !== 0 || bits < 8 || bits > 256) return undefined
  const kept = signed ? BigInt.asIntN(bits, number) : BigInt.asUintN(bits, number)
  return kept === number ? fixed(word(BigInt.asUintN(256, number))) : undefined
}

const dynamic = (bytes: Uint8Array): Encoded => ({
  dynamic: true,
  bytes: concatBytes(word(BigInt(bytes.length)), padded(bytes))
})

/** Heads, then what they point to. */
const sequence = (items: ReadonlyArray<Encoded>): Uint8Array => {
  let offset = items.reduce((size, item) => size + (item.dynamic ? 32 : item.bytes.length), 0)
  const heads: Array<Uint8Array> = []
  for (const item of items) {
    heads.push(item.dynamic ? word(BigInt(offset)) : item.bytes)
    if (item.dynamic) offset += item.bytes.length
  }
  return concatBytes(...heads, ...items.flatMap((item) => item.dynamic ? [item.bytes] : []))
}

const list = (type: string, length: string, value: unknown): Encoded | undefined => {
  if (!Array.isArray(value) || (length !== "" && value.length !== Number(length))) return undefined
  const items = value.map((item) => encodeOne(type, item))
  if (!items.every((item) => item !== undefined)) return undefined
  const bytes = sequence(items)
  if (length === "") return { dynamic: true, bytes: concatBytes(word(BigInt(value.length)), bytes) }
  return { dynamic: items.some((item) => item.dynamic), bytes }
}

const encodeOne = (type: string, value: unknown): Encoded | undefined => {
  const [, inner, length] = /^(.+)\[(\d*)\]$/.exec(type) ?? []
  if (inner !== undefined && length !== undefined) return list(inner, length, value)
  const [, sign, bits] = /^(u?)int(\d*)$/.exec(type) ?? []
  if (sign !== undefined) return integer(value, sign === "", bits === "" ? 256 : Number(bits))
  if (type === "bool") {
    return value === true || value === "true"
      ? fixed(word(1n))
      : value === false || value === "false"
      ? fixed(word(0n))
      : undefined
  }
  if (type === "string") return typeof value === "string" ? dynamic(new TextEncoder().encode(value)) : undefined
  const bytes = bytesOf(value)
  if (bytes === undefined) return undefined
  if (type === "bytes") return dynamic(bytes)
  if (type === "address") return bytes.length === 20 ? fixed(setLengthLeft(bytes, 32)) : undefined
  const [, size] = /^bytes(\d+)$/.exec(type) ?? []
  return size !== undefined && Number(size) <= 32 && bytes.length === Number(size)
    ? fixed(setLengthRight(bytes, 32))
    : undefined
}

/** Call data of a method by its arguments; nothing when a value does not fit its type. Structs are not known. */
export const encodeMethod = (method: string, given: ReadonlyArray<AbiArgument>): Uint8Array | undefined => {
  const items = given.map(({ type, value }) => encodeOne(type, value))
  const types = given.map(({ type }) => type.replace(/^(u?int)(?=\[|$)/, "$1256"))
  return items.every((item) => item !== undefined)
    ? concatBytes(selector(`${method}(${types.join(",")})`), sequence(items))
    : undefined
}
