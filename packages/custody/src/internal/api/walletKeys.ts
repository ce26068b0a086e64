import * as KeyId from "@effect-klaytn/core/KeyId"
import * as Krn from "@effect-klaytn/core/Krn"
import { bytesOf, fromBytes } from "@effect-klaytn/transaction/Hex"
import type { Key as KeyBody } from "@effect-klaytn/wallet/Account"
import { type ListedKey, sign } from "@effect-klaytn/wallet/KeysApi"
import { createKeys } from "@effect-klaytn/wallet/WalletApi"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import type { ChainWallet } from "../../ChainWallet.js"
import { WalletRefused } from "../../CustodyError.js"
import type { Key } from "../../WalletRecord.js"
import { type ListQuery, servePage } from "./walletPage.js"
import type { PoolHeaders, WalletRequest } from "./WalletRequest.js"
import { type WalletService, WalletServiceApi } from "./WalletService.js"

const writeListedKey = (wallet: ChainWallet, key: Key): typeof ListedKey.Encoded => ({
  keyId: wallet.keyId(key),
  krn: wallet.krn(key.pool),
  publicKey: key.publicKey
})

/** The service returns the secret encrypted. Here it is the sealed secret, which only this wallet can open. */
const writeKey = (wallet: ChainWallet, key: Key): typeof KeyBody.Encoded => ({
  blob: key.sealed === undefined ? "0x" : fromBytes(key.sealed),
  ...writeListedKey(wallet, key)
})

/** Creates keys. A client of the wallet names the account pool whose accounts will use the keys. */
export const newKeys = (request: WalletRequest, { headers }: { readonly headers: PoolHeaders }) =>
  Effect.gen(function*() {
    const { wallet } = request
    const input = yield* request.json
    const sized = typeof input === "object" && input !== null && !("size" in input) ? { size: 1 } : input
    const { size } = yield* request.decode(createKeys.request.payload, sized)
    const pools = yield* request.pools(headers, ["key-pool", "account-pool"])
    const keys = yield* wallet.createKeys(pools["key-pool"], size)
    return { items: keys.map((key) => writeKey(wallet, key)) }
  })

const getKeys = (request: WalletRequest, krn: string, query: ListQuery) =>
  Effect.gen(function*() {
    const { wallet } = request
    const pool = yield* wallet.poolOf(krn)
    if (pool === undefined) return yield* request.refusals.fail("noData", krn)
    return yield* servePage(request, {
      query,
      rowOf: ({ Address }) =>
        typeof Address === "string" && Address.startsWith(`${krn}:`)
          ? wallet.keyPlace(Address)
          : Effect.succeed(undefined),
      read: (before, limit) => wallet.keys(pool, { before, limit }),
      place: (key) => ({ Address: wallet.keyId(key), Type: "Key", key_pool: krn }),
      write: (key) => writeListedKey(wallet, key)
    })
  })

/** Whether a key is in a pool of the caller. One that an account of the caller uses is seen, too. */
const isInOwnPool = ({ store }: ChainWallet, { pool }: Key) =>
  Effect.map(store.pools, (pools) => pools.some(({ id }) => id === pool.id))

/**
 * The accounts that use a key that a caller deletes. A caller with pools may not delete what is in others, or stops an account there: whoever may
 * see a key may not change it.
 */
const usersOf = ({ wallet }: WalletRequest, key: Key) =>
  Effect.gen(function*() {
    const users = yield* wallet.store.usersOfKey(key)
    const seen = yield* Effect.forEach(users, (address) => wallet.store.account(address))
    if (!(yield* isInOwnPool(wallet, key)) || seen.includes(undefined)) {
      return yield* new WalletRefused({
        reason: "pool",
        message: "the key, or an account that uses it, is in a pool that the caller may not use"
      })
    }
    return users
  })

const findKey = ({ refusals, wallet }: WalletRequest, keyId: KeyId.KeyId) =>
  Effect.gen(function*() {
    return (yield* wallet.keyOf(KeyId.format(keyId))) ?? (yield* refusals.fail("noData"))
  })

/** Lists, reads and deletes keys, and signs 32 bytes with a key. */
export const keysLayer = ({ serve }: WalletService) =>
  HttpApiBuilder.group(WalletServiceApi, "keys", (handlers) =>
    handlers
      .handleRaw(
        "getKeys",
        serve((request, { urlParams: { krn, ...query } }) => getKeys(request, Krn.format(krn), query))
      )
      .handleRaw(
        "getKey",
        serve((request, { path }) =>
          Effect.gen(function*() {
            const key = yield* findKey(request, path.keyId)
            const isOwn = yield* isInOwnPool(request.wallet, key)
            return writeKey(request.wallet, isOwn ? key : { ...key, sealed: undefined })
          })
        )
      )
      .handleRaw(
        "deleteKey",
        serve((request, { path, urlParams }) =>
          Effect.gen(function*() {
            const { wallet } = request
            const dropped = yield* wallet.store.effects("dropped key")
            if (dropped.length > 0) return { status: "deleted" }
            const key = yield* findKey(request, path.keyId)
            yield* request.leavesCoin(urlParams, yield* usersOf(request, key))
            yield* wallet.dropKey(key)
            return { status: "deleted" }
          })
        )
      )
      .handleRaw(
        "sign",
        serve((request, { path }) =>
          Effect.gen(function*() {
            const { data } = yield* request.body(sign.request.payload)
            if (data.length !== 66) return yield* request.refusals.fail("outOfRange", "data")
            const key = yield* findKey(request, path.keyId)
            const { recovery, rs } = yield* request.wallet.sign(key, bytesOf(data))
            return { signedData: fromBytes(Buffer.from([...rs, recovery])) }
          })
        )
      ))
