import * as ChainId from "@effect-klaytn/core/Chain"
import { answer, type Refusal, type ServiceRefusals } from "@effect-klaytn/service/ServiceRefusals"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Chain } from "../../Chain.js"
import type { Settings } from "../NodeSettings.js"
import type { CredentialStore } from "./CredentialStore.js"
import type { Guards } from "./guard.js"
import type { Upgrades } from "./upgrades.js"

/** Loaded with the first WebSocket connection. */
const socket = Effect.promise(() => import("../rpc/socket.js"))

const readChain = Schema.decodeUnknownOption(ChainId.FromString)

/** The chain that the query of a URL names; a client of WebSocket can't always send headers. */
const chainOf = (url: string): ChainId.Chain | undefined =>
  Option.getOrUndefined(readChain(new URLSearchParams(url.split("?", 2)[1]).get("chain-id")))

/** A refusal with the status and the body that it has over HTTP. */
const refuse = (refusal: Refusal) => {
  const { code, message, requestId } = refusal
  return { status: answer(refusal).status, json: { code, message, requestId } }
}

/**
 * The service's WebSocket connections: `/v1/ws/open?chain-id=1001` with the credential (HTTP Basic). A connection has the
 * methods of a node, and subscriptions.
 */
export const make = (parts: {
  readonly chain: (chainId: ChainId.Chain) => Chain
  readonly credentials: CredentialStore
  readonly refusals: ServiceRefusals
  readonly guards: Guards
  readonly settings: Settings
}): Upgrades => ({
  owns: (path) => path === "/v1/ws/open",
  whyNot: (request, url) => {
    const foreign = parts.guards.whyNotService(request)
    if (foreign !== undefined) return foreign
    const verdict = parts.credentials.check(request.headers["authorization"])
    if (verdict === "malformed") return refuse(parts.refusals.noCredential())
    if (verdict === "wrong") return refuse(parts.refusals.wrongCredential())
    return chainOf(url) === undefined ? refuse(parts.refusals.query()) : undefined
  },
  make: Effect.flatMap(socket, (module) =>
    module.make({
      settings: parts.settings,
      target: (url) => {
        const chainId = chainOf(url)
        return chainId === undefined ? undefined : { chain: parts.chain(chainId) }
      }
    }))
})
