/**
 * Values that are derived from a seed.
 */
import { createHmac } from "node:crypto"

/**
 * Derives 32 bytes from a seed for a purpose; they reveal neither the seed nor those for another purpose.
 *
 * @category derivation
 */
export const deriveKey = (seed: string, purpose: string): Uint8Array =>
  createHmac("sha256", `effect-klaytn sandbox ${purpose}`).update(seed).digest()

/**
 * Derives a UUID of version 4 from a seed for a purpose.
 *
 * @category derivation
 */
export const deriveUuid = (seed: string, purpose: string): string => {
  const digits = Buffer.from(deriveKey(seed, purpose)).toString("hex")
  const variant = "89ab".charAt(Number.parseInt(digits.charAt(16), 16) % 4)
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `4${digits.slice(13, 16)}`,
    `${variant}${digits.slice(17, 20)}`,
    digits.slice(20, 32)
  ].join("-")
}
