import { createHmac, randomBytes } from "node:crypto"

/** Derives 32 bytes from a seed for a purpose; they reveal neither the seed nor those for another purpose. */
export const deriveKey = (seed: string, purpose: string): Buffer =>
  createHmac("sha256", `effect-klaytn sandbox ${purpose}`).update(seed).digest()

/** Derives a UUID of version 4 from a seed for a purpose. */
export const deriveUuid = (seed: string, purpose: string): string => {
  const digits = deriveKey(seed, purpose).toString("hex")
  const variant = "89ab".charAt(Number.parseInt(digits.charAt(16), 16) % 4)
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `4${digits.slice(13, 16)}`,
    `${variant}${digits.slice(17, 20)}`,
    digits.slice(20, 32)
  ].join("-")
}

const lettersAndDigits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/** A number in base 36 or 62, padded with zeros. */
export const toText = (value: bigint, base: 36 | 62, length: number): string => {
  let text = ""
  for (let rest = value; text.length < length; rest /= BigInt(base)) {
    text = lettersAndDigits.charAt(Number(rest % BigInt(base))) + text
  }
  return text
}

/** Parses a number in base 62; undefined for other characters. */
export const fromText = (text: string): bigint | undefined => {
  let value = 0n
  for (const character of text) {
    const digit = lettersAndDigits.indexOf(character)
    if (digit < 0) return undefined
    value = value * 62n + BigInt(digit)
  }
  return value
}

/** 32 random bytes as text. */
export const randomSeed = (): string => randomBytes(32).toString("hex")
