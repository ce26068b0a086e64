import * as Either from "effect/Either"
import { Numeral } from "../rpc/Json.js"
import { type Decoded, fail, make, type ParamDecoder } from "../rpc/ParamDecoder.js"

/**
 * A whole number of up to 256 bits as any tool writes it: a JSON number, decimal text, or hex with or without leading
 * zeros.
 */
export const whole: ParamDecoder<bigint> = make((value): Decoded<bigint> => {
  const text = value instanceof Numeral ? value.text : typeof value === "number" ? `${value}` : value
  return typeof text === "string" && /^(?:0x[0-9a-f]{1,64}|\d{1,77})$/i.test(text)
    ? Either.right(BigInt(text))
    : fail("a whole number is expected, as a JSON number or in hexadecimal")
})

/** The same, as far as a JavaScript number is exact. */
export const count: ParamDecoder<number> = make((value) =>
  Either.flatMap(
    whole.decode(value),
    (found) => found <= BigInt(Number.MAX_SAFE_INTEGER) ? Either.right(Number(found)) : fail("the number is too large")
  )
)
