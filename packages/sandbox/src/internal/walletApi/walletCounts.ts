import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import { attempt } from "../chain/reads.js"
import type { PoolHeaders, WalletRequest } from "./WalletRequest.js"

/** How much the customer has. */
export const make = (request: WalletRequest) => {
  const json = HttpServerResponse.unsafeJson
  const accountId = request.wallet.customer
  return {
    /** Accounts have a key each, so the keys are both. */
    countAccounts: Effect.gen(function*() {
      const { store } = yield* request.chainWallet
      return json({ accountId, count: yield* request.mapStoreFailure(attempt("count", () => store.countKeys())) })
    }),

    countAccountsInPool: (headers: PoolHeaders) =>
      Effect.gen(function*() {
        const wallet = yield* request.chainWallet
        const { "account-pool": pool } = yield* request.pools(wallet, headers)
        const count = yield* request.mapStoreFailure(attempt("count", () => wallet.store.countAccounts(pool)))
        return json({ accountId, count, krn: wallet.krn(pool) })
      })
  }
}
