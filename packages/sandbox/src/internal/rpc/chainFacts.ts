import { bytesOf, fromBytes, type Hex, quantity } from "@effect-klaytn/transaction/Hex"
import { keccak_256 } from "@noble/hashes/sha3.js"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { Chain } from "../../Chain.js"
import { NodeSettings } from "../NodeSettings.js"
import { blockNumber, findOrNull, type Selector } from "./BlockSelector.js"
import { failure, type Method, method, type Methods } from "./Method.js"
import { bytes, data, type Decoded, hash, index, make, ParamError, uint64, wrongType } from "./ParamDecoder.js"

/** The version of the chain's protocol whose rules the sandbox follows. */
const protocolVersion = quantity(67)

/** Names this program. */
export const clientVersion = `effect-klaytn-sandbox/${process.platform}-${process.arch}/node${process.version}`

/** A method that always answers the same. */
const fixed = (result: unknown): Method => method([], () => Effect.succeed(result))

const chainId = method([], ({ chainId }) => Effect.succeed(quantity(chainId)))

const sha3 = method([data], (_, bytes: Hex) => Effect.succeed(fromBytes(keccak_256(bytesOf(bytes)))))

/** Facts about the chain and this process. A sandbox never syncs: it has no peers. */
export const klayFacts: Methods = {
  chainID: chainId,
  chainId,
  clientVersion: fixed(clientVersion),
  protocolVersion: fixed(protocolVersion),
  syncing: fixed(false),
  sha3,
  isParallelDBWrite: fixed(true),
  isSenderTxHashIndexingEnabled: method(
    [],
    () => Effect.map(NodeSettings, ({ senderTxHashIndex }) => senderTxHashIndex)
  ),
  isConsoleLogEnabled: fixed(false),
  accounts: fixed([])
}

/** What `eth` has of them. */
export const ethFacts: Methods = { chainId, syncing: fixed(false), accounts: fixed([]) }

/** The network is this process alone. Like a node, it always listens. */
export const netFacts: Methods = {
  networkID: method([], (chain) => Effect.succeed(chain.chainId)),
  version: method([], (chain) => Effect.succeed(String(chain.chainId))),
  listening: fixed(true),
  peerCount: fixed("0x0"),
  peerCountByType: fixed({ total: 0 })
}

export const web3Facts: Methods = { clientVersion: fixed(clientVersion), sha3 }

/** The namespaces that are served. */
export const modules = (namespaces: ReadonlyArray<string>): Methods => ({
  modules: fixed(Object.fromEntries(namespaces.map((namespace) => [namespace, "1.0"])))
})

const uncles = (chain: Chain, selector: Selector) =>
  Effect.map(findOrNull(chain, selector), (block) => block === null ? null : "0x0")

const nonceBytes = bytes("BlockNonce", 8)

const blockNonce = make((value): Decoded<string> =>
  value === null
    ? Either.right("0x0000000000000000")
    : typeof value !== "string"
    ? wrongType(value, "*api.BlockNonce")
    // A text that is none is told of without its type.
    : Either.mapLeft(nonceBytes.decode(value), ({ message }) => new ParamError(message))
)

/** Methods that only Ethereum has. Nothing is mined here, so the answers are constant. */
export const ethOnly: Methods = {
  getUncleByBlockNumberAndIndex: method([blockNumber, index], (_chain, _block, _index) => Effect.succeed(null)),
  getUncleByBlockHashAndIndex: method([hash, index], (_chain, _block, _index) => Effect.succeed(null)),
  getUncleCountByBlockNumber: method([blockNumber], uncles),
  getUncleCountByBlockHash: method([hash], (chain, wanted) => uncles(chain, { hash: wanted })),
  mining: fixed(false),
  hashrate: fixed("0x0"),
  getHashrate: fixed(0),
  getWork: method([], () => failure("no mining work available yet")),
  submitWork: method([blockNonce, hash, hash], (_chain, _nonce, _work, _digest) => Effect.succeed(false)),
  submitHashrate: method([uint64, hash], (_chain, _rate, _miner) => Effect.succeed(false))
}
