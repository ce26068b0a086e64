/**
 * What a transaction pays for gas and how far its execution may go. A chain has the rules that it was made with, for good: its
 * blocks are executed again for traces, and have to come to the same.
 */
import * as Option from "effect/Option"

/** A price for a unit of gas as a part of the base fee, in hundredths. */
type Hundredths = bigint

/** One set of rules. */
export interface Rules {
  /** Whether the base fee moves if nothing else was asked for. */
  readonly baseFee: "fixed" | "moving"
  /** The rules in words. */
  readonly description: string
  /** Whether the whole offer is paid, with tips, where the base fee is fixed; where it moves it always is. */
  readonly paysOffers: boolean
  /** What is suggested to offer: at the lowest base fee or where nobody pays tips, and else, in hundredths of the base fee. */
  readonly suggestion: { readonly fixed: Hundredths; readonly moving: Hundredths; readonly tipping: Hundredths }
  /** The most gas for the execution of a transaction. */
  readonly executionGas: bigint | undefined
  /** The most computation cost of a transaction. */
  readonly computationCost: bigint | undefined
  /** Whether contracts run as on Kaia 2.2 where that is not as on Ethereum, and blocks name their proposer as miner. */
  readonly isKaia: boolean
}

/** The rules by the name that a storage keeps, the oldest first. */
const table = {
  constantPrice: {
    baseFee: "fixed",
    description: "every transaction pays the base fee alone, and executes 30,000,000 gas at most",
    paysOffers: false,
    suggestion: { fixed: 100n, moving: 200n, tipping: 200n },
    executionGas: 30_000_000n,
    computationCost: undefined,
    isKaia: false
  },
  offeredPrice: {
    baseFee: "moving",
    description: "a transaction pays what it offers, and executes 150,000,000 of computation cost at most",
    paysOffers: true,
    suggestion: { fixed: 110n, moving: 110n, tipping: 115n },
    executionGas: undefined,
    computationCost: 150_000_000n,
    isKaia: false
  },
  kaiaExecution: {
    baseFee: "moving",
    description: "a transaction pays what it offers, and contracts run as on Kaia 2.2",
    paysOffers: true,
    suggestion: { fixed: 110n, moving: 110n, tipping: 115n },
    executionGas: undefined,
    computationCost: 150_000_000n,
    isKaia: true
  }
} as const satisfies { readonly [name: string]: Rules }

export type RulesName = keyof typeof table

/** The rules of a chain that is made today. */
export const newest: RulesName = "kaiaExecution"

/** The rules of a chain whose storage keeps no name: it was made before there were others. */
const oldest: RulesName = "constantPrice"

const isRulesName = (name: string): name is RulesName => Object.hasOwn(table, name)

/** The rules that a storage names. */
export const named = (name: string | undefined): Option.Option<RulesName> =>
  name === undefined ? Option.some(oldest) : Option.liftPredicate(isRulesName)(name)

/** Looks rules up. */
export const rulesOf = (name: RulesName): Rules => table[name]
