import type { Request } from "@effect-klaytn/core/Operation"
import type { getResources, Resource } from "@effect-klaytn/wallet/ResourcesApi"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import { boundsOf, servePage } from "./walletPage.js"
import { type WalletService, WalletServiceApi } from "./WalletService.js"

/** The pools of the customer on all chains, newest first; the default pools are the last. */
const list = (service: WalletService, accountId: string, query: Request<typeof getResources>["urlParams"]) =>
  Effect.gen(function*() {
    const { customer } = service.wallet
    const { from = 0, to = Number.POSITIVE_INFINITY } = boundsOf(query)
    const all = yield* Effect.forEach(service.wallet.chains, (wallet) =>
      Effect.gen(function*() {
        const { chainId } = wallet.chain
        const begin = yield* wallet.chain.genesisTime
        const pools = yield* (yield* service.seen(wallet)).store.pools
        return pools.map((pool): typeof Resource.Encoded => ({
          accountId: customer,
          chainId,
          // The default pools are as old as the chain.
          createdAt: Math.max(pool.createdAt, begin),
          default: pool.name === "default",
          krn: wallet.krn(pool),
          resourceId: pool.name,
          resourceType: pool.type,
          serviceId: "wallet"
        }))
      }))
    const matching = all.flat().toSorted((one, other) => other.createdAt - one.createdAt).filter((one) =>
      accountId === customer && one.createdAt >= from && one.createdAt <= to &&
      (query["resource-type"] ?? one.resourceType) === one.resourceType &&
      (query["service-id"] ?? one.serviceId) === one.serviceId
    )
    return yield* servePage(service, {
      query,
      rowOf: ({ krn }) => {
        const index = matching.findIndex((one) => one.krn === krn)
        return Effect.succeed(index < 0 ? undefined : index)
      },
      read: (before, limit) => {
        const start = before === undefined ? 0 : before + 1
        return Effect.succeed(matching.slice(start, start + limit))
      },
      place: ({ krn }) => ({ krn }),
      write: (one) => one,
      empty: () => service.refusals.noResources()
    })
  })

/** The list of resources, as the contract has it. */
export const resourcesLayer = (service: WalletService) =>
  HttpApiBuilder.group(WalletServiceApi, "resource", (handlers) =>
    handlers.handleRaw(
      "getResources",
      service.serve((_, { path, urlParams }) => list(service, path.accountId, urlParams))
    ))
