/**
 * Accounts that come into a wallet, or leave it, with their private keys.
 */
import type { Chain } from "@effect-klaytn/core/Chain"
import * as UnixTime from "@effect-klaytn/core/UnixTime"
import * as AccountKey from "@effect-klaytn/transaction/AccountKey"
import { bytesOf, fromBytes, type Hex } from "@effect-klaytn/transaction/Hex"
import * as PublicKey from "@effect-klaytn/transaction/PublicKey"
import type { Secp256k1 } from "@effect-klaytn/transaction/Secp256k1"
import type * as SqlClient from "@effect/sql/SqlClient"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type CustodyFailure, StoreFailure } from "./CustodyError.js"
import * as keyNames from "./internal/keyNames.js"
import * as tables from "./internal/tables.js"
import type { Sealer } from "./Vault.js"
import type { RemoteChain } from "./WalletChain.js"
import type { WalletGuard } from "./WalletGuard.js"
import type { PoolType } from "./WalletRecord.js"
import type { WalletStore } from "./WalletStore.js"

/**
 * An account can't be imported or exported. `Pool`: there is no such pool. `Taken`: the wallet has the account already. `Unknown`: the
 * wallet does not have the account. `Key`: the text is no private key. Nothing was written.
 *
 * @category errors
 */
export class KeyTransferError extends Data.TaggedError("KeyTransferError")<{
  readonly reason: "Pool" | "Taken" | "Unknown" | "Key"
  readonly message: string
}> {}

/**
 * The parts of a wallet that accounts come into. `store` writes what is created into the audit log, see `AuditedStore`.
 *
 * @category models
 */
export interface Parts {
  /** The database of the store. */
  readonly sql: SqlClient.SqlClient
  readonly chain: Chain
  readonly customer: string
  readonly store: WalletStore
  readonly sealer: Sealer
  readonly curve: Secp256k1
  readonly note: WalletGuard["note"]
}

const fail = (reason: KeyTransferError["reason"], message: string): KeyTransferError =>
  new KeyTransferError({ reason, message })

/**
 * Adds an account with its private key to a pool, and gives the address: all of it, with its lines of the audit log, or nothing. The
 * key that was stored is opened before. `account` is the address of an account
 * whose key was changed to this one; default: the address that belongs to the key. The chain is not asked: compare with
 * {@link isKeyOf} before. An account that has another key on the chain shows as corrupted.
 *
 * @category changes
 */
export const importAccount = (
  { chain, curve, customer, note, sealer, sql, store }: Parts,
  pool: { readonly type: Exclude<PoolType, "key-pool">; readonly name: string },
  secret: Uint8Array,
  account?: Hex
): Effect.Effect<Hex, KeyTransferError | StoreFailure> =>
  Effect.gen(function*() {
    const now = yield* UnixTime.now
    const found = (yield* store.pools).find(({ name, type }) => type === pool.type && name === pool.name)
    if (found === undefined) return yield* fail("Pool", `the wallet has no ${pool.type} ${pool.name}`)
    const publicKey = yield* Effect.try({
      try: () => fromBytes(curve.publicKey(secret)),
      catch: () => fail("Key", "the number is no private key")
    })
    const own = PublicKey.addressOf(bytesOf(publicKey))
    const address = account ?? own
    const hash = keyNames.hashOf(chain, publicKey)
    const known = yield* store.key(hash)
    // One key may be that of several accounts whose keys were changed.
    const hasKey = known?.sealed !== undefined
    if (hasKey && address === own || (yield* store.account(address)) !== undefined) {
      return yield* fail("Taken", `the wallet has the account ${address}, or its key`)
    }
    const name = keyNames.sealName(chain, customer, hash)
    const sealed = sealer.seal(name, secret)
    yield* note({ event: "owner", what: "import", subject: address })
    // The row of a key that was deleted stays.
    if (known === undefined) yield* store.addKey(found, { hash, publicKey, sealed }, now)
    else if (!hasKey) yield* store.reviveKey(known, sealed)
    const key = yield* store.key(hash)
    const opened = key?.sealed && sealer.open(name, key.sealed)
    const isSame = opened !== undefined && Buffer.compare(opened, secret) === 0
    opened?.fill(0)
    if (key === undefined || !isSame) {
      return yield* new StoreFailure({
        operation: "import",
        cause: new Error("the key that was stored can't be opened")
      })
    }
    yield* store.addAccount(found, address, key, now)
    return address
  }).pipe(tables.atomically(sql, "import"))

