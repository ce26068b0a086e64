/** Asks a service something that changes nothing, to see whether it answers. */
import * as Address from "@effect-klaytn/core/Address"
import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import * as Endpoints from "@effect-klaytn/core/Endpoints"
import type { ReadError } from "@effect-klaytn/core/ServiceError"
import * as TransferHistory from "@effect-klaytn/history/TransferHistory"
import * as KlaytnNode from "@effect-klaytn/node/KlaytnNode"
import type { RpcError } from "@effect-klaytn/node/RpcError"
import * as TokenData from "@effect-klaytn/tokens/TokenData"
import * as Resources from "@effect-klaytn/wallet/Resources"
import * as Wallet from "@effect-klaytn/wallet/Wallet"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Failure from "../terminal/Failure.js"
import { fromCause } from "../terminal/failureOf.js"

type Question = Effect.Effect<
  unknown,
  ReadError | RpcError | Failure.Failure,
  ClientConfig.ClientConfig | HttpClient.HttpClient
>

/** The smallest read of each service. */
const reads: Readonly<Record<Endpoints.Service, Question>> = {
  history: Effect.flatMap(
    TransferHistory.make(),
    (history) => history.getTransfersByEoa({ address: Address.zero, size: 1 })
  ),
  tokens: Effect.flatMap(
    TokenData.make(),
    (tokens) => tokens.getNftsByContractAddress({ contract: Address.zero, size: 1 })
  ),
  wallet: Effect.flatMap(Wallet.make(), (wallet) => wallet.getAccounts({ size: 1 })),
  node: Effect.gen(function*() {
    const { chain, klay } = yield* KlaytnNode.make()
    const theirs = yield* klay.chainId()
    if (theirs === BigInt(chain)) return
    const message = `it is a node of chain ${theirs}, and ${chain} is configured`
    return yield* new Failure.Failure({ message, kind: "OtherChain", exit: "refused" })
  }),
  resource: Effect.gen(function*() {
    const { pool } = yield* ClientConfig.ClientConfig
    const accountId = Option.match(pool, { onNone: () => "unknown", onSome: (krn) => krn.account })
    const resources = yield* Resources.make()
    return yield* resources.getResources({ accountId, size: 1 })
  })
}

/**
 * A refusal with a code of the service is an answer: the service is there and knows the credential. Without a code, a
 * proxy may have refused the request, or the service may have given up on it.
 */
const isAnswer = (error: { readonly _tag: string; readonly code?: unknown }): boolean =>
  (error._tag === "NotFound" || error._tag === "Rejected") && error.code !== undefined

/** Asks one service. A failure is part of the result. */
export const probe = Effect.fnUntraced(function*(service: Endpoints.Service) {
  const { endpoints } = yield* ClientConfig.ClientConfig
  const endpoint = endpoints[service]
  const client = yield* HttpClient.HttpClient
  const began = yield* Clock.currentTimeMillis
  let serverTime = Number.NaN
  const watched = HttpClient.tap(client, ({ headers }) =>
    Effect.sync(() => {
      if (headers["date"] !== undefined) serverTime = Date.parse(headers["date"])
    }))
  const failure = yield* reads[service].pipe(
    Effect.provideService(HttpClient.HttpClient, watched),
    Effect.catchIf(isAnswer, () => Effect.void),
    Effect.matchCause({ onFailure: (cause) => fromCause(cause), onSuccess: () => undefined })
  )
  const ended = yield* Clock.currentTimeMillis
  // A date has whole seconds: on average it is half a second later than it says.
  const skewSeconds = Number.isNaN(serverTime) ? undefined : (serverTime + 500 - (began + ended) / 2) / 1000
  return {
    host: endpoint === undefined ? service : Endpoints.host(endpoint),
    millis: ended - began,
    /** How far the service's clock is ahead of this one, if its answer has a date. */
    skewSeconds,
    failure
  }
})

export type Probe = Effect.Effect.Success<ReturnType<typeof probe>>
