import * as KeyId from "@effect-klaytn/core/KeyId"
import * as Krn from "@effect-klaytn/core/Krn"
import { blob, toHex } from "@effect-klaytn/indexer/Column"
import type { Key as KeyBody } from "@effect-klaytn/wallet/Account"
import { type ListedKey, sign } from "@effect-klaytn/wallet/KeysApi"
import { createKeys } from "@effect-klaytn/wallet/WalletApi"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import type { Key } from "../store/WalletRecord.js"
import type { ChainWallet } from "../wallet/ChainWallet.js"
import { type ListQuery, servePage } from "./walletPage.js"
import { type PoolHeaders, type WalletRequest, WalletServiceApi } from "./WalletRequest.js"

const writeListedKey = (wallet: ChainWallet, key: Key): typeof ListedKey.Encoded => ({
  keyId: wallet.keyId(key),
  krn: wallet.krn(key.pool),
  publicKey: key.publicKey
})

/** The sealed secret stands for the service's encrypted one: only this wallet can open it. */
const writeKey = (wallet: ChainWallet, key: Key): typeof KeyBody.Encoded => ({
  blob: key.sealed === undefined ? "0x" : toHex(key.sealed),
  ...writeListedKey(wallet, key)
})

/** Creates keys. A wallet's client names the account pool that the keys are for. */
export const newKeys = (request: WalletRequest, headers: PoolHeaders) =>
  Effect.gen(function*() {
    const wallet = yield* request.chainWallet
    const input = yield* request.json
    const sized = typeof input === "object" && input !== null && !("size" in input) ? { size: 1 } : input
    const { size } = yield* request.decode(createKeys.request.payload, sized)
    const pools = yield* request.pools(wallet, headers, ["key-pool", "account-pool"])
    const now = yield* wallet.chain.now
    const keys = yield* Effect.replicateEffect(wallet.createKey(pools["key-pool"], now), size)
    return { items: keys.map((key) => writeKey(wallet, key)) }
  })

const getKeys = (request: WalletRequest, krn: string, query: ListQuery) =>
  Effect.gen(function*() {
    const wallet = yield* request.chainWallet
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

/** Keys: lists, what may be done to one, and signing 32 bytes. */
export const keysLayer = (request: WalletRequest) => {
  const { refusals, serve } = request
  const findKey = (keyId: KeyId.KeyId) =>
    Effect.gen(function*() {
      const wallet = yield* request.chainWallet
      const key = yield* wallet.keyOf(KeyId.format(keyId))
      return key === undefined ? yield* refusals.fail("noData") : { wallet, key }
    })
  return HttpApiBuilder.group(WalletServiceApi, "keys", (handlers) =>
    handlers
      .handleRaw("getKeys", serve(({ urlParams: { krn, ...query } }) => getKeys(request, Krn.format(krn), query)))
      .handleRaw(
        "getKey",
        serve(({ path }) => Effect.map(findKey(path.keyId), ({ key, wallet }) => writeKey(wallet, key)))
      )
      .handleRaw(
        "deleteKey",
        serve(({ path }) =>
          Effect.flatMap(
            findKey(path.keyId),
            ({ key, wallet }) => Effect.as(wallet.dropKey(key), { status: "deleted" })
          )
        )
      )
      .handleRaw(
        "sign",
        serve(({ path }) =>
          Effect.gen(function*() {
            const { data } = yield* request.body(sign.request.payload)
            if (data.length !== 66) return yield* refusals.fail("outOfRange", "data")
            const { key, wallet } = yield* findKey(path.keyId)
            const { recovery, rs } = yield* wallet.sign(key, blob(data))
            return { signedData: toHex(Buffer.from([...rs, recovery])) }
          })
        )
      ))
}
