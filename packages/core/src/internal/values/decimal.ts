/** @internal */
export const maxUint256 = 2n ** 256n - 1n

// The longest whole part of a 256-bit amount in its smallest unit; longer texts are refused without parsing.
const longestWhole = maxUint256.toString().length

/**
 * Why a text is not an exact decimal with at most `decimals` digits after the point, or `undefined` if it is.
 *
 * @internal
 */
export const whyNotDecimal = (text: string, decimals: number): string | undefined => {
  if (text === "") return "it is empty"
  if (/\s/u.test(text)) return "it contains whitespace"
  if (/^[+-]/.test(text)) return "it has a sign"
  if (/^0x/i.test(text)) return "it is hexadecimal"
  if (/^[0-9]+,[0-9]+$/.test(text)) {
    return "it has a comma: the decimal point is a point, and thousands have no separator"
  }
  if (/[,_']/.test(text)) return "it contains a thousands separator"
  if (/^[0-9.]+e[+-]?[0-9]+$/i.test(text)) return "it has an exponent"
  const match = /^(0|[1-9][0-9]*)(?:\.([0-9]+))?$/.exec(text)
  if (match === null) return "it is not a plain decimal, such as 1.5"
  const [, whole = "", fraction = ""] = match
  if (fraction.length > decimals) {
    return decimals === 0
      ? "it is not a whole number"
      : `it has ${fraction.length} digits after the point and the unit allows ${decimals}`
  }
  if (whole.length > longestWhole || scale(text, decimals) > maxUint256) return "it is larger than 256 bits"
  return undefined
}

/**
 * Converts an exact decimal to a whole number of its smallest unit. The text must have passed {@link whyNotDecimal}.
 *
 * @internal
 */
export const scale = (text: string, decimals: number): bigint => {
  const [whole = "", fraction = ""] = text.split(".")
  return BigInt(whole + fraction.padEnd(decimals, "0"))
}

/**
 * Formats a whole number of the smallest unit as an exact decimal, without trailing zeros and without an exponent.
 *
 * @internal
 */
export const unscale = (value: bigint, decimals: number): string => {
  const digits = (value < 0n ? -value : value).toString().padStart(decimals + 1, "0")
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, "")
  return `${value < 0n ? "-" : ""}${whole}${fraction === "" ? "" : `.${fraction}`}`
}
