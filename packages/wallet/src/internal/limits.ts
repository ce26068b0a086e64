/** Schemas of numbers that callers give. */
import * as Schema from "effect/Schema"

const whole = (problem: string, least: number, most: number) =>
  Schema.Number.pipe(
    Schema.filter((value) => Number.isSafeInteger(value) && value >= least && value <= most, { message: () => problem })
  )

/** 0 is a nonce here and means "choose one" to the service: see `sending.ts`. */
export const Nonce = whole("a nonce is a whole number, 0 or more", 0, Number.MAX_SAFE_INTEGER)

export const Gas = whole("a gas limit is a whole number, 1 or more", 1, Number.MAX_SAFE_INTEGER)

export const FeeRatio = whole("a fee ratio is the percentage that the fee payer pays, 1 to 99", 1, 99)

export const HowMany = whole("give how many keys to create as a whole number, 0 or more", 0, Number.MAX_SAFE_INTEGER)
