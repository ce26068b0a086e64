import type { Chain } from "@effect-klaytn/core/Chain"
import { sandboxHeader } from "@effect-klaytn/core/ServiceTime"
import type { BlockClock } from "@effect-klaytn/local-chain/LocalChain"
import { chainOf } from "@effect-klaytn/service/ServiceAccess"
import type * as HttpApp from "@effect/platform/HttpApp"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** Says in each answer the time of the chain that was asked, if it is not this machine's: it has a clock of its own, or was moved. */
export const withChainTime = (
  app: HttpApp.Default,
  clock: BlockClock = "system",
  timeOf: (chain: Chain) => Effect.Effect<number>
): HttpApp.Default =>
  Effect.gen(function*() {
    const response = yield* app
    const chain = chainOf(yield* HttpServerRequest.HttpServerRequest)
    if (chain === undefined) return response
    const time = yield* timeOf(chain)
    const isOwn = clock !== "system" || time * 1000 > (yield* Clock.currentTimeMillis)
    return isOwn ? HttpServerResponse.setHeader(response, sandboxHeader, String(time)) : response
  })
