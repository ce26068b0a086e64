/** What was seen of the node and of the index since the gateway was started. */
export class FollowProgress {
  nodeHead: number | undefined
  /** When the node answered last, in milliseconds. */
  answeredAt: number | undefined
  /** The last failure since the last block. */
  failure: string | undefined
  /** Whether this process may write the index now. */
  isLeader = false
  blocksIndexed = 0
  transfersIndexed = 0
  blocksReverted = 0
}
