import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** The time in milliseconds by a clock that nobody sets: for spans. */
export const time: Effect.Effect<number> = Effect.map(Clock.currentTimeNanos, (nanos) => Number(nanos / 1000n) / 1000)

/** Rounds that failed in a row. */
export interface Failing {
  /** When the first of them failed, in milliseconds of {@link time}. */
  readonly since: number
  /** Why the last one failed. */
  readonly message: string
  /** Whether the next one fails too unless the node changes: its blocks don't fit those of the index. */
  readonly isFinal: boolean
}

/** For how long, in milliseconds, a height of the node counts: of many copies of it, some lag, and any of them may answer. */
const countsFor = 5000

/** What was seen of the node and of the index since the gateway was started. */
export class FollowProgress {
  #heads: ReadonlyArray<{ readonly height: number; readonly at: number }> = []
  /** When the node answered last, in milliseconds of {@link time}. */
  answeredAt: number | undefined
  /** The chain that the node said last that it is on, if that is another one. */
  otherChain: number | undefined
  /** By how many blocks all copies of the node stood below the index in the last seconds; less than 0 if one stood above. */
  below = 0
  /** A block too old to be reverted, of which the node had another one at the last look of a process that does not follow. */
  otherBlock: number | undefined
  /** The last failure since the last block. */
  failure: string | undefined
  /** Rounds of following that failed since the last one that did not. */
  failing: Failing | undefined
  /** Why this process can't ask to follow. */
  unable: string | undefined
  /** Loads of pieces that failed since the last one that did not. */
  failingLoad: Failing | undefined
  /** Whether this process stops: it ends the requests that are under way. */
  isStopping = false
  /** Whether this process may write the index now. */
  isLeader = false
  blocksIndexed = 0
  transfersIndexed = 0
  blocksReverted = 0

  /** The highest block that a copy of the node had in the last seconds. */
  get nodeHead(): number | undefined {
    return this.#heads.length === 0 ? undefined : Math.max(...this.#heads.map(({ height }) => height))
  }

  /** Notes how high a copy of the node was at a time, in milliseconds of {@link time}. */
  noteHead(height: number, at: number): void {
    this.#heads = [...this.#heads.filter((one) => at - one.at < countsFor), { height, at }]
  }
}

/** By how many blocks the node of a ready gateway may stand below the index, at least: of many copies of it, some lag. */
const maxBelow = 10

/**
 * Why blocks of the index may not be of the chain; nothing as long as nothing speaks against them. Such an index answers no request for
 * data. A node that is silent, or ahead, casts no doubt.
 */
export const whyDoubted = (
  { below, failing, isLeader, otherBlock, otherChain }: FollowProgress,
  maxLag: number
): string | undefined => {
  if (otherChain !== undefined) return `the node is on another chain: ${otherChain}`
  if (below > Math.max(maxLag, maxBelow)) return `the node stands ${below} blocks below the index`
  if (isLeader && failing?.isFinal === true) return `the node's blocks don't fit those of the index: ${failing.message}`
  return !isLeader && otherBlock !== undefined ? `the node has another block ${otherBlock} than the index` : undefined
}
