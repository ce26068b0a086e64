import type { Hex } from "@effect-klaytn/transaction/Hex"

const errorSelector = "0x08c379a0"
const panicSelector = "0x4e487b71"
const word = 64

const panics: ReadonlyMap<bigint, string> = new Map([
  [0x00n, "generic panic"],
  [0x01n, "assert(false)"],
  [0x11n, "arithmetic underflow or overflow"],
  [0x12n, "division or modulo by zero"],
  [0x21n, "enum overflow"],
  [0x22n, "invalid encoded storage byte array accessed"],
  [0x31n, "out-of-bounds array access; popping on an empty array"],
  [0x32n, "out-of-bounds access of an array or bytesN"],
  [0x41n, "out of memory"],
  [0x51n, "uninitialized function"]
])

const wordAt = (digits: string, at: number): bigint => BigInt(`0x${digits.slice(at, at + word)}`)

/** The reason in the bytes of a revert, if they are one of the two errors that every compiler writes. */
export const revertReason = (data: Hex): string | undefined => {
  const digits = data.slice(10)
  if (data.startsWith(panicSelector) && digits.length === word) {
    const code = wordAt(digits, 0)
    return panics.get(code) ?? `unknown panic code: 0x${code.toString(16)}`
  }
  if (!data.startsWith(errorSelector) || digits.length < 2 * word) return undefined
  const offset = wordAt(digits, 0)
  if (offset !== 32n) return undefined
  const length = wordAt(digits, word)
  if (length * 2n > BigInt(digits.length - 2 * word)) return undefined
  return Buffer.from(digits.slice(2 * word, 2 * word + 2 * Number(length)), "hex").toString("utf8")
}
