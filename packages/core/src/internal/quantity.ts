/** Quantities that can be read at once: in lower case, and of no more than 256 bits. */
export const isUint256 = (value: unknown): value is string =>
  typeof value === "string" && /^0x[0-9a-f]{1,64}$/.test(value)
