/**
 * The store of a wallet that is guarded: what is created, changed and deleted is written down first.
 */
import * as Effect from "effect/Effect"
import type { StoreFailure } from "./CustodyError.js"
import type { Keyring } from "./Keyring.js"
import type { WalletGuard } from "./WalletGuard.js"
import type { WalletStore } from "./WalletStore.js"

/**
 * Writes a line of the audit log before each change. A new key is stored only if the root that seals the key still is.
 *
 * @category constructors
 */
export const make = (
  store: WalletStore,
  { keyring, note }: Pick<WalletGuard, "note"> & { readonly keyring: Pick<Keyring, "keeping"> }
): WalletStore => {
  const noted = (
    entry: Parameters<WalletGuard["note"]>[0],
    change: Effect.Effect<void, StoreFailure>
  ): Effect.Effect<void, StoreFailure> => Effect.zipRight(note(entry), change)

  return {
    ...store,
    addPool: (type, name, now) =>
      Effect.flatMap(store.pools, (pools) =>
        pools.some((pool) => pool.type === type && pool.name === name)
          ? Effect.void
          : noted({ event: "created", what: type, subject: name }, store.addPool(type, name, now))),
    addKey: (pool, key, now) =>
      noted(
        { event: "created", what: `key in ${pool.name}`, subject: key.hash },
        keyring.keeping(key.sealed)(store.addKey(pool, key, now))
      ),
    dropKey: (key, now) => noted({ event: "deleted", what: "key", subject: key.hash }, store.dropKey(key, now)),
    destroyKey: (key, before) =>
      noted({ event: "deleted", what: "secret of a key", subject: key.hash }, store.destroyKey(key, before)),
    reviveKey: (key, sealed) =>
      noted(
        { event: "created", what: "key that was deleted", subject: key.hash },
        sealed === undefined ? store.reviveKey(key) : keyring.keeping(sealed)(store.reviveKey(key, sealed))
      ),
    reviveAccount: (account, now) =>
      noted(
        { event: "created", what: "account that was deleted", subject: account.address },
        store.reviveAccount(account, now)
      ),
    addAccount: (pool, address, key, now) =>
      noted(
        { event: "created", what: `account in ${pool.type} ${pool.name}`, subject: address },
        store.addAccount(pool, address, key, now)
      ),
    setDisabled: (account, isDisabled, now) =>
      noted(
        { event: "changed", what: isDisabled ? "account disabled" : "account enabled", subject: account.address },
        store.setDisabled(account, isDisabled, now)
      ),
    setMultiSig: (account, multiSig, now) =>
      noted(
        { event: "changed", what: "keys of the account", subject: account.address },
        store.setMultiSig(account, multiSig, now)
      ),
    dropAccount: (account, now) =>
      noted({ event: "deleted", what: "account", subject: account.address }, store.dropAccount(account, now))
  }
}
