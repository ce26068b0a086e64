/**
 * Exact amounts of the native coin.
 *
 * An amount is a `bigint` of peb, the smallest unit; 1 KLAY is 10^18 peb. Nothing here passes through floating point.
 *
 * The chain renamed its coin in 2024: KLAY is KAIA, and peb is kei. Amounts are printed in KLAY, the word of the service.
 */
import * as Brand from "effect/Brand"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { BigIntFromQuantity } from "./HexEncoding.js"
import { describe } from "./internal/values/cleanText.js"
import { maxUint256, scale, unscale, whyNotDecimal } from "./internal/values/decimal.js"
import { parser } from "./internal/values/encoding.js"

/**
 * An amount of the native coin in peb: a `bigint` from 0 to 2^256 - 1.
 *
 * **Details**
 *
 * The brand distinguishes an amount of the coin from a token amount and from a count. It can be used like any `bigint`;
 * the result of a computation is a plain `bigint`, which {@link make} checks and turns back into an amount.
 *
 * @category models
 */
export type Peb = bigint & Brand.Brand<"@effect-klaytn/core/Peb">

const asPeb = Brand.nominal<Peb>()

/**
 * An amount as a `bigint`. {@link FromQuantity} and {@link FromKlay} are its two forms as text.
 *
 * @category schemas
 */
export const Peb: Schema.Schema<Peb, bigint> = Schema.BigIntFromSelf.pipe(
  Schema.filter((peb): peb is Peb => peb >= 0n && peb <= maxUint256, {
    identifier: "Peb",
    description: "an amount of the native coin in peb",
    message: () => "expected an amount in peb from 0 to 2^256 - 1",
    arbitrary: () => (fc) => fc.bigInt(0n, maxUint256).map(asPeb)
  })
)

/**
 * An amount as it is on the wire: peb as a hexadecimal quantity, `"0xde0b6b3a7640000"` for 1 KLAY. From the service's
 * document. The encoded form is a string and safe in JSON.
 *
 * @category schemas
 */
export const FromQuantity: Schema.Schema<Peb, string> = Schema.compose(BigIntFromQuantity, Peb).annotations({
  identifier: "PebFromQuantity"
})

/**
 * The named units, and the power of ten of each in peb. `Gpeb`, `Gkei` and `ston` are the same unit; gas prices are usually
 * quoted in it. `kei`, `Gkei` and `KAIA` are the names since 2024 of `peb`, `Gpeb` and `KLAY`.
 *
 * @category constants
 */
export const units = { peb: 0, kei: 0, kpeb: 3, Mpeb: 6, Gpeb: 9, Gkei: 9, ston: 9, KLAY: 18, KAIA: 18 } as const

/**
 * The name of a unit.
 *
 * @category models
 */
export type Unit = keyof typeof units

const inUnit = (unit: Unit): Schema.Schema<Peb, string> =>
  Schema.transformOrFail(Schema.String, Peb, {
    strict: true,
    decode: (text, _, ast) => {
      const reason = whyNotDecimal(text, units[unit])
      return reason === undefined
        ? ParseResult.succeed(scale(text, units[unit]))
        : ParseResult.fail(
          new ParseResult.Type(ast, text, `${describe(text)} is not an amount in ${unit}: ${reason}`)
        )
    },
    encode: (peb) => ParseResult.succeed(unscale(peb, units[unit]))
  })

/**
 * An amount as a person writes it: a decimal number of KLAY, `"1.5"`.
 *
 * **Details**
 *
 * Parsed exactly or not at all: more than 18 digits after the point, an exponent, a sign, whitespace, a thousands
 * separator, a leading zero and a missing digit beside the point are refused. Encodes without trailing zeros.
 *
 * @category schemas
 */
export const FromKlay: Schema.Schema<Peb, string> = inUnit("KLAY").annotations({
  identifier: "PebFromKlay",
  description: "an amount of the native coin in KLAY, as an exact decimal"
})

/**
 * Checks whether a value is an amount: a `bigint` from 0 to 2^256 - 1.
 *
 * @category guards
 */
