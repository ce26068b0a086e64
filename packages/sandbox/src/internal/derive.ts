import { createHmac } from "node:crypto"

/** 32 bytes that a seed gives for a purpose; whoever has them learns neither the seed nor those of another purpose. */
export const deriveKey = (seed: string, purpose: string): Buffer =>
  createHmac("sha256", `effect-klaytn sandbox ${purpose}`).update(seed).digest()

/** A UUID of version 4 that a seed gives for a purpose. */
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

/** A number in the first `base` of digits, upper and lower case letters, filled up with zeros. */
export const toText = (value: bigint, base: 36 | 62, length: number): string => {
  let text = ""
  for (let rest = value; text.length < length; rest /= BigInt(base)) {
    text = lettersAndDigits.charAt(Number(rest % BigInt(base))) + text
  }
  return text
}

/** The number that a text of base 62 stands for; nothing for other characters. */
export const fromText = (text: string): bigint | undefined => {
  let value = 0n
  for (const character of text) {
    const digit = lettersAndDigits.indexOf(character)
    if (digit < 0) return undefined
    value = value * 62n + BigInt(digit)
  }
  return value
}
