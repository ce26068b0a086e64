import type * as HexEncoding from "@effect-klaytn/core/HexEncoding"
import { blob, toHex } from "@effect-klaytn/indexer/Column"
import type { Key as KeyBody } from "@effect-klaytn/wallet/Account"
import type { ListedKey } from "@effect-klaytn/wallet/KeysApi"
import { createKeys } from "@effect-klaytn/wallet/WalletApi"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import type { Key } from "../store/WalletRecord.js"
import type { ChainWallet } from "../wallet/ChainWallet.js"
import { type ListQuery, servePage } from "./walletPage.js"
import type { PoolHeaders, WalletRequest } from "./WalletRequest.js"

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

/** Keys: creation, lists, and signing 32 bytes. */
export const make = (request: WalletRequest) => {
  const { refusals } = request
  const json = HttpServerResponse.unsafeJson

  const findKey = (keyId: string) =>
    Effect.gen(function*() {
      const wallet = yield* request.chainWallet
      const key = yield* request.mapStoreFailure(wallet.keyOf(keyId))
      if (key === undefined) return yield* Effect.fail(refusals.noData())
      return { wallet, key }
    })

  return {
    createKeys: (headers: PoolHeaders) =>
      Effect.gen(function*() {
        const wallet = yield* request.chainWallet
        const input = yield* request.json
        const size = typeof input === "object" && input !== null && !("size" in input) ? { size: 1 } : input
        const body = yield* request.decode(createKeys.request.payload, size)
        // A wallet's client names the account pool that the keys are for.
        const pools = yield* request.pools(wallet, headers, ["key-pool", "account-pool"])
        const now = yield* wallet.chain.now
        const keys = yield* request.mapStoreFailure(
          Effect.replicateEffect(wallet.createKey(pools["key-pool"], now), body.size)
        )
        return json({ items: keys.map((key) => writeKey(wallet, key)) })
      }),

    getKeys: (krn: string, query: ListQuery) =>
      Effect.gen(function*() {
        const wallet = yield* request.chainWallet
        const pool = yield* request.mapStoreFailure(wallet.poolOf(krn))
        if (pool === undefined) return yield* Effect.fail(refusals.noData(krn))
        return yield* servePage(request, {
          query,
          rowOf: ({ Address }) =>
            typeof Address === "string" && Address.startsWith(`${krn}:`)
              ? request.mapStoreFailure(wallet.keyPlace(Address))
              : Effect.succeed(undefined),
          read: (before, limit) => request.mapStoreFailure(wallet.keys(pool, { before, limit })),
          place: (key) => ({ Address: wallet.keyId(key), Type: "Key", key_pool: krn }),
          write: (key) => writeListedKey(wallet, key)
        })
      }),

    getKey: (keyId: string) => Effect.map(findKey(keyId), ({ key, wallet }) => json(writeKey(wallet, key))),

    deleteKey: (keyId: string) =>
      Effect.flatMap(
        findKey(keyId),
        ({ key, wallet }) => Effect.as(request.mapStoreFailure(wallet.dropKey(key)), json({ status: "deleted" }))
      ),

    sign: (keyId: string, data: HexEncoding.HexData) =>
      Effect.gen(function*() {
        if (data.length !== 66) return yield* Effect.fail(refusals.outOfRange("data"))
        const { key, wallet } = yield* findKey(keyId)
        const { recovery, rs } = yield* request.mapStoreFailure(wallet.sign(key, blob(data)))
        return json({ signedData: toHex(Buffer.from([...rs, recovery])) })
      })
  }
}
