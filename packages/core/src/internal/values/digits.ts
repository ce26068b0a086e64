/**
 * Hexadecimal text, which is most of what the service answers. It is checked with a lookup table, several times as fast
 * as with a regular expression.
 */

const hasPrefix = (text: string): boolean => text.charCodeAt(0) === 48 && text.charCodeAt(1) === 120

/**
 * The functions share a closure: there a bundler leaves constants constant, and the engine need not look up the table
 * for each digit.
 */
const made = (() => {
  /** The value of each lower-case digit by its character code; negative for all other characters. */
  const table = new Int8Array(0x10000).fill(-1)
  for (let digit = 0; digit < 16; digit++) table[digit.toString(16).charCodeAt(0)] = digit

  const encoder = new TextEncoder()
  const bytes = new Uint8Array(4096)
  const words = new Uint32Array(bytes.buffer)
  /** The text is placed so that the digits after the prefix start at the second word. */
  const place = bytes.subarray(2)

  /** Two 32-bit halves that are read as one 64-bit number, without parsing text. */
  const halves = new Uint32Array(2)
  const whole = new BigUint64Array(halves.buffer)
  const low = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1 ? 0 : 1

  /** Checks four digits at a time: each byte of a word must be from 0x30 to 0x39 or from 0x61 to 0x66. */
  const areDigits = (text: string): boolean => {
    const { length } = text
    const { read, written } = encoder.encodeInto(text, place)
    if (read !== length || written !== length) return false
    const end = length + 2
    let all = -1
    let word = 1
    for (; word * 4 + 4 <= end; word++) {
      const four = words[word] ?? 0
      // Each byte is below 0x80, or there would be more bytes than characters: no addition carries into the next byte.
      all &= ((four + 0x50505050) & ~(four + 0x46464646)) | ((four + 0x1f1f1f1f) & ~(four + 0x19191919))
    }
    let rest = 0
    for (let at = word * 4; at < end; at++) rest |= table[bytes[at] ?? 0] ?? -1
    return (all & 0x80808080) === (0x80808080 | 0) && rest >= 0
  }

  const isHex = (text: string): boolean => {
    if (!hasPrefix(text)) return false
    const { length } = text
    // A long text is checked as bytes, which takes a third of the time.
    if (length > 48 && length <= place.length) return areDigits(text)
    let all = 0
    let at = 2
    for (; at + 4 <= length; at += 4) {
      const first = table[text.charCodeAt(at)] ?? -1
      const second = table[text.charCodeAt(at + 1)] ?? -1
      const third = table[text.charCodeAt(at + 2)] ?? -1
      const fourth = table[text.charCodeAt(at + 3)] ?? -1
      all |= first | second | third | fourth
    }
    for (; at < length; at++) all |= table[text.charCodeAt(at)] ?? -1
    return all >= 0
  }

  /** Reads a lower-case quantity of at most 256 bits. */
  const uint256 = (text: string): bigint | undefined => {
    const { length } = text
    if (length > 18) return length <= 66 && isHex(text) ? BigInt(text) : undefined
    if (length < 3 || !hasPrefix(text)) return undefined
    const middle = Math.max(2, length - 8)
    let all = 0
    let upper = 0
    let lower = 0
    for (let at = 2; at < middle; at++) {
      const value = table[text.charCodeAt(at)] ?? -1
      all |= value
      upper = upper << 4 | value
    }
    for (let at = middle; at < length; at++) {
      const value = table[text.charCodeAt(at)] ?? -1
      all |= value
      lower = lower << 4 | value
    }
    if (all < 0) return undefined
    halves[low] = lower
    halves[1 - low] = upper
    return whole[0]
  }

  return { isHex, uint256 }
})()

/** Whether a text is `0x` and zero or more lower-case digits. */
export const isHex: (text: string) => boolean = made.isHex

/** Lower-cases a text that starts with the prefix. No other character lower-cases to a hexadecimal digit. */
export const lowerCase = (value: unknown): string | undefined =>
  typeof value === "string" && hasPrefix(value) ? value.toLowerCase() : undefined

/** Reads a quantity in either letter case and of any length; `undefined` if the value is not one. */
export const quantity = (value: unknown): bigint | undefined => {
  if (typeof value !== "string") return undefined
  return made.uint256(value) ?? (/^0x[0-9a-fA-F]+$/.test(value) ? BigInt(value) : undefined)
}
