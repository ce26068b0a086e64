import type { Hex } from "@effect-klaytn/transaction/Hex"

/** 0x hex as bytes, in the form that a database takes. */
export const blob = (hexText: string): Uint8Array => Buffer.from(hexText.slice(2), "hex")

/** Bytes as lower-case 0x hex. */
export const toHex = (value: Uint8Array): Hex =>
  `0x${Buffer.from(value.buffer, value.byteOffset, value.length).toString("hex")}`

/** A number as the shortest 0x hex. */
export const quantity = (value: bigint | number): Hex => `0x${value.toString(16)}`
