/**
 * The two networks of the service. Every call names one of them, as the header `x-chain-id`.
 */
import type * as Either from "effect/Either"
import type * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"

/**
 * The chain ID of mainnet, the network where coins have value. From the service's API document.
 *
 * @category constants
 */
export const mainnet = 8217 as const

/**
 * The chain ID of the test network. From the service's API document.
 *
 * @category constants
 */
export const testnet = 1001 as const

/**
 * The header that names the chain of a call. From the service's API document.
 *
 * @category constants
 */
export const header = "x-chain-id"

/**
 * A chain ID: `8217` or `1001`, as a number. The service has no other network.
 *
 * @category schemas
 */
export const Chain = Schema.Literal(mainnet, testnet).annotations({
  identifier: "Chain",
  description: "a chain ID, 8217 (mainnet) or 1001 (testnet)"
})

/**
 * A chain ID: `8217` or `1001`, as a number.
 *
 * @category models
 */
export type Chain = typeof Chain.Type

/**
 * A chain ID as text, as in the header `x-chain-id`, in a resource name and in the environment.
 *
 * Only the plain decimal spelling is accepted: `"8217"`, not `"08217"` and not `"0x2019"`.
 *
 * @example
 * ```ts
 * import * as Chain from "@effect-klaytn/core/Chain"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownEither(Chain.FromString)("1001")) // right(1001)
 * ```
 *
 * @category schemas
 */
export const FromString: Schema.Schema<Chain, "8217" | "1001"> = Schema.transformLiterals(
  ["8217", mainnet],
  ["1001", testnet]
).annotations({ identifier: "ChainFromString", description: "a chain ID as text, \"8217\" or \"1001\"" })

/**
 * Checks whether a value is one of the two chain IDs. A string is not: decode it with {@link FromString}.
 *
 * @category guards
 */
export const is: (value: unknown) => value is Chain = Schema.is(Chain)

/**
 * Makes a chain ID from a number.
 *
 * @category constructors
 */
export const make: (input: number) => Either.Either<Chain, ParseResult.ParseError> = Schema.decodeUnknownEither(Chain)

/**
 * The name of the network, for text that a person reads before money moves.
 *
 * @example
 * ```ts
 * import * as Chain from "@effect-klaytn/core/Chain"
 *
 * console.log(Chain.label(Chain.mainnet)) // "mainnet (8217)"
 * console.log(Chain.label(Chain.testnet)) // "testnet (1001)"
 * ```
 *
 * @category formatting
 */
export const label = (chain: Chain): string => `${chain === mainnet ? "mainnet" : "testnet"} (${chain})`
