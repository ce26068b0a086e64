/**
 * JSON-RPC methods of the small namespaces `net`, `web3` and `rpc`.
 */
import * as Hash from "@effect-klaytn/core/Hash"
import { BigIntFromQuantity } from "@effect-klaytn/core/HexEncoding"
import * as Schema from "effect/Schema"
import * as Method from "./Method.js"
import * as Param from "./Param.js"

const net = { namespace: "net", safety: "safe" } as const

/**
 * The methods of `net`: the node's network.
 *
 * @category methods
 */
export const netMethods = {
  /** `net_networkID`: the network ID: a number in the node's code, a string in its documentation; both are read. */
  networkId: Method.make({
    ...net,
    name: "networkID",
    params: () => [],
    result: Schema.Union(Schema.Int, Schema.compose(Schema.NumberFromString, Schema.Int))
  }),
  /** `net_version`: the network ID as decimal digits. */
  version: Method.make({
    ...net,
    name: "version",
    params: () => [],
    result: Schema.String
  }),
  /** `net_listening`: whether the node accepts connections from other nodes. */
  listening: Method.make({
    ...net,
    name: "listening",
    params: () => [],
    result: Schema.Boolean
  }),
  /** `net_peerCount`: the number of nodes that it is connected to. */
  peerCount: Method.make({
    ...net,
    name: "peerCount",
    params: () => [],
    result: BigIntFromQuantity
  }),
  /** `net_peerCountByType`: the number of nodes of each kind that it is connected to. */
  peerCountByType: Method.make({
    ...net,
    name: "peerCountByType",
    params: () => [],
    result: Schema.Record({ key: Schema.String, value: Schema.Int })
  })
}

/**
 * The methods of `web3`, which most public endpoints leave out.
 *
 * @category methods
 */
export const web3Methods = {
  /** `web3_clientVersion`: the node's software and version. */
  clientVersion: Method.make({
    namespace: "web3",
    safety: "safe",
    name: "clientVersion",
    params: () => [],
    result: Schema.String
  }),
  /** `web3_sha3`: the Keccak-256 hash of some bytes. */
  sha3: Method.make({
    namespace: "web3",
    safety: "safe",
    name: "sha3",
    params: (data: string) => [Param.data("data", data)],
    result: Hash.FromWire
  })
}

/**
 * The methods of `rpc`.
 *
 * @category methods
 */
export const rpcMethods = {
  /** `rpc_modules`: the enabled namespaces, with their versions. */
  modules: Method.make({
    namespace: "rpc",
    safety: "safe",
    name: "modules",
    params: () => [],
    result: Schema.Record({ key: Schema.String, value: Schema.String })
  })
}
