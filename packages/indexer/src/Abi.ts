/**
 * The part of contracts' ABI that token contracts need: calls, topics, and answers that may be anything.
 */
import { fromBytes, type Hex } from "@effect-klaytn/transaction/Hex"
import { bytesToBigInt, concatBytes, hexToBytes, setLengthLeft, setLengthRight } from "@ethereumjs/util"
import { keccak_256 } from "@noble/hashes/sha3.js"

/**
 * An argument of a call: an integer or boolean, an address or fixed bytes (hex), a string, or a list.
 *
 * @category models
 */
export type AbiValue = bigint | boolean | string | ReadonlyArray<bigint>

const utf8 = new TextEncoder()
const word = (value: bigint): Uint8Array => {
  const bytes = new Uint8Array(32)
  for (let i = 31, rest = BigInt.asUintN(256, value); rest > 0n; i--, rest >>= 8n) bytes[i] = Number(rest & 0xffn)
  return bytes
}

/** An encoded value: a static one is part of the head, a dynamic one of the tail, with its offset in the head. */
interface Encoded {
  readonly dynamic: boolean
  readonly bytes: Uint8Array
}

const encodeStatic = (bytes: Uint8Array): Encoded => ({ dynamic: false, bytes })

/** A length in bytes or items, then the content, padded to whole words. */
const encodeDynamic = (bytes: Uint8Array, length = bytes.length): Encoded => ({
  dynamic: true,
  bytes: concatBytes(word(BigInt(length)), setLengthRight(bytes, Math.ceil(bytes.length / 32) * 32))
})

/** The heads, then the tails that they point to. */
const encodeSequence = (items: ReadonlyArray<Encoded>): Uint8Array => {
  let offset = items.reduce((size, item) => size + (item.dynamic ? 32 : item.bytes.length), 0)
  const heads: Array<Uint8Array> = []
  for (const item of items) {
    heads.push(item.dynamic ? word(BigInt(offset)) : item.bytes)
    if (item.dynamic) offset += item.bytes.length
  }
  return concatBytes(...heads, ...items.flatMap((item) => item.dynamic ? [item.bytes] : []))
}

const selectors = new Map<string, Uint8Array>()

/** First four bytes of the Keccak-256 of a signature such as `transfer(address,uint256)`. */
const selector = (signature: string): Uint8Array => {
  const known = selectors.get(signature)
  if (known !== undefined) return known
  const bytes = keccak_256(utf8.encode(signature)).slice(0, 4)
  selectors.set(signature, bytes)
  return bytes
}

/**
 * The topic of an event: Keccak-256 of its signature.
 *
 * @category encoding
 */
export const topicOf = (signature: string): Hex => fromBytes(keccak_256(utf8.encode(signature)))

const types = (signature: string): Array<string> => {
  const inner = signature.slice(signature.indexOf("(") + 1, -1)
  return inner === "" ? [] : inner.split(",")
}

// --- arguments with types ---

const encodeValue = (type: string, value: AbiValue): Encoded => {
  if (typeof value === "bigint" || typeof value === "boolean") return encodeStatic(word(BigInt(value)))
  if (typeof value === "object") return encodeDynamic(concatBytes(...value.map(word)), value.length)
  if (type === "string") return encodeDynamic(utf8.encode(value))
  const bytes = hexToBytes(`0x${value.slice(2)}`)
  if (type === "bytes") return encodeDynamic(bytes)
  return encodeStatic(type.startsWith("bytes") ? setLengthRight(bytes, 32) : setLengthLeft(bytes, 32))
}

/**
 * Encodes arguments by the types of a signature; the signature of a constructor is like `(string,string)`.
 *
 * @category encoding
 */
export const encodeArguments = (signature: string, values: ReadonlyArray<AbiValue>): Uint8Array =>
  encodeSequence(types(signature).map((type, index) => encodeValue(type, values[index] ?? 0n)))

/**
 * Call data: selector and encoded arguments.
 *
 * @category encoding
 */
export const encodeCall = (signature: string, values: ReadonlyArray<AbiValue> = []): Uint8Array =>
  concatBytes(selector(signature), encodeArguments(signature, values))

// --- arguments as JSON ---

/**
 * An argument in JSON: its ABI type, and its value as a number, a text, a boolean or a list of them.
 *
 * @category models
 */
export interface AbiArgument {
  readonly type: string
  readonly value: unknown
}

const readInteger = (value: unknown): bigint | undefined => {
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : undefined
  return typeof value === "string" && /^(?:-?\d+|0x[0-9a-f]+)$/i.test(value) ? BigInt(value) : undefined
}

