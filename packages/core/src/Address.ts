/**
 * Addresses of accounts and contracts.
 *
 * Inside a program an address has one spelling, lower case, so that it can be compared with `===` and used as a key of
 * a `Map` or a database. The service answers in lower case in one place and in checksum case in another; {@link
 * FromWire} accepts both. Parse what a person types with {@link make}, which checks the checksum, and display addresses
 * with {@link checksum}.
 */
import * as Brand from "effect/Brand"
import * as Schema from "effect/Schema"
import { isHex } from "./internal/values/digits.js"
import { keccak, matching, parser } from "./internal/values/encoding.js"

/**
 * An address of 20 bytes: `0x` and 40 lower-case hexadecimal digits. It can be used wherever a `0x` string is expected:
 * in `@effect-klaytn/transaction`, in contract arguments, in viem.
 *
 * @category models
 */
export type Address = `0x${string}` & Brand.Brand<"@effect-klaytn/core/Address">

const canonical = /^0x[0-9a-f]{40}$/

/**
 * The canonical, lower-case form, for values that were an {@link Address} before, such as a column of your own
 * database. It refuses checksum case: for user input use {@link FromInput}, which accepts every spelling, and for an
 * answer of the service use {@link FromWire}.
 *
 * @category schemas
 */
export const Address: Schema.Schema<Address, string> = matching(canonical, {
  identifier: "Address",
  description: "an address, 0x and 40 hexadecimal digits",
  expected: "expected an address as 0x and 40 lower-case hexadecimal digits"
})

const AnyCase = Schema.String.pipe(
  Schema.pattern(/^0x[0-9a-fA-F]{40}$/, { message: () => "expected an address as 0x and 40 hexadecimal digits" })
)

/**
 * An address as the service answers it: any letter case, and the checksum is not checked. Decodes and encodes to lower
 * case. That the service mixes letter cases was seen in public clients.
 *
 * @category schemas
 */
export const FromWire: Schema.Schema<Address, string> = Schema.transform(AnyCase, Address, {
  strict: true,
  decode: (text) => text.toLowerCase(),
  encode: (address) => address
}).annotations({ identifier: "AddressFromWire" })

/** The EIP-55 spelling: a letter is upper case if the digit of the text's Keccak-256 at its index is 8 or more. */
const checksumDigits = (digits: string): string => {
  const hash = keccak(digits)
  return Array.from(digits, (digit, index) => hash.charAt(index) >= "8" ? digit.toUpperCase() : digit).join("")
}

/** Digits in a single letter case carry no checksum. */
const hasWrongChecksum = (digits: string): boolean =>
  digits !== digits.toLowerCase() && digits !== digits.toUpperCase() && digits !== checksumDigits(digits.toLowerCase())

/**
 * An address as a person writes it: all lower case, all upper case, or mixed case with a correct EIP-55 checksum. Mixed
 * case with a wrong checksum is refused, since a digit is most likely mistyped. Decodes and encodes to lower case.
 *
 * @category schemas
 */
export const FromInput: Schema.Schema<Address, string> = AnyCase.pipe(
  Schema.filter((text) =>
    hasWrongChecksum(text.slice(2))
      ? `the checksum of address ${text} is wrong: check its digits, or write it in lower case to skip the check`
      : true
  ),
  Schema.compose(FromWire)
).annotations({ identifier: "AddressFromInput" })

/**
 * Checks whether a value is an address in the canonical, lower-case form.
 *
 * @category guards
 */
export const is = (value: unknown): value is Address => typeof value === "string" && value.length === 42 && isHex(value)

/**
 * Parses an address that a person wrote, by the rules of {@link FromInput}.
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
 * @category constructors
 */
export const make = parser(FromInput)

/**
 * The zero address: the sender of a minted token and the receiver of a burnt one.
 *
 * @category constants
 */
export const zero: Address = Brand.nominal<Address>()("0x0000000000000000000000000000000000000000")

/**
 * Formats an address with its EIP-55 checksum, for text that a person compares.
 *
 * **Gotchas**
 *
 * The result is a plain string, not an {@link Address}, because it does not equal the same address in lower case.
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
 * @category formatting
 */
export const checksum = (address: Address): `0x${string}` => `0x${checksumDigits(address.slice(2))}`
