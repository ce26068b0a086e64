/** The gateway's package, which is installed beside the command, and its errors as those of the command. */
import type { GatewayError } from "@effect-klaytn/gateway/command"
import * as Effect from "effect/Effect"
import * as beside from "../terminal/beside.js"
import * as Failure from "../terminal/Failure.js"
import * as Screen from "../terminal/Screen.js"

export const load = beside.load("gateway", () => import("@effect-klaytn/gateway/command"))

/** Another process may close the file, and the node may answer later. Everything else has to be corrected. */
const passing: ReadonlySet<GatewayError["reason"]> = new Set(["Locked", "Node"])

export const failureOf = ({ _tag, message, reason }: GatewayError): Failure.Failure =>
  new Failure.Failure({
    message: Screen.clean(message),
    kind: _tag,
    exit: passing.has(reason) ? "tryAgain" : "usage",
    hints: reason === "Address" ? ["give the address of the node with --node, or set KLAYTN_OWN_NODE_URL"] : []
  })

/** The failure of what asks a node at an address. What looks there for a sandbox is loaded when it is needed. */
export const failureAt = (url: string | undefined) => (error: GatewayError) =>
  error.reason !== "Node" || url === undefined
    ? failureOf(error)
    : Effect.promise(() => import("../service/ownNode.js")).pipe(
      Effect.flatMap(({ refuseSandbox }) => refuseSandbox(url)),
      Effect.zipRight(failureOf(error))
    )
