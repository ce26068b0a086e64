/** A number as 64 hex digits, the form of storage slots. */
export const wordOf = (value: bigint | number): string => value.toString(16).padStart(64, "0")