/**
 * Whether an account on the chain is signed for by a private key alone. An account that the chain does not know has the key of its
 * address.
 *
 * @category guards
 */
export const isKeyOf = (
  { chain, curve }: { readonly chain: Pick<RemoteChain, "account">; readonly curve: Secp256k1 },
  account: Hex,
  secret: Uint8Array
): Effect.Effect<boolean, CustodyFailure> =>
  Effect.map(chain.account(account), (found) => {
    const publicKey = curve.publicKey(secret)
    const signer = { publicKey: PublicKey.compressedOf(publicKey), address: PublicKey.addressOf(publicKey) }
    const key = Option.match(found, { onNone: () => AccountKey.legacy, onSome: (one) => one.key })
    return AccountKey.isSatisfiedBy(key, { role: "transaction", address: account, signers: [signer] })
  })

const destroyed = (address: Hex) =>
  fail("Unknown", `the key of ${address} was destroyed: import it from a keystore or a backup`)

/**
 * Gives an account back that was deleted, with its key, or an account's key that was deleted alone, and gives its pool. Fails with
 * `Taken` if neither was deleted, and with `Unknown` if the wallet never had the account, or if the secret of its key was destroyed: then
 * `importAccount` brings it back.
 *
 * @category changes
 */
export const undeleteAccount = (
  { store }: Pick<Parts, "store">,
  address: Hex
): Effect.Effect<string, KeyTransferError | StoreFailure> =>
  Effect.gen(function*() {
    const living = yield* store.account(address)
    if (living?.key.sealed !== undefined) {
      return yield* fail("Taken", `the wallet has the account ${address} and its key: nothing was deleted`)
    }
    const deleted = living ?? (yield* store.deletedAccount(address))
    if (deleted === undefined) return yield* fail("Unknown", `the wallet never had the account ${address}`)
    yield* living === undefined ? store.reviveAccount(deleted, yield* UnixTime.now) : store.reviveKey(deleted.key)
    const found = yield* store.account(address)
    if (found?.key.sealed !== undefined) return found.pool.name
    if (living === undefined) yield* store.dropAccount(deleted, yield* UnixTime.now)
    return yield* destroyed(address)
  })

/**
 * Gives a key back that was deleted, by the last part of its ID, and gives its pool. Fails as {@link undeleteAccount} does.
 *
 * @category changes
 */
export const undeleteKey = (
  { store }: Pick<Parts, "store">,
  hash: Hex
): Effect.Effect<string, KeyTransferError | StoreFailure> =>
  Effect.gen(function*() {
    const before = yield* store.key(hash)
    if (before === undefined) return yield* fail("Unknown", `the wallet never had the key ${hash}`)
    if (before.sealed !== undefined) return yield* fail("Taken", `the wallet has the key ${hash}: it was not deleted`)
    yield* store.reviveKey(before)
    const found = yield* store.key(hash)
    return found?.sealed === undefined
      ? yield* fail("Unknown", `the secret of the key ${hash} was destroyed`)
      : found.pool.name
  })

/**
 * The private key of an account. A line of the audit log is written first.
 *
 * @category reading
 */
export const exportAccount = (
  { chain, customer, note, sealer, store }: Parts,
  address: Hex
): Effect.Effect<Uint8Array, KeyTransferError | StoreFailure> =>
  Effect.gen(function*() {
    const account = yield* store.account(address)
    if (account?.key.sealed === undefined) return yield* fail("Unknown", `the wallet has no account ${address}`)
    yield* note({ event: "owner", what: "export", subject: address })
    const { hash, sealed } = account.key
    const secret = sealer.open(keyNames.sealName(chain, customer, hash), sealed)
    return secret ?? (yield* new StoreFailure({ operation: "export", cause: new Error("the key can't be opened") }))
  })