const readBytes = (value: unknown): Uint8Array | undefined =>
  typeof value === "string" && /^0x(?:[0-9a-f]{2})*$/i.test(value) ? hexToBytes(`0x${value.slice(2)}`) : undefined

const encodeInteger = (value: unknown, signed: boolean, bits: number): Encoded | undefined => {
  const number = readInteger(value)
  if (number === undefined || bits % 8 !== 0 || bits < 8 || bits > 256) return undefined
  const kept = signed ? BigInt.asIntN(bits, number) : BigInt.asUintN(bits, number)
  return kept === number ? encodeStatic(word(number)) : undefined
}

const encodeList = (type: string, length: string, value: unknown): Encoded | undefined => {
  if (!Array.isArray(value) || (length !== "" && value.length !== Number(length))) return undefined
  const items = value.map((item) => encodeJson(type, item))
  if (!items.every((item) => item !== undefined)) return undefined
  const bytes = encodeSequence(items)
  if (length === "") return encodeDynamic(bytes, value.length)
  return { dynamic: items.some((item) => item.dynamic), bytes }
}

const encodeJson = (type: string, value: unknown): Encoded | undefined => {
  const [, inner, length] = /^(.+)\[(\d*)\]$/.exec(type) ?? []
  if (inner !== undefined && length !== undefined) return encodeList(inner, length, value)
  const [, sign, bits] = /^(u?)int(\d*)$/.exec(type) ?? []
  if (sign !== undefined) return encodeInteger(value, sign === "", bits === "" ? 256 : Number(bits))
  if (type === "bool") {
    return value === true || value === "true"
      ? encodeStatic(word(1n))
      : value === false || value === "false"
      ? encodeStatic(word(0n))
      : undefined
  }
  if (type === "string") return typeof value === "string" ? encodeDynamic(utf8.encode(value)) : undefined
  const bytes = readBytes(value)
  if (bytes === undefined) return undefined
  if (type === "bytes") return encodeDynamic(bytes)
  if (type === "address") return bytes.length === 20 ? encodeStatic(setLengthLeft(bytes, 32)) : undefined
  const [, size] = /^bytes(\d+)$/.exec(type) ?? []
  return size !== undefined && Number(size) <= 32 && bytes.length === Number(size)
    ? encodeStatic(setLengthRight(bytes, 32))
    : undefined
}

/**
 * Call data of a method, or undefined if a value does not fit its type. Structs are not supported.
 *
 * @category encoding
 */
export const encodeMethod = (method: string, input: ReadonlyArray<AbiArgument>): Uint8Array | undefined => {
  const items = input.map(({ type, value }) => encodeJson(type, value))
  const types = input.map(({ type }) => type.replace(/^(u?int)(?=\[|$)/, "$1256"))
  return items.every((item) => item !== undefined)
    ? concatBytes(selector(`${method}(${types.join(",")})`), encodeSequence(items))
    : undefined
}

// --- decoding ---

/** The 32-byte word at a byte offset, or undefined if the data is shorter. */
const wordAt = (data: Uint8Array, offset: number): Uint8Array | undefined =>
  offset >= 0 && offset + 32 <= data.length ? data.subarray(offset, offset + 32) : undefined

/**
 * The integer at a byte offset, or undefined if the data is shorter.
 *
 * @category decoding
 */
export const uintAt = (data: Uint8Array, offset: number): bigint | undefined => {
  const bytes = wordAt(data, offset)
  return bytes === undefined ? undefined : bytesToBigInt(bytes)
}

/** Where the content of a dynamic value begins whose head is at a byte offset, and its length in items of some bytes. */
const dynamicAt = (
  data: Uint8Array,
  head: number,
  itemSize: number
): { readonly start: number; readonly length: number } | undefined => {
  const offset = uintAt(data, head)
  if (offset === undefined || offset > data.length) return undefined
  const length = uintAt(data, Number(offset))
  const start = Number(offset) + 32
  return length === undefined || length > (data.length - start) / itemSize
    ? undefined
    : { start, length: Number(length) }
}

/**
 * The dynamic string whose head is at a byte offset, or undefined if there is none.
 *
 * @category decoding
 */
export const stringAt = (data: Uint8Array, head: number): string | undefined => {
  const found = dynamicAt(data, head, 1)
  return found && new TextDecoder().decode(data.subarray(found.start, found.start + found.length))
}

/**
 * The dynamic list of integers whose head is at a byte offset, or undefined if there is none.
 *
 * @category decoding
 */
export const uintListAt = (data: Uint8Array, head: number): Array<bigint> | undefined => {
  const found = dynamicAt(data, head, 32)
  return found && Array.from({ length: found.length }, (_, index) => uintAt(data, found.start + index * 32) ?? 0n)
}
