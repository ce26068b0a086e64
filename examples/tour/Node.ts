/** The node client of the market's chain. */
import * as KlaytnNode from "@effect-klaytn/node/KlaytnNode"
import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Layer from "effect/Layer"

export const layer = KlaytnNode.layer().pipe(
  Layer.provide(Sandbox.clientConfig(1001)),
  Layer.provide(FetchHttpClient.layer)
)
