/** The fee payers of a wallet, and whether they have coin. */
import type { CustodyFailure } from "@effect-klaytn/custody/CustodyError"
import type { RemoteChain } from "@effect-klaytn/custody/WalletChain"
import type { WalletStore } from "@effect-klaytn/custody/WalletStore"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/** 10 KLAY, in peb: the fee of some ten thousand transfers that another pays for. */
export const defaultLowBalance = 10n ** 19n

/** An address that pays fees. */
export interface FeePayer {
  readonly address: Hex
  /** The name of its pool; undefined for the global fee payer. */
  readonly pool: string | undefined
}

/** A fee payer, and what it has. */
export interface PayerBalance extends FeePayer {
  /** In peb. */
  readonly balance: bigint
  readonly isLow: boolean
}

/** The most that are looked at in a pool: the newest ones. */
export const mostInPool = 1000

/** How many are asked for at a time: one request of the node has many. */
const concurrency = 100

/** The global fee payer, and those of the pools, the newest first. */
export const list = (
  store: Pick<WalletStore, "pools" | "accounts">,
  global: Hex
): Effect.Effect<ReadonlyArray<FeePayer>, CustodyFailure> =>
  Effect.gen(function*() {
    const pools = (yield* store.pools).filter(({ type }) => type === "feepayer-pool").reverse()
    const found = yield* Effect.forEach(pools, (pool) => store.accounts(pool, { limit: mostInPool }))
    return [
      { address: global, pool: undefined },
      ...found.flat().map(({ address, pool }) => ({ address, pool: pool.name }))
    ]
  })

/** What each of them has. */
export const balances = (
  chain: Pick<RemoteChain, "account">,
  payers: ReadonlyArray<FeePayer>,
  lowBalance: bigint = defaultLowBalance
): Effect.Effect<ReadonlyArray<PayerBalance>, CustodyFailure> =>
  Effect.forEach(payers, (payer) =>
    Effect.map(chain.account(payer.address), (found) => {
      const balance = Option.match(found, { onNone: () => 0n, onSome: (account) => account.balance })
      return { ...payer, balance, isLow: balance < lowBalance }
    }), { concurrency })
