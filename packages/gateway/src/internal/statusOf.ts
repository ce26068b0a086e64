import type { Chain } from "@effect-klaytn/core/Chain"
import type { ScopeFilter } from "@effect-klaytn/indexer/IndexScope"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { GatewayStatus } from "../GatewayStatus.js"
import type { FollowProgress } from "./FollowProgress.js"
import type { OpenIndex } from "./IndexFile.js"
import { version } from "./version.js"

/** What a status is made of. */
export interface Observed {
  readonly chain: Chain
  readonly index: OpenIndex
  readonly progress: FollowProgress
  /** Host and port of the node. */
  readonly host: string
  /** By how many blocks a ready index may be behind. */
  readonly maxLag: number
}

/** How long ago, in seconds, the node of a ready gateway may have answered last. */
const maxSilence = 30

const notIndexed = ({ accounts, contracts, firstBlock }: ScopeFilter, isTraced: boolean): ReadonlyArray<string> => [
  ...(firstBlock > 0 ? [`blocks before ${firstBlock}`] : []),
  ...(accounts === undefined ? [] : [`accounts but ${accounts.size}`]),
  ...(contracts === undefined ? [] : [`contracts but ${contracts.size}`]),
  ...(isTraced ? [] : ["internal transfers (coin that contracts send)"]),
  "the wallet"
]

/** The status at a time in milliseconds. `isSettled`: whether contracts were asked about everything. */
const statusAt = (
  { chain, host, index, maxLag, progress }: Observed,
  now: number,
  isSettled: boolean
): GatewayStatus => {
  const { answeredAt, failure, nodeHead, ...counts } = progress
  const { reader: { scope }, rows } = index.index
  const head = rows.latestBlock()
  const silence = answeredAt === undefined ? undefined : (now - answeredAt) / 1000
  const blocks = nodeHead === undefined ? undefined : Math.max(0, nodeHead - (head?.number ?? scope.firstBlock - 1))
  const seconds = head === undefined ? undefined : Math.max(0, Math.floor(now / 1000) - head.timestamp)
  return {
    version,
    chain,
    isReady: index.isComplete() && isSettled && blocks !== undefined && blocks <= maxLag && silence !== undefined &&
      silence <= maxSilence,
    node: {
      host,
      ...(nodeHead === undefined ? {} : { head: nodeHead }),
      ...(silence === undefined ? {} : { secondsSinceAnswer: silence }),
      ...(failure === undefined ? {} : { failure })
    },
    index: {
      from: scope.firstBlock,
      ...(head === undefined ? {} : { head: { number: head.number, timestamp: head.timestamp } }),
      ...counts,
      notIndexed: notIndexed(scope, index.isTraced)
    },
    ...(blocks === undefined ? {} : { lag: { blocks, ...(seconds === undefined ? {} : { seconds }) } })
  }
}

/** The status now. */
export const statusOf = (observed: Observed): Effect.Effect<GatewayStatus> =>
  Effect.zipWith(
    Clock.currentTimeMillis,
    // The handlers report a database that fails; such an index is not ready.
    Effect.orElseSucceed(observed.index.index.reader.isSettled, () => false),
    (now, isSettled) => statusAt(observed, now, isSettled)
  )
