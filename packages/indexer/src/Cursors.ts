/**
 * Cursors of lists.
 */
import { createHmac } from "node:crypto"

/**
 * Where the next page of a list begins.
 *
 * @category models
 */
export interface Position {
  /** Only what is older than the transfer of this number. */
  readonly before: number
  /** Transaction of the last record, when its coin transfer is still to come. */
  readonly pendingTrigger: `0x${string}` | undefined
  /** Contract of the last record, where records of several contracts may be level. */
  readonly contract?: `0x${string}` | undefined
}

/** 128 characters of base 62 hold 95 bytes. */
const length = 128
const size = 95
const macSize = 32
const none = "00".repeat(32)
const nowhere = `0x${"00".repeat(20)}`

/**
 * Cursors in the service's form: 128 letters and digits. Each is sealed with a key for its search, so that a cursor of
 * another search, or an invented one, is refused.
 *
 * @category models
 */
export class Cursors {
  readonly #key: Uint8Array

  /** `key` is a secret of 32 bytes. A cursor is valid for as long as its key is used. */
  constructor(key: Uint8Array) {
    this.#key = key
  }

  seal(search: string, position: Position): string {
    const plain = Buffer.alloc(size - macSize)
    plain.writeBigUInt64BE(BigInt(position.before), 0)
    plain.write((position.pendingTrigger ?? none).replace("0x", ""), 8, "hex")
    plain.write((position.contract ?? nowhere).slice(2), 40, "hex")
    const mac = this.#mac(search, plain)
    const sealed = Buffer.concat([mac, this.#mask(mac, plain)])
    return toText(BigInt(`0x${sealed.toString("hex")}`), 62, length)
  }

  /** The position of a cursor, or nothing if it does not belong to the search. */
  open(search: string, cursor: string): Position | undefined {
    const value = cursor.length === length ? fromText(cursor) : undefined
    const digits = value === undefined ? "" : value.toString(16).padStart(size * 2, "0")
    if (digits.length !== size * 2) return undefined
    const sealed = Buffer.from(digits, "hex")
    const mac = sealed.subarray(0, macSize)
    const plain = this.#mask(mac, sealed.subarray(macSize))
    if (!this.#mac(search, plain).equals(mac)) return undefined
    const pendingTrigger = plain.toString("hex", 8, 40)
    const contract = `0x${plain.toString("hex", 40, 60)}` as const
    return {
      before: Number(plain.readBigUInt64BE(0)),
      pendingTrigger: pendingTrigger === none ? undefined : `0x${pendingTrigger}`,
      ...(contract !== nowhere && { contract })
    }
  }

  #mac(search: string, plain: Uint8Array): Buffer {
    return createHmac("sha256", this.#key).update(plain).update(search).digest()
  }

  /** Encrypts or decrypts the position. */
  #mask(mac: Uint8Array, bytes: Uint8Array): Buffer {
    const stream = createHmac("sha512", this.#key).update(mac).digest()
    return Buffer.from(bytes.map((byte, index) => byte ^ (stream[index] ?? 0)))
  }
}

const lettersAndDigits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/**
 * A number in base 36 or 62, padded with zeros.
 *
 * @category conversions
 */
export const toText = (value: bigint, base: 36 | 62, length: number): string => {
  let text = ""
  for (let rest = value; text.length < length; rest /= BigInt(base)) {
    text = lettersAndDigits.charAt(Number(rest % BigInt(base))) + text
  }
  return text
}

/**
 * Parses a number in base 62; undefined for other characters.
 *
 * @category conversions
 */
export const fromText = (text: string): bigint | undefined => {
  let value = 0n
  for (const character of text) {
    const digit = lettersAndDigits.indexOf(character)
    if (digit < 0) return undefined
    value = value * 62n + BigInt(digit)
  }
  return value
}
