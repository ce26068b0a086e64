import { ChainWallet } from "@effect-klaytn/custody/ChainWallet"
import * as DirectSends from "@effect-klaytn/custody/DirectSends"
import * as SqlWalletStore from "@effect-klaytn/custody/SqlWalletStore"
import type { Vault } from "@effect-klaytn/custody/Vault"
import * as CustodyWallet from "@effect-klaytn/custody/Wallet"
import { attempt, StoreFailure } from "@effect-klaytn/local-chain/ChainError"
import type { DevAccount } from "@effect-klaytn/local-chain/DevAccount"
import { deriveKey, deriveUuid } from "@effect-klaytn/service/Derive"
import type { Secp256k1 } from "@effect-klaytn/transaction/Secp256k1"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { randomBytes } from "node:crypto"
import type { Chain, ChainId } from "../../Chain.js"
import type { Chains } from "../../Chains.js"
import { newestState } from "../newestAccount.js"
import { sqlClient } from "../store/sqlClient.js"
import type { Store } from "../store/Store.js"
import { feeLedger, walletChain } from "./walletChain.js"

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
export interface Wallet extends CustodyWallet.Wallet {
  readonly chain: (chain: ChainId) => ChainWallet
}

/** Name of the service's own fee payer among the accounts of the seed. The blanks keep it apart from users' accounts. */
export const globalFeePayer = "global fee payer"

/** The initial balance of the service's own fee payer: a billion KLAY, in peb. */
export const payerBalance = 10n ** 27n

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

/** The service's own fee payer. It is funded in the genesis block, in older databases by the faucet. */
const filled = (chain: Chain, account: DevAccount): Effect.Effect<DevAccount, StoreFailure> => {
  const fill = Effect.mapError(
    chain.fund(account.address, payerBalance),
    (cause) => cause._tag === "StoreFailure" ? cause : new StoreFailure({ operation: "fund", cause })
  )
  return Effect.as(
    Effect.flatMap(newestState(chain, account.address), ({ balance }) => balance > 0n ? Effect.void : fill),
    account
  )
}

/** Opens the wallet of both chains. */
export const openWallet = (parts: WalletParts): Effect.Effect<Wallet, StoreFailure> =>
  Effect.gen(function*() {
    const customer = yield* attempt("wallet", () => customerOf(parts))
    const { curve, chains, keysOf, store, vault } = parts
    const sql = yield* sqlClient(store.driver)
    const account = chains.account(globalFeePayer)
    const make = (chainId: ChainId) => {
      const chain = chains.chain(chainId)
      const viewed = walletChain(chain)
      return new ChainWallet({
        chain: viewed,
        sends: DirectSends.make(viewed),
        store: SqlWalletStore.make(sql, chainId),
        fees: feeLedger(chain, store.chain(chainId).index.rows, account.address),
        vault,
        curve,
        customer,
        secret: secrets(keysOf, chainId),
        globalFeePayer: { address: account.address, open: filled(chain, account) }
      })
    }
    const [mainnet, testnet] = [make(8217), make(1001)] as const
    return {
      ...CustodyWallet.make(customer, [mainnet, testnet]),
      chain: (chainId) => chainId === 8217 ? mainnet : testnet
    }
  })
