/**
 * Where a chain of this process, behind a sandbox's JSON-RPC, is meant to differ from a node of Kaia.
 */

/**
 * A difference that is meant to be. The texts are to be shown, with code between backticks.
 *
 * @category models
 */
export interface Deviation {
  readonly here: string
  /** The same on a node of release 2.2.1. */
  readonly node: string
  readonly why: string
  /** The option of a sandbox that ends the difference: the first two where they are false, the last where it is true. */
  readonly unless?: "anchoring" | "senderTxHashIndex" | "nodeDefaults"
}

/**
 * All of them. Fees, refusals, states and fields that are not named are those of the node.
 *
 * @example
 * ```ts
 * import * as Deviation from "@effect-klaytn/local-chain/Deviation"
 *
 * const aboutAnchors = Deviation.all.filter(({ unless }) => unless === "anchoring")
 * ```
 *
 * @category constants
 */
export const all: ReadonlyArray<Deviation> = [
  {
    here: "anchoring transactions are taken",
    node: "refused, unless it was started to allow them",
    why: "the service anchors",
    unless: "anchoring"
  },
  {
    here: "fees and tips are burnt, no coin is created",
    node: "the proposer gets a part",
    why: "there is no council"
  },
  {
    here: "one proposer, no seals, no `randomReveal`; PREVRANDAO is a hash",
    node: "validators sign and draw a random number",
    why: "there is no consensus"
  },
  {
    here: "a block when there is a transaction for it",
    node: "a block a second",
    why: "tests need not wait"
  },
  {
    here: "a block ends at 100,000,000 gas or 8 MiB",
    node: "when its time is over",
    why: "a block stays a matter of seconds"
  },
  {
    here: "the state root is a digest, and there is no `getProof`",
    node: "the root of a trie",
    why: "no trie is kept"
  },
  {
    here: "what `getTotalSupply` does not find burnt was minted, also where a balance was set",
    node: "what blocks have minted",
    why: "coin comes from nowhere"
  },
  {
    here: "no `getBlsInfos`, `debug_traceBlock` and `debug_getBlockRlp`",
    node: "there",
    why: "validators have no keys, blocks no encoding"
  },
  {
    here:
      "no votes of `governance`, hardware wallets of `personal`, `resend`, and methods of `debug` about a node's own store",
    node: "there where a node was started with them",
    why: "there is no council, no hardware and no such store"
  },
  {
    here: "`prestateTracer` has balances, nonces and code as they were before the transaction",
    node:
      "balances after the fee, to which it gives back a fee that the sender did not pay, or a value that failed; of " +
      "accounts whose code the transaction sets, nonce and code after that",
    why: "what a node shows is wrong"
  },
  {
    here: "the code of an override runs with the precompiles of today, and its `state` replaces the storage",
    node: "with those of before Istanbul where no contract was; `state` changes nothing",
    why: "faults of that release"
  },
  {
    here: "`debug_traceCall` takes overrides",
    node: "they change nothing",
    why: "tools for development give them"
  },
  {
    here: "`null` as a request is refused",
    node: "ends the connection, and over WebSocket the node",
    why: "a fault of that release"
  },
  {
    here: "the tracer evmdis and tracers in JavaScript are unknown",
    node: "run",
    why: "nobody's code runs in this process"
  },
  {
    here: "a trace has at most 50 MB",
    node: "any size",
    why: "a process serves others too"
  },
  {
    here: "the pending block is the newest one",
    node: "the block that the node would build",
    why: "blocks are made on demand"
  },
  {
    here: "calls end after 20 seconds",
    node: "calls of `eth` after 5; an estimate as long as it runs",
    why: "a process serves others too"
  },
  {
    here: "`gasPriceAt`, `eth_estimateComputationCost`, overrides in calls of all namespaces",
    node: "not there in 2.2.1",
    why: "the service or older nodes have them",
    unless: "nodeDefaults"
  },
  {
    here: "a transaction is found by its sender hash",
    node: "only with the node's index for that",
    why: "the service looks them up",
    unless: "senderTxHashIndex"
  },
  {
    here: "an estimate that takes more than 10,000,000 gas in all is exact",
    node: "the search takes any gas that does",
    why: "the search would take seconds"
  },
  {
    here: "the settings of the chain (`getChainConfig`, `getParams`) hold from the genesis block on",
    node: "as its council voted",
    why: "each network has its own"
  },
  {
    here: "methods for development are there, and `clientVersion` begins with `anvil/` where they are",
    node: "neither",
    why: "tools for development look for both"
  }
]
