/**
 * Methods of the small namespaces `net`, `web3` and `rpc`.
 *
 * @since 0.1.0
 */
import * as Hash from "@effect-klaytn/core/Hash"
import { BigIntFromQuantity } from "@effect-klaytn/core/Hex"
import * as Schema from "effect/Schema"
import * as Method from "./Method.js"
import * as Param from "./Param.js"

const net = { namespace: "net", safety: "safe" } as const

/**
 * The node's network.
 *
 * @since 0.1.0
 * @category methods
 */
export const netMethods = {
  networkId: Method.make({
    ...net,
    name: "networkID",
    summary: "The network's ID; a number by the node's code, a text by its documentation, both are read",
    params: () => [],
    result: Schema.Union(Schema.Int, Schema.compose(Schema.NumberFromString, Schema.Int))
  }),
  version: Method.make({
    ...net,
    name: "version",
    summary: "The network's ID as decimal digits",
    params: () => [],
    result: Schema.String
  }),
  listening: Method.make({
    ...net,
    name: "listening",
    summary: "Whether the node takes connections of other nodes",
    params: () => [],
    result: Schema.Boolean
  }),
  peerCount: Method.make({
    ...net,
    name: "peerCount",
    summary: "How many nodes it is connected to",
    params: () => [],
    result: BigIntFromQuantity
  }),
  peerCountByType: Method.make({
    ...net,
    name: "peerCountByType",
    summary: "How many nodes of each kind it is connected to",
    params: () => [],
    result: Schema.Record({ key: Schema.String, value: Schema.Int })
  })
}

/**
 * The namespace `web3`, which public endpoints mostly leave out.
 *
 * @since 0.1.0
 * @category methods
 */
export const web3Methods = {
  clientVersion: Method.make({
    namespace: "web3",
    safety: "safe",
    name: "clientVersion",
    summary: "The node's program and version",
    params: () => [],
    result: Schema.String
  }),
  sha3: Method.make({
    namespace: "web3",
    safety: "safe",
    name: "sha3",
    summary: "The Keccak-256 hash of some bytes",
    params: (data: string) => [Param.data("data", data)],
    result: Hash.FromWire
  })
}

/**
 * The namespace `rpc`.
 *
 * @since 0.1.0
 * @category methods
 */
export const rpcMethods = {
  modules: Method.make({
    namespace: "rpc",
    safety: "safe",
    name: "modules",
    summary: "The namespaces that are switched on, with their versions",
    params: () => [],
    result: Schema.Record({ key: Schema.String, value: Schema.String })
  })
}
