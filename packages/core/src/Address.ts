/**
 * Addresses of accounts and contracts.
 *
 * Inside a program an address has one spelling, lower case, so that `===`, a `Map` and a database key compare what is
 * meant. The service answers in lower case in one place and in checksum case in another; {@link FromWire} evens that
 * out. What a person types goes through {@link make}, which catches a mistyped checksum. {@link checksum} is the
 * spelling to show.
 *
 * @since 0.1.0
 */
import * as Brand from "effect/Brand"
import type * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as Decoder from "./Decoder.js"
import { checksumDigits, hasNoWrongChecksum } from "./internal/checksum.js"
import { isHex, lowerCase } from "./internal/hexDigits.js"
import { matching } from "./internal/hexText.js"

/**
 * An address of 20 bytes: `0x` and 40 lower-case hexadecimal digits. It fits as it is wherever text that begins with
 * `0x` is asked for: in `@effect-klaytn/transaction`, in the arguments of a contract, in viem.
 *
 * @since 0.1.0
 * @category models
 */
export type Address = `0x${string}` & Brand.Brand<"@effect-klaytn/core/Address">

const canonical = /^0x[0-9a-f]{40}$/

/**
 * The canonical, lower-case form, for what was an {@link Address} before, such as a column of your own. It refuses
 * checksum case: in the schema of an API or a form of your own use {@link FromInput}, which takes an address in every
 * spelling, and for what the service answered {@link FromWire}.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Address: Schema.Schema<Address, string> = matching(
  canonical,
  "expected an address as 0x and 40 lower-case hexadecimal digits"
).pipe(Schema.brand("@effect-klaytn/core/Address")).annotations({
  identifier: "Address",
  description: "an address, 0x and 40 hexadecimal digits"
})

const AnyCase = Schema.String.pipe(
  Schema.pattern(/^0x[0-9a-fA-F]{40}$/, { message: () => "expected an address as 0x and 40 hexadecimal digits" })
)

/**
 * An address as the service answers it: any letter case, and the checksum is not judged. Decodes and encodes to lower
 * case. That the service mixes the cases was seen in public clients.
 *
 * @since 0.1.0
 * @category schemas
 */
export const FromWire: Schema.Schema<Address, string> = Decoder.withCustomReader(
  Schema.transform(AnyCase, Address, {
    strict: true,
    decode: (text) => text.toLowerCase(),
    encode: (address) => address
  }).annotations({ identifier: "AddressFromWire" }),
  (value) => is(value) ? value : anyCase(value)
)

/**
 * An address as a person gives it: all lower case, all upper case, or mixed case with a right EIP-55 checksum. A mixed
 * case with a wrong checksum is refused, since it is most likely a mistyped digit. Decodes and encodes to lower case.
 *
 * @since 0.1.0
 * @category schemas
 */
export const FromInput: Schema.Schema<Address, string> = Schema.transformOrFail(AnyCase, Address, {
  strict: true,
  decode: (text, _, ast) =>
    hasNoWrongChecksum(text.slice(2))
      ? ParseResult.succeed(text.toLowerCase())
      : ParseResult.fail(
        new ParseResult.Type(
          ast,
          text,
          `the checksum of address ${text} is wrong: check its digits, or write it in lower case to give none`
        )
      ),
  encode: (address) => ParseResult.succeed(address)
}).annotations({ identifier: "AddressFromInput" })

/**
 * Whether a value is an address in the canonical, lower-case form.
 *
 * @since 0.1.0
 * @category guards
 */
export const is = (value: unknown): value is Address => typeof value === "string" && value.length === 42 && isHex(value)

const anyCase = (value: unknown): Address | Decoder.Fallback => {
  const lower = lowerCase(value)
  return is(lower) ? lower : Decoder.fallback
}

/**
 * Reads an address that a person gave, by the rules of {@link FromInput}.
 *
 * @example
 * ```ts
 * import * as Address from "@effect-klaytn/core/Address"
 *
 * console.log(Address.make("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"))
 * // right("0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed")
 *
 * console.log(Address.make("0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"))
 * // left: the checksum is wrong
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (input: string): Either.Either<Address, ParseResult.ParseError> => decode(input)

const decode = Schema.decodeUnknownEither(FromInput)

/**
 * The address of nobody: the sender of a minted token, the receiver of a burnt one.
 *
 * @since 0.1.0
 * @category constants
 */
export const zero: Address = Brand.nominal<Address>()("0x0000000000000000000000000000000000000000")

/**
 * The EIP-55 checksum spelling, in full, for text that a person compares.
 *
 * **Gotchas**
 *
 * The result is plain text and not an {@link Address}: it would not equal the same address in lower case.
 *
 * @example
 * ```ts
 * import * as Address from "@effect-klaytn/core/Address"
 * import * as Either from "effect/Either"
 *
 * const address = Address.make("0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359")
 * console.log(Either.map(address, Address.checksum))
 * // right("0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359")
 * ```
 *
 * @since 0.1.0
 * @category formatting
 */
export const checksum = (address: Address): `0x${string}` => `0x${checksumDigits(address.slice(2))}`
