import * as Context from "effect/Context"

/** What some methods of a node depend on. */
export interface Settings {
  /**
   * What `pending` means as a block. The sandbox has no pending block: it answers with the latest one, as nodes that serve
   * clients do, or refuses, as nodes without a pending block do.
   */
  readonly pendingBlock: "latest" | "refused"
  /**
   * Which states the node has: those of all blocks, as a node for archives, or as a full node those of the newest blocks and of
   * every 128th.
   */
  readonly oldState: "kept" | "pruned"
  /** Whether a transaction is found by its hash without the fee payer. */
  readonly senderTxHashIndex: boolean
  /** Whether there are methods and parameters that no node of release 2.2.1 has. */
  readonly hasMore: boolean
}

const defaults: Settings = { pendingBlock: "latest", oldState: "kept", senderTxHashIndex: true, hasMore: true }

/** How the node that answers is set. */
export class NodeSettings extends Context.Reference<NodeSettings>()("@effect-klaytn/sandbox/NodeSettings", {
  defaultValue: () => defaults
}) {}

/** What the options of a sandbox make of them. */
export const settingsOf = ({
  nodeDefaults = false,
  pendingBlock = defaults.pendingBlock,
  oldState = defaults.oldState,
  senderTxHashIndex = !nodeDefaults
}: {
  readonly nodeDefaults?: boolean | undefined
  readonly pendingBlock?: Settings["pendingBlock"] | undefined
  readonly oldState?: Settings["oldState"] | undefined
  readonly senderTxHashIndex?: boolean | undefined
}): Settings => ({ pendingBlock, oldState, senderTxHashIndex, hasMore: !nodeDefaults })
