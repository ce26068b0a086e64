/** Rounds that failed in a row. */
export interface Failing {
  /** When the first of them failed, in milliseconds. */
  readonly since: number
  /** Why the last one failed. */
  readonly message: string
  /** Whether the next one fails too unless the node changes: its blocks don't fit those of the index. */
  readonly isFinal: boolean
}

/** What was seen of the node and of the index since the gateway was started. */
export class FollowProgress {
  nodeHead: number | undefined
  /** When the node answered last, in milliseconds. */
  answeredAt: number | undefined
  /** The chain that the node said last that it is on, if that is another one. */
  otherChain: number | undefined
  /** The last failure since the last block. */
  failure: string | undefined
  /** Rounds of following that failed since the last one that did not. */
  failing: Failing | undefined
  /** Whether this process stops: it ends the requests that are under way. */
  isStopping = false
  /** Whether this process may write the index now. */
  isLeader = false
  blocksIndexed = 0
  transfersIndexed = 0
  blocksReverted = 0
}