export const is: (value: unknown) => value is Peb = Schema.is(Peb)

/**
 * Makes an amount from a whole number of peb.
 *
 * @example
 * ```ts
 * import * as Amount from "@effect-klaytn/core/Amount"
 *
 * console.log(Amount.make(21000n * 25_000_000_000n)) // right(525000000000000n)
 * console.log(Amount.make(-1n)) // left
 * ```
 *
 * @category constructors
 */
export const make = parser(Peb)

/**
 * Parses an amount from a decimal number of KLAY, by the rules of {@link FromKlay}.
 *
 * @example
 * ```ts
 * import * as Amount from "@effect-klaytn/core/Amount"
 *
 * console.log(Amount.fromKlay("1.5")) // right(1500000000000000000n)
 * console.log(Amount.fromKlay("1e18")) // left: it has an exponent
 * ```
 *
 * @category constructors
 */
export const fromKlay = parser(FromKlay)

/**
 * Parses an amount from a decimal number of any named unit, by the rules of {@link FromKlay}.
 *
 * @example
 * ```ts
 * import * as Amount from "@effect-klaytn/core/Amount"
 *
 * console.log(Amount.fromUnit("25", "ston")) // right(25000000000n)
 * ```
 *
 * @category constructors
 */
export const fromUnit = (text: string, unit: Unit): Either.Either<Peb, ParseResult.ParseError> =>
  parser(inUnit(unit))(text)

/**
 * The amount zero.
 *
 * @category constants
 */
export const zero: Peb = asPeb(0n)

/**
 * Formats a number of peb in KLAY, exactly, with no exponent and no trailing zeros. Takes any `bigint`, so that a sum
 * or a difference can be shown; a negative number starts with a minus sign.
 *
 * @example
 * ```ts
 * import * as Amount from "@effect-klaytn/core/Amount"
 *
 * console.log(Amount.toKlay(1_500_000_000_000_000_000n)) // "1.5"
 * console.log(Amount.toKlay(1n)) // "0.000000000000000001"
 * ```
 *
 * @category formatting
 */
export const toKlay = (peb: bigint): string => toUnit(peb, "KLAY")

/**
 * Formats a number of peb in any named unit, exactly, like {@link toKlay}.
 *
 * @category formatting
 */
export const toUnit = (peb: bigint, unit: Unit): string => unscale(peb, units[unit])

/**
 * Formats a number of peb in KLAY with the unit, for text that a person reads: `"1.5 KLAY"`.
 *
 * @category formatting
 */
export const format = (peb: bigint): string => `${toKlay(peb)} KLAY`

/** Whether a token can have these decimals. They may be what a contract answers. */
const areDecimals = (decimals: number): boolean => Number.isInteger(decimals) && decimals >= 0 && decimals <= 255

/**
 * Converts an exact decimal, as a person writes it, to a whole number of the smallest unit of a token with that many
 * `decimals`. `Left` says what is wrong with the text. The rules are those of {@link FromKlay}.
 *
 * **Example**
 *
 * ```ts
 * import * as Amount from "@effect-klaytn/core/Amount"
 *
 * console.log(Amount.fromDecimal("12.5", 6)) // Right: 12500000n
 * console.log(Amount.fromDecimal("0.0000001", 6)) // Left: the unit allows 6 digits after the point
 * ```
 *
 * @category constructors
 */
export const fromDecimal = (text: string, decimals: number): Either.Either<bigint, string> => {
  if (!areDecimals(decimals)) return Either.left("the token's decimals are not a whole number from 0 to 255")
  const reason = whyNotDecimal(text, decimals)
  return reason === undefined ? Either.right(scale(text, decimals)) : Either.left(reason)
}

/**
 * Formats a whole number of a token's smallest unit as a decimal without trailing zeros. With decimals that no token can
 * have, which a service or a contract may still answer, the exponent is written out: `5e-300`.
 *
 * @category formatting
 */
export const toDecimal = (value: bigint, decimals: number): string =>
  areDecimals(decimals) ? unscale(value, decimals) : `${value}e${-decimals}`
