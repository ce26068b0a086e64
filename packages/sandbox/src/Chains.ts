/**
 * Two isolated chains in one database.
 */
import type { StoreFailure } from "@effect-klaytn/local-chain/ChainError"
import type * as DevAccount from "@effect-klaytn/local-chain/DevAccount"
import type { BlockClock } from "@effect-klaytn/local-chain/LocalChain"
import type { Hardfork } from "@effect-klaytn/transaction/Hardfork"
import type { Secp256k1 } from "@effect-klaytn/transaction/Secp256k1"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { Chain, ChainId, Mining } from "./Chain.js"
import * as chains from "./internal/openedChains.js"

export type { BlockClock } from "@effect-klaytn/local-chain/LocalChain"

/**
 * Options of the chains. All have defaults.
 *
 * @category models
 */
export interface ChainsOptions {
  /**
   * File of the database; created if missing, and open for these chains alone. Default: `:memory:`, gone with the process.
   */
  readonly database?: string
  /**
   * The seed from which the keys of the sandbox's own accounts are derived. Default: random, and kept in the database,
   * so that a file keeps its keys. A file that was created with another seed keeps that one.
   */
  readonly seed?: string
  /**
   * Accounts of the seed that the genesis block of both chains gives a balance in peb, by name. Default: none. A file
   * keeps the genesis block it was made with.
   */
  readonly accounts?: ReadonlyArray<{ readonly name: string; readonly balance: bigint }>
  /** The lowest base fee, in peb for one unit of gas. Default: 25 gpeb. */
  readonly unitPrice?: bigint
  /** The highest base fee, in peb for one unit of gas; `unitPrice` if it is less. Default: 30 times `unitPrice`. */
  readonly highestUnitPrice?: bigint
  /**
   * `moving` (default): by KIP-71 the base fee rises after a block that used more than 30,000,000 gas and falls after one that
   * used less, by at most a twentieth, from `unitPrice` to `highestUnitPrice`. `fixed`: every block has `unitPrice` as its base fee.
   * Prices, tips and the pool are the same with both. A file does not keep it; a file of an older version, whose transactions pay the
   * base fee alone, has `fixed` as its default.
   */
  readonly baseFee?: "fixed" | "moving"
  /** The chain's upgrade whose rules hold for transactions and execution. Default: `osaka`. A file does not keep it. */
  readonly hardfork?: Hardfork
  /**
   * `system` (default): blocks carry the time of the runtime's clock. Otherwise the genesis block has second `start` and
   * every block comes `step` seconds after the one before, so that equal calls make equal blocks.
   */
  readonly clock?: BlockClock
  /**
   * `auto` (default): a block with every transaction. `manual`: only when asked. An interval: a block of what waits every
   * so often, empty if nothing does.
   */
  readonly mining?: Mining
  /** How many transactions of a chain may wait; more are refused with `txpool is full`. Default: 5,120, the node's. */
  readonly poolSize?: number
  /**
   * Whether transactions that anchor data are taken, as by a node that was started with `--txpool.allow-local-anchortx`; else they are
   * refused with `locally anchoring chaindata tx is not allowed in this node`. Default: yes.
   */
  readonly anchoring?: boolean
  /**
   * Whether the transfer history also lists the coin that contracts move, as coin transfers without a mark. Default: false,
   * as no answer of the service was seen to list them. It holds for blocks from now on: a file does not keep it.
   */
  readonly internalTransfers?: boolean
  /** Curve operations. Default: WebAssembly, or pure JavaScript where that cannot be loaded. */
  readonly curve?: Secp256k1
}

/**
 * The two chains, and the accounts whose keys are derived from the seed.
 *
 * @example
 * ```ts
 * import * as DevAccount from "@effect-klaytn/local-chain/DevAccount"
 * import * as Chains from "@effect-klaytn/sandbox/Chains"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function*() {
 *   const chains = yield* Chains.Chains
 *   const chain = chains.chain(1001)
 *   const alice = chains.account("alice")
 *   yield* chain.fund(alice.address, 10n ** 18n)
 *   return yield* chain.transfers({ accounts: [alice.address], limit: 10 })
 * })
 *
 * const runnable = Effect.provide(program, Chains.layer({ clock: { start: 1_600_000_000, step: 1 }, seed: "docs" }))
 * ```
 *
 * @category services
 */
export class Chains extends Context.Tag("@effect-klaytn/sandbox/Chains")<Chains, {
  readonly chain: (chainId: ChainId) => Chain
  readonly all: ReadonlyArray<Chain>
  /** The account of a name; the same seed gives the same account. It is empty until it is funded. */
  readonly account: (name: string) => DevAccount.DevAccount
  /**
   * The same account, which the controls and the explorer of a sandbox know by this name from then on: they list it,
   * and `transfer` can send from it.
   */
  readonly register: (name: string) => DevAccount.DevAccount
  /** The seed of the keys: treat it like a private key of test accounts. */
  readonly seed: string
}>() {}

/**
 * Opens the chains for the lifetime of a scope. Fails if the database can't be opened: the file is not a sandbox
 * database, or another sandbox has it open, in this or another process.
 *
 * @category constructors
 */
export const make = (
  options: ChainsOptions = {}
): Effect.Effect<Context.Tag.Service<Chains>, StoreFailure, Scope.Scope> =>
  Effect.map(chains.open(options), ({ service }) => service)

/**
 * The chains as a layer, closed with its scope.
 *
 * @category layers
 */
export const layer = (options: ChainsOptions = {}): Layer.Layer<Chains, StoreFailure> =>
  Layer.scoped(Chains, make(options))
