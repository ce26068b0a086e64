import type { Hex } from "@effect-klaytn/transaction/Hex"
import { keccak_256 } from "@noble/hashes/sha3.js"
import * as Effect from "effect/Effect"
import { toHex } from "../store/Column.js"
import { type Method, method, type Methods } from "./Method.js"
import { data } from "./ParamDecoder.js"
import { quantity } from "./quantity.js"

/** The version of the chain's protocol whose rules the sandbox follows. */
const protocolVersion = quantity(65)

const clientVersion = `effect-klaytn-sandbox/${process.platform}-${process.arch}/node${process.version}`

/** A method that always answers the same. */
const fixed = (result: unknown): Method => method([], () => Effect.succeed(result))

const chainId = method([], ({ chainId }) => Effect.succeed(quantity(chainId)))

const sha3 = method([data], (_, bytes: Hex) => Effect.succeed(toHex(keccak_256(Buffer.from(bytes.slice(2), "hex")))))

/** What a chain and this process are. A sandbox is never behind: it has no peers. */
export const klayFacts: Methods = {
  chainID: chainId,
  chainId,
  clientVersion: fixed(clientVersion),
  protocolVersion: fixed(protocolVersion),
  syncing: fixed(false),
  sha3,
  isParallelDBWrite: fixed(false),
  isSenderTxHashIndexingEnabled: fixed(true),
  isConsoleLogEnabled: fixed(false),
  accounts: fixed([])
}

/** What `eth` has of them. */
export const ethFacts: Methods = { chainId, syncing: fixed(false), accounts: fixed([]) }

/** The network: this process, and nobody else. Like a node it always listens. */
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
