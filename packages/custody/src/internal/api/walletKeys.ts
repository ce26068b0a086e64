import * as KeyId from "@effect-klaytn/core/KeyId"
import * as Krn from "@effect-klaytn/core/Krn"
import { bytesOf, fromBytes } from "@effect-klaytn/transaction/Hex"
import type { Key as KeyBody } from "@effect-klaytn/wallet/Account"
import { type ListedKey, sign } from "@effect-klaytn/wallet/KeysApi"
import { createKeys } from "@effect-klaytn/wallet/WalletApi"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import type { ChainWallet } from "../../ChainWallet.js"
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
        serve((request, { path }) => Effect.map(findKey(request, path.keyId), (key) => writeKey(request.wallet, key)))
      )
      .handleRaw(
        "deleteKey",
        serve((request, { path, urlParams }) =>
          Effect.gen(function*() {
            const { wallet } = request
            const dropped = yield* wallet.store.effects("dropped key")
            if (dropped.length > 0) return { status: "deleted" }
            const key = yield* findKey(request, path.keyId)
            yield* request.leavesCoin(urlParams, yield* wallet.store.usersOfKey(key))
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
