import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import { attempt } from "../chain/reads.js"
import type { PoolHeaders, WalletRequest } from "./WalletRequest.js"

/** How much the customer has. */
export const make = (desk: WalletRequest) => {
  const json = HttpServerResponse.unsafeJson
  const accountId = desk.wallet.customer
  return {
    /** Accounts have a key each, so the keys are both. */
    countAccounts: Effect.gen(function*() {
      const { store } = yield* desk.here
      return json({ accountId, count: yield* desk.stored(attempt("count", () => store.countKeys())) })
    }),

    countAccountsInPool: (headers: PoolHeaders) =>
      Effect.gen(function*() {
        const wallet = yield* desk.here
        const { "account-pool": pool } = yield* desk.pools(wallet, headers)
        const count = yield* desk.stored(attempt("count", () => wallet.store.countAccounts(pool)))
        return json({ accountId, count, krn: wallet.krn(pool) })
      })
  }
}
