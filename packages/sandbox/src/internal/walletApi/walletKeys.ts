import type * as Hex from "@effect-klaytn/core/Hex"
import type { Key as KeyBody } from "@effect-klaytn/wallet/Key"
import type { ListedKey } from "@effect-klaytn/wallet/WalletAdditionsApi"
import { createKeys } from "@effect-klaytn/wallet/WalletApi"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import { blob, toHex } from "../store/Cell.js"
import type { Key } from "../store/WalletRecord.js"
import type { ChainWallet } from "../wallet/ChainWallet.js"
import { type Listed, walletPage } from "./walletPage.js"
import type { PoolHeaders, WalletRequest } from "./WalletRequest.js"

const listed = (wallet: ChainWallet, key: Key): typeof ListedKey.Encoded => ({
  keyId: wallet.keyId(key),
  krn: wallet.krn(key.pool),
  publicKey: key.publicKey
})

/** The sealed secret stands for the service's encrypted one: nobody else can open it. */
const whole = (wallet: ChainWallet, key: Key): typeof KeyBody.Encoded => ({
  blob: key.sealed === undefined ? "0x" : toHex(key.sealed),
  ...listed(wallet, key)
})

/** Keys: creation, lists, and signing 32 bytes. */
export const make = (desk: WalletRequest) => {
  const { refusals } = desk
  const json = HttpServerResponse.unsafeJson

  const found = (keyId: string) =>
    Effect.gen(function*() {
      const wallet = yield* desk.here
      const key = yield* desk.stored(wallet.keyOf(keyId))
      if (key === undefined) return yield* Effect.fail(refusals.noData())
      return { wallet, key }
    })

  return {
    createKeys: (headers: PoolHeaders) =>
      Effect.gen(function*() {
        const wallet = yield* desk.here
        const given = yield* desk.json
        const size = typeof given === "object" && given !== null && !("size" in given) ? { size: 1 } : given
        const body = yield* desk.decode(createKeys.request.payload, size)
        const pools = yield* desk.pools(wallet, headers)
        const now = yield* wallet.chain.now
        const keys = yield* desk.stored(
          Effect.replicateEffect(wallet.createKey(pools["key-pool"], now), body.size)
        )
        return json({ items: keys.map((key) => whole(wallet, key)) })
      }),

    getKeys: (krn: string, query: Listed) =>
      Effect.gen(function*() {
        const wallet = yield* desk.here
        const pool = yield* desk.stored(wallet.poolOf(krn))
        if (pool === undefined) return yield* Effect.fail(refusals.noData(krn))
        return yield* walletPage(desk, {
          query,
          rowOf: ({ Address }) =>
            typeof Address === "string" && Address.startsWith(`${krn}:`)
              ? desk.stored(wallet.keyPlace(Address))
              : Effect.succeed(undefined),
          read: (before, limit) => desk.stored(wallet.keys(pool, { before, limit })),
          place: (key) => ({ Address: wallet.keyId(key), Type: "Key", key_pool: krn }),
          write: (key) => listed(wallet, key)
        })
      }),

    getKey: (keyId: string) => Effect.map(found(keyId), ({ key, wallet }) => json(whole(wallet, key))),

    deleteKey: (keyId: string) =>
      Effect.flatMap(
        found(keyId),
        ({ key, wallet }) => Effect.as(desk.stored(wallet.dropKey(key)), json({ status: "deleted" }))
      ),

    sign: (keyId: string, data: Hex.HexData) =>
      Effect.gen(function*() {
        if (data.length !== 66) return yield* Effect.fail(refusals.outOfRange("data"))
        const { key, wallet } = yield* found(keyId)
        const { recovery, rs } = yield* desk.stored(wallet.sign(key, blob(data)))
        return json({ signedData: toHex(Buffer.from([...rs, recovery])) })
      })
  }
}
