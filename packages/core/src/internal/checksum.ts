import { keccak_256 } from "@noble/hashes/sha3.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"

/**
 * The EIP-55 spelling of 40 lower-case hexadecimal digits (no `0x`): a letter is upper case where the hex digit at the
 * same index of the text's Keccak-256 is 8 or more.
 *
 * @internal
 */
export const checksumDigits = (digits: string): string => {
  const hash = bytesToHex(keccak_256(utf8ToBytes(digits)))
  return Array.from(digits, (digit, index) => hash.charAt(index) >= "8" ? digit.toUpperCase() : digit).join("")
}

/**
 * Whether 40 hexadecimal digits have no wrong checksum. Digits in a single letter case carry no checksum and pass.
 *
 * @internal
 */
export const hasNoWrongChecksum = (digits: string): boolean =>
  digits === digits.toLowerCase() || digits === digits.toUpperCase() || digits === checksumDigits(digits.toLowerCase())
