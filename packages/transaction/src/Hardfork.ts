/**
 * The upgrades of the chain whose rules differ for transactions and their execution.
 */

const hardforks = ["cancun", "prague", "osaka"] as const

/**
 * The rules of a chain, by the name of the newest of Ethereum's upgrades that they include. Each one includes those before:
 *
 * - `cancun`: input costs 100 gas a byte.
 * - `prague`: input costs 16 gas a byte that is not zero and 4 for a zero, with a floor on all gas; transactions set code;
 *   BLS precompiles; a contract that holds the hashes of earlier blocks.
 * - `osaka`: the P256 precompile, other costs of modular exponentiation, the instruction CLZ, blob fields in headers.
 *
 * @category models
 */
export type Hardfork = typeof hardforks[number]

/**
 * All of them, oldest first.
 *
 * @category constants
 */
export const all: ReadonlyArray<Hardfork> = hardforks

/**
 * The newest: the default everywhere.
 *
 * @category constants
 */
export const latest: Hardfork = "osaka"

/**
 * Whether the rules of `hardfork` include those of `other`.
 *
 * @category guards
 */
export const includes = (hardfork: Hardfork, other: Hardfork): boolean => all.indexOf(hardfork) >= all.indexOf(other)
