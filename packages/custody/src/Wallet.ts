import type { Secp256k1 } from "@effect-klaytn/transaction/Secp256k1"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { randomBytes } from "node:crypto"
import type { ChainId } from "../../Chain.js"
import type { StoreFailure } from "../../ChainError.js"
import type { Chains } from "../../Chains.js"
import { deriveKey, deriveUuid } from "../derive.js"
import { PendingStore } from "../store/PendingStore.js"
import type { Store } from "../store/Store.js"
import { WalletStore } from "../store/WalletStore.js"
import { ChainWallet } from "./ChainWallet.js"
import type { Vault } from "./Vault.js"

/** The parts of a wallet. */
export interface WalletParts {
  readonly chains: Context.Tag.Service<Chains>
  readonly store: Store
  readonly curve: Secp256k1
  readonly vault: Vault
  /** ID of the customer. Default: derived from the seed. A database keeps the one it was made with. */
  readonly customer: string | undefined
  /** The seed of the keys, derived one after the other; without it they are random. */
  readonly keysOf: string | undefined
}

/** The wallets of both chains, and whose they are. */
export type Wallet = ReturnType<typeof open>

/** Name of the service's own fee payer among the accounts of the seed. The blanks keep it apart from users' accounts. */
export const globalFeePayer = "global fee payer"

const customerName = "wallet customer"

const customerOf = ({ customer, chains, store }: WalletParts): string => {
  const kept = store.meta(customerName)
  if (kept !== undefined) return kept
  const chosen = customer ?? deriveUuid(chains.seed, "customer")
  store.setMeta(customerName, chosen)
  return chosen
}

const secrets = (seed: string | undefined, chainId: ChainId): () => Uint8Array => {
  if (seed === undefined) return () => randomBytes(32)
  let made = 0
  return () => deriveKey(seed, `wallet key ${chainId} ${made++}`)
}

/** Opens the wallet of both chains. Throws when the database fails. */
export const open = (parts: WalletParts) => {
  const customer = customerOf(parts)
  const { curve, chains, keysOf, store, vault } = parts
  const make = (chainId: ChainId) =>
    new ChainWallet({
      chain: chains.chain(chainId),
      store: new WalletStore(store.driver, chainId),
      pending: new PendingStore(store.driver, chainId),
      reader: store.chain(chainId).index.rows,
      vault,
      curve,
      customer,
      secret: secrets(keysOf, chainId),
      globalFeePayer: chains.account(globalFeePayer)
    })
  const mainnet = make(8217)
  const testnet = make(1001)
  /** Creates the missing pools of all types under these names on both chains. */
  const createPools = (names: ReadonlyArray<string>): Effect.Effect<void, StoreFailure> =>
    Effect.forEach(names, (name) => Effect.zipRight(mainnet.createPools(name), testnet.createPools(name)), {
      discard: true
    })
  return { chain: (chainId: ChainId): ChainWallet => chainId === 8217 ? mainnet : testnet, customer, createPools }
}
