/**
 * The wallets of one customer's chains.
 */
import type { Chain } from "@effect-klaytn/core/Chain"
import * as Effect from "effect/Effect"
import type { ChainWallet } from "./ChainWallet.js"
import type { StoreFailure } from "./CustodyError.js"

/**
 * The wallets of the chains that are served, and whose they are.
 *
 * @category models
 */
export interface Wallet {
  /** ID of the customer, a part of all resource names. */
  readonly customer: string
  /** The wallets of all chains, in the order in which resources are listed. */
  readonly chains: ReadonlyArray<ChainWallet>
  /** The wallet of a chain; undefined if the chain is not served. */
  readonly chain: (chain: Chain) => ChainWallet | undefined
  /** Creates the missing pools of all types under these names on all chains. */
  readonly createPools: (names: ReadonlyArray<string>) => Effect.Effect<void, StoreFailure>
}

/**
 * The wallet of these chains.
 *
 * @category constructors
 */
export const make = (customer: string, chains: ReadonlyArray<ChainWallet>): Wallet => ({
  customer,
  chains,
  chain: (chainId) => chains.find(({ chain }) => chain.chainId === chainId),
  createPools: (names) =>
    Effect.forEach(names, (name) => Effect.forEach(chains, (wallet) => wallet.createPools(name), { discard: true }), {
      discard: true
    })
})
