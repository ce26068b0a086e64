import type { Hex } from "@effect-klaytn/transaction/Hex"

/** The bytes of a hex text. */
export const bytesOf = (hex: Hex): Uint8Array => Buffer.from(hex.slice(2), "hex")

/** A number as 64 hex digits, the form of storage slots. */
export const wordOf = (value: bigint | number): string => value.toString(16).padStart(64, "0")
