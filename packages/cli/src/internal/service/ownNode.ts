/** The configuration for a node of one's own, which needs no credential of the service. */
import * as Chain from "@effect-klaytn/core/Chain"
import * as OwnNode from "@effect-klaytn/core/OwnNode"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { OwnNodeInput } from "../frame/shared.js"
import * as Failure from "../terminal/Failure.js"
import * as values from "../terminal/values.js"

/** The settings of the node that is meant, and its address. */
export const open = Effect.fnUntraced(function*({ chain, node, ownNode, sandbox }: OwnNodeInput) {
  if (sandbox) return yield* Failure.usage("give either a node or --sandbox")
  if (node !== undefined && ownNode) return yield* Failure.usage("give either --node or --own-node")
  const { authorization, url } = yield* values.ownNode(node)
  const settings = yield* OwnNode.make({
    chain: chain === "1001" ? Chain.testnet : Chain.mainnet,
    url: Redacted.make(url),
    authorization: authorization === undefined ? undefined : Redacted.make(authorization)
  }).pipe(
    // The address is one of the options.
    Effect.mapError(({ message }) => Failure.usage(message, "check --node, or KLAYTN_OWN_NODE_URL"))
  )
  return { settings, url }
})
