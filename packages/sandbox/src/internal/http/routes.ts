import { operations as data } from "@effect-klaytn/indexer/DataApp"
import { find, type Operation } from "@effect-klaytn/service/Route"
import * as Effect from "effect/Effect"

/** The wallet's contracts are half of all, and are loaded by the first request that may need them. */
const wallet: Effect.Effect<ReadonlyArray<Operation>> = Effect.map(
  Effect.promise(() => import("@effect-klaytn/custody/WalletRoutes")),
  ({ operations }) => operations
)

/** All operations that are served. */
export const operations: Effect.Effect<ReadonlyArray<Operation>> = Effect.map(wallet, (others) => [...data, ...others])

/** The operation that a request is for, if there is one. */
export const operationOf = (method: string, url: string): Effect.Effect<Operation | undefined> => {
  const found = find(data, method, url)
  return found === undefined ? Effect.map(wallet, (others) => find(others, method, url)) : Effect.succeed(found)
}
