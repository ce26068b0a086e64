import { bytesToBigInt, bytesToHex, concatBytes, hexToBytes, setLengthLeft, setLengthRight } from "@ethereumjs/util"
import { keccak_256 } from "@noble/hashes/sha3.js"

/** A value that can stand in a call: an integer or boolean, an address or fixed bytes (hex), a string, or a list. */
export type AbiValue = bigint | boolean | string | ReadonlyArray<bigint>

const utf8 = new TextEncoder()
const word = (value: bigint): Uint8Array => {
  const bytes = new Uint8Array(32)
  for (let i = 31, rest = value; i >= 0 && rest > 0n; i--, rest >>= 8n) bytes[i] = Number(rest & 0xffn)
  return bytes
}
const padded = (bytes: Uint8Array): Uint8Array => setLengthRight(bytes, Math.ceil(bytes.length / 32) * 32)
const tail = (length: number, bytes: Uint8Array): Uint8Array => concatBytes(word(BigInt(length)), padded(bytes))

const selectors = new Map<string, Uint8Array>()

/** First four bytes of the Keccak-256 of a signature such as `transfer(address,uint256)`. */
export const selector = (signature: string): Uint8Array => {
  const known = selectors.get(signature)
  if (known !== undefined) return known
  const bytes = keccak_256(utf8.encode(signature)).slice(0, 4)
  selectors.set(signature, bytes)
  return bytes
}

/** The topic of an event: Keccak-256 of its signature. */
export const topicOf = (signature: string): string => bytesToHex(keccak_256(utf8.encode(signature)))

const types = (signature: string): Array<string> => {
  const inner = signature.slice(signature.indexOf("(") + 1, -1)
  return inner === "" ? [] : inner.split(",")
}

/** Head word of a static type, or the tail bytes of a dynamic one. */
const encodeOne = (type: string, value: AbiValue): { readonly dynamic: boolean; readonly bytes: Uint8Array } => {
  if (type === "string" && typeof value === "string") {
    const bytes = utf8.encode(value)
    return { dynamic: true, bytes: tail(bytes.length, bytes) }
  }
  if (type === "bytes" && typeof value === "string") {
    const bytes = hexToBytes(`0x${value.slice(2)}`)
    return { dynamic: true, bytes: tail(bytes.length, bytes) }
  }
  if (typeof value === "object") {
    return { dynamic: true, bytes: tail(value.length, concatBytes(...value.map(word))) }
  }
  if (typeof value === "string") {
    const bytes = hexToBytes(`0x${value.slice(2)}`)
    return { dynamic: false, bytes: type.startsWith("bytes") ? setLengthRight(bytes, 32) : setLengthLeft(bytes, 32) }
  }
  return { dynamic: false, bytes: word(typeof value === "boolean" ? (value ? 1n : 0n) : value) }
}

/** Encodes arguments by the types of a signature; for a constructor give `(string,string)`. */
export const encodeArguments = (signature: string, values: ReadonlyArray<AbiValue>): Uint8Array => {
  const encoded = types(signature).map((type, index) => encodeOne(type, values[index] ?? 0n))
  let offset = encoded.length * 32
  const heads: Array<Uint8Array> = []
  const tails: Array<Uint8Array> = []
  for (const { bytes, dynamic } of encoded) {
    heads.push(dynamic ? word(BigInt(offset)) : bytes)
    if (dynamic) {
      tails.push(bytes)
      offset += bytes.length
    }
  }
  return concatBytes(...heads, ...tails)
}

/** Call data: selector and encoded arguments. */
export const encodeCall = (signature: string, values: ReadonlyArray<AbiValue> = []): Uint8Array =>
  concatBytes(selector(signature), encodeArguments(signature, values))

/** The 32-byte word at a byte offset, or nothing when the data ends before. */
const wordAt = (data: Uint8Array, offset: number): Uint8Array | undefined =>
  offset >= 0 && offset + 32 <= data.length ? data.subarray(offset, offset + 32) : undefined

/** The integer at a byte offset, or nothing when the data ends before. */
export const uintAt = (data: Uint8Array, offset: number): bigint | undefined => {
  const bytes = wordAt(data, offset)
  return bytes === undefined ? undefined : bytesToBigInt(bytes)
}

const bounded = (value: bigint | undefined, limit: number): number | undefined =>
  value === undefined || value > BigInt(limit) ? undefined : Number(value)

/** The dynamic string whose head stands at a byte offset; nothing when the data does not hold one. */
export const stringAt = (data: Uint8Array, head: number): string | undefined => {
  const start = bounded(uintAt(data, head), data.length)
  if (start === undefined) return undefined
  const length = bounded(uintAt(data, start), data.length)
  if (length === undefined || start + 32 + length > data.length) return undefined
  return new TextDecoder().decode(data.subarray(start + 32, start + 32 + length))
}

/** The dynamic list of integers whose head stands at a byte offset; nothing when the data does not hold one. */
export const uintListAt = (data: Uint8Array, head: number): Array<bigint> | undefined => {
  const start = bounded(uintAt(data, head), data.length)
  if (start === undefined) return undefined
  const length = bounded(uintAt(data, start), data.length / 32)
  if (length === undefined || start + 32 + length * 32 > data.length) return undefined
  return Array.from({ length }, (_, index) => uintAt(data, start + 32 + index * 32) ?? 0n)
}
