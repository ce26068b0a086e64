/**
 * JSON-RPC methods of the small namespaces `net`, `web3` and `rpc`.
 */
import * as Schema from "effect/Schema"
import * as params from "./internal/methods/params.js"
import * as schemas from "./internal/records/schemas.js"
import * as Method from "./Method.js"

const net = Method.makeIn("net", "safe")
const web3 = Method.makeIn("web3", "safe")
const rpc = Method.makeIn("rpc", "safe")

/**
 * The methods of `net`: the node's network.
 *
 * @category methods
 */
export const netMethods = {
  /** `net_networkID`: the network ID: a number in the node's code, a string in its documentation; both are read. */
  networkId: net(
    "networkID",
    params.none,
    Schema.Union(Schema.Int, Schema.compose(Schema.NumberFromString, Schema.Int))
  ),
  /** `net_version`: the network ID as decimal digits. */
  version: net("version", params.none, Schema.String),
  /** `net_listening`: whether the node accepts connections from other nodes. */
  listening: net("listening", params.none, Schema.Boolean),
  /** `net_peerCount`: the number of nodes that it is connected to. */
  peerCount: net("peerCount", params.none, schemas.Quantity),
  /** `net_peerCountByType`: the number of nodes of each kind that it is connected to. */
  peerCountByType: net("peerCountByType", params.none, Schema.Record({ key: Schema.String, value: Schema.Int }))
}

/**
 * The methods of `web3`, which most public endpoints leave out.
 *
 * @category methods
 */
export const web3Methods = {
  /** `web3_clientVersion`: the node's software and version. */
  clientVersion: web3("clientVersion", params.none, Schema.String),
  /** `web3_sha3`: the Keccak-256 hash of some bytes. */
  sha3: web3("sha3", params.data, schemas.Hash)
}

/**
 * The methods of `rpc`.
 *
 * @category methods
 */
export const rpcMethods = {
  /** `rpc_modules`: the enabled namespaces, with their versions. */
  modules: rpc("modules", params.none, Schema.Record({ key: Schema.String, value: Schema.String }))
}
