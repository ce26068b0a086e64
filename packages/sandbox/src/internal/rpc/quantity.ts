import type { Hex } from "@effect-klaytn/transaction/Hex"

/** A number as a node writes it: the shortest hex. */
export const quantity = (value: bigint | number): Hex => `0x${value.toString(16)}`
