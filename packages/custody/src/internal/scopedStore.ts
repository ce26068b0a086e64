import * as Effect from "effect/Effect"
import { StoreFailure } from "../CustodyError.js"
import type { Key, Pending, Pool, WalletAccount } from "../WalletRecord.js"
import type { WalletStore } from "../WalletStore.js"

const foreign = (operation: string): StoreFailure =>
  new StoreFailure({ operation, cause: new Error("the pool is not one of the caller's") })

/** A store without the pools of other names, and without what is in them. */
export const scopedStore = (store: WalletStore, names: ReadonlyArray<string>): WalletStore => {
  const isSeen = ({ name }: Pool): boolean => names.includes(name)

  const seen = (account: WalletAccount | undefined): WalletAccount | undefined =>
    account !== undefined && isSeen(account.pool) ? account : undefined

  const accountsOfKey: WalletStore["accountsOfKey"] = (publicKey) =>
    Effect.map(store.accountsOfKey(publicKey), (accounts) => accounts.filter(({ pool }) => isSeen(pool)))

  const isUsed = ({ publicKey }: Pick<Key, "publicKey">) =>
    Effect.map(accountsOfKey(publicKey), (accounts) => accounts.length > 0)

  /** A key in a pool that is seen, or of an account in one. */
  const isSeenKey = (key: Key) => isSeen(key.pool) ? Effect.succeed(true) : isUsed(key)

  /** The transaction of an account that is seen, or one that such an account may sign. */
  const isSeenPending = ({ account, multiSig }: Pending) =>
    Effect.flatMap(
      store.account(account),
      (owner) => seen(owner) !== undefined ? Effect.succeed(true) : Effect.exists(multiSig.keys, isUsed)
    )

  const within = <A>(operation: string, pool: Pool, change: Effect.Effect<A, StoreFailure>) =>
    isSeen(pool) && pool.id > 0 ? change : foreign(operation)

  return {
    ...store,
    pools: Effect.map(store.pools, (pools) => pools.filter(isSeen)),
    addPool: () => foreign("addPool"),
    addKey: (pool, key, now) => within("createKey", pool, store.addKey(pool, key, now)),
    key: (hash) =>
      Effect.flatMap(store.key(hash), (key) =>
        key === undefined
          ? Effect.succeed(key)
          : Effect.map(isSeenKey(key), (isKnown) => isKnown ? key : undefined)),
    keys: (pool, range) => isSeen(pool) ? store.keys(pool, range) : Effect.succeed([]),
    dropKey: (key, now) => within("dropKey", key.pool, store.dropKey(key, now)),
    setDisabled: (account, isDisabled, now) =>
      within("setDisabled", account.pool, store.setDisabled(account, isDisabled, now)),
    setMultiSig: (account, multiSig, now) =>
      within("afterUpdate", account.pool, store.setMultiSig(account, multiSig, now)),
    dropAccount: (account, now) => within("dropAccount", account.pool, store.dropAccount(account, now)),
    addAccount: (pool, address, key, now) => within("createAccount", pool, store.addAccount(pool, address, key, now)),
    account: (address) => Effect.map(store.account(address), seen),
    accounts: (pool, range) => isSeen(pool) ? store.accounts(pool, range) : Effect.succeed([]),
    accountsOfKey,
    pending: (id) =>
      Effect.flatMap(store.pending(id), (pending) =>
        pending === undefined
          ? Effect.succeed(pending)
          : Effect.map(isSeenPending(pending), (isKnown) => isKnown ? pending : undefined)),
    waiting: (of, { limit, ...range }) =>
      Effect.gen(function*() {
        const seenOnes: Array<Pending> = []
        for (let before = range.before; seenOnes.length < limit;) {
          const found = yield* store.waiting(of, { ...range, before, limit })
          seenOnes.push(...(yield* Effect.filter(found, isSeenPending)))
          before = found.at(-1)?.id
          if (found.length < limit) break
        }
        return seenOnes.slice(0, limit)
      })
  }
}
