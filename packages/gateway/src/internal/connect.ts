/** The node of a gateway: its clients, its chain, and the block at which an index begins. */
import * as Chain from "@effect-klaytn/core/Chain"
import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import * as OwnNode from "@effect-klaytn/core/OwnNode"
import * as RetryPolicy from "@effect-klaytn/core/RetryPolicy"
import * as ServiceClient from "@effect-klaytn/core/ServiceClient"
import * as NodeSource from "@effect-klaytn/indexer/NodeSource"
import type * as HttpClient from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { GatewayError } from "../GatewayError.js"
import { limits } from "../NodeAccess.js"
import type { GatewayMetrics, Purpose } from "./GatewayMetrics.js"
import { nodeProblem } from "./nodeProblem.js"
import * as refusals from "./startRefusals.js"

/** The node: its address, and what it asks for. */
export interface NodeOptions extends Pick<OwnNode.Options, "url" | "authorization" | "rateLimit"> {}

/** Less than the time of a caller's request, so that its answer can say that the outcome of a transaction is not known. */
const callerTimeout = `${limits.seconds - 1} seconds` as const

const behaviours: Readonly<Record<Purpose, ClientConfig.Behaviour>> = {
  // Blocks are read many in a request.
  index: { attemptTimeout: "30 seconds", deadline: "2 minutes" },
  caller: {
    retry: RetryPolicy.none,
    attemptTimeout: callerTimeout,
    deadline: callerTimeout,
    maxResponseBytes: limits.answerBytes
  }
}

/** A client of the node, whose address and credential are checked; nothing is sent. */
export const client = (
  node: NodeOptions,
  chain: Chain.Chain,
  purpose: Purpose,
  metrics: GatewayMetrics
): Effect.Effect<ServiceClient.ServiceClient, GatewayError, HttpClient.HttpClient> =>
  Effect.provideServiceEffect(
    ServiceClient.make("node"),
    ClientConfig.ClientConfig,
    OwnNode.make({ ...node, ...behaviours[purpose], chain })
  ).pipe(
    Effect.mapBoth({
      onFailure: (error) =>
        refusals.address(
          error._tag === "InvalidInput"
            ? `invalid ${error.path.join(".")} of the node: ${error.problem}`
            : error.message
        ),
      onSuccess: (made) => metrics.counted(purpose, made)
    })
  )

/** The blocks of the node, if it is on the chain. */
export const source = (
  made: ServiceClient.ServiceClient,
  options: NodeSource.Options
): Effect.Effect<NodeSource.NodeSource, NodeSource.Failure | GatewayError, Scope.Scope> => {
  const { chain } = made.settings
  return Effect.filterOrFail(
    NodeSource.make(made, options),
    ({ chainId }) => chainId === chain,
    ({ chainId }) => refusals.chain(`the node is on chain ${chainId}, and the index has chain ${chain}`)
  )
}

/** The chain of the node, if it is one that is served. */
export const chainOf = (
  made: ServiceClient.ServiceClient
): Effect.Effect<Chain.Chain, NodeSource.Failure | GatewayError> =>
  Effect.flatMap(
    Effect.scoped(NodeSource.make(made)),
    ({ chainId }) =>
      Chain.is(chainId)
        ? Effect.succeed(chainId)
        : refusals.chain(`the node is on chain ${chainId}: a gateway serves 8217 (mainnet) and 1001 (testnet)`)
  )

/**
 * Whether a failure may pass by itself, so that a gateway whose index has a chain starts and tries again: any but one of
 * the credential, the address or the chain.
 */
export const mayPass = (failure: NodeSource.Failure | GatewayError): boolean =>
  failure._tag !== "GatewayError" &&
  !("category" in failure && (failure.category === "credential" || failure.category === "caller"))

/** A failure to ask the node as one that ends the start. */
export const refuse = (failure: NodeSource.Failure | GatewayError): GatewayError =>
  failure._tag === "GatewayError" ? failure : refusals.node(`the node can't be asked: ${nodeProblem(failure)}`)
