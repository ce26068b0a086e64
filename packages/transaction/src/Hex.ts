/**
 * Bytes as text: `0x` and two lower-case hexadecimal digits per byte. `0x` alone is empty data.
 */
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js"
import { catchThrown } from "./internal/faults.js"
import { fail, type Result, succeed } from "./Result.js"
import { TransactionError } from "./TransactionError.js"

/**
 * Bytes as text. This package returns lower case and accepts any case, so that checksummed addresses pass.
 *
 * @category models
 */
export type Hex = `0x${string}`

const pattern = /^0x[0-9a-fA-F]*$/

/**
 * Checks whether a value is `0x` and an even number of hexadecimal digits.
 *
 * @category guards
 */
export const isHex = (value: unknown): value is Hex =>
  typeof value === "string" && value.length % 2 === 0 && pattern.test(value)

/**
 * Formats bytes as text.
 *
 * @category conversions
 */
export const fromBytes = (bytes: Uint8Array): Hex => {
  // `Buffer` takes a fifth of the time for code and call data.
  const digits = typeof Buffer === "undefined"
    ? bytesToHex(bytes)
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("hex")
  return `0x${digits}`
}

/**
 * Parses text that was checked before. What comes of other text depends on the platform; {@link toBytes} refuses such text.
 *
 * @category conversions
 */
export const bytesOf = (hex: string): Uint8Array =>
  typeof Buffer === "undefined" ? hexToBytes(hex.slice(2)) : Buffer.from(hex.slice(2), "hex")

/**
 * Formats a whole number as its shortest text: the form of numbers in JSON-RPC. The text may have an odd number of digits.
 *
 * @category conversions
 */
export const quantity = (value: bigint | number): Hex => `0x${value.toString(16)}`

/**
 * Writes the digits of a text that begins with `0x` in lower case, which is the form in which texts are compared. It does not
 * check them.
 *
 * @category conversions
 */
export const lowerCase = (hex: string): Hex => `0x${hex.slice(2).toLowerCase()}`

/**
 * Parses text as bytes; bytes are returned unchanged. Fails with `NotHex`.
 *
 * @category conversions
 */
export const toBytes = (value: Hex | Uint8Array): Result<Uint8Array> =>
  catchThrown(() =>
    value instanceof Uint8Array
      ? succeed(value.subarray())
      : isHex(value)
      ? succeed(hexToBytes(value.slice(2)))
      : fail(
        new TransactionError(
          "NotHex",
          "",
          "is not hexadecimal text: expected 0x and an even number of digits 0-9 and a-f"
        )
      )
  )

/**
 * The zero address: the sender of what is minted and the receiver of what is burnt.
 *
 * @category constants
 */
export const zeroAddress: Hex = "0x0000000000000000000000000000000000000000"
