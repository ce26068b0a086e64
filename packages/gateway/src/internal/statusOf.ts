import type { Chain } from "@effect-klaytn/core/Chain"
import type { BlockRecord } from "@effect-klaytn/indexer/BlockRecord"
import type { ScopeFilter } from "@effect-klaytn/indexer/IndexScope"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { BackfillStatus, GatewayStatus, WalletHealth } from "../GatewayStatus.js"
import type { FollowProgress } from "./FollowProgress.js"
import type { OpenIndex, Role } from "./IndexHome.js"
import { version } from "./version.js"

/** What a status is made of. */
export interface Observed {
  readonly chain: Chain
  readonly index: OpenIndex
  readonly role: Role
  readonly hasWallet: boolean
  /** How the wallet is, if there is one. */
  readonly wallet: Effect.Effect<WalletHealth | undefined>
  readonly progress: FollowProgress
  /** Host and port of the node. */
  readonly host: string
  /** By how many blocks a ready index may be behind. */
  readonly maxLag: number
}

/** How long ago, in seconds, the node of a ready gateway may have answered last. */
const maxSilence = 30

const notIndexed = (
  { accounts, contracts, firstBlock }: ScopeFilter,
  { hasWallet, isTraced }: { readonly hasWallet: boolean; readonly isTraced: boolean }
): ReadonlyArray<string> => [
  ...(firstBlock > 0 ? [`blocks before ${firstBlock}`] : []),
  ...(accounts === undefined ? [] : [`accounts but ${accounts.size}`]),
  ...(contracts === undefined ? [] : [`contracts but ${contracts.size}`]),
  ...(isTraced ? [] : ["internal transfers (coin that contracts send)"]),
  ...(hasWallet ? [] : ["the wallet"])
]

/** What was asked of the index for a status. */
interface Asked {
  readonly head: BlockRecord | undefined
  readonly isComplete: boolean
  /** Whether contracts were asked about everything. */
  readonly isSettled: boolean
  readonly backfill: BackfillStatus | undefined
  readonly wallet: WalletHealth | undefined
}

/** What readiness depends on. */
interface Freshness {
  /** Whether the index has all blocks but the newest few, and contracts were asked about everything. */
  readonly isWhole: boolean
  /** Blocks and seconds that the index is behind; undefined as long as that is not known. */
  readonly blocks: number | undefined
  readonly seconds: number | undefined
  /** Whether the node has answered lately. */
  readonly answers: boolean
}

/**
 * Whether a process can do its work. One that serves is ready without the node if the index is fresh by its newest block's time; one that
 * follows, or waits to follow, needs the node and a followed index; one that loads blocks has nothing to serve, and needs the node.
 */
const isReadyAs = (role: Role, maxLag: number, { answers, blocks, isWhole, seconds }: Freshness): boolean => {
  if (role === "backfill") return answers
  if (!isWhole) return false
  if (answers) return blocks !== undefined && blocks <= maxLag
  return role === "serve" && seconds !== undefined && seconds <= maxLag + maxSilence
}

/** The status at a time in milliseconds. */
const statusAt = (
  { chain, hasWallet, host, index, maxLag, progress, role }: Observed,
  now: number,
  { backfill, head, isComplete, isSettled, wallet }: Asked
): GatewayStatus => {
  const { answeredAt, failure, isLeader, nodeHead, ...counts } = progress
  const { scope } = index.store.reader
  const silence = answeredAt === undefined ? undefined : (now - answeredAt) / 1000
  const blocks = nodeHead === undefined ? undefined : Math.max(0, nodeHead - (head?.number ?? scope.firstBlock - 1))
  const seconds = head === undefined ? undefined : Math.max(0, Math.floor(now / 1000) - head.timestamp)
  return {
    version,
    chain,
    isReady: isReadyAs(role, maxLag, {
      isWhole: isComplete && isSettled,
      blocks,
      seconds,
      answers: silence !== undefined && silence <= maxSilence
    }),
    role,
    isLeader,
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
      notIndexed: notIndexed(scope, { hasWallet, isTraced: index.isTraced })
    },
    ...(backfill === undefined ? {} : { backfill }),
    ...(blocks === undefined ? {} : { lag: { blocks, ...(seconds === undefined ? {} : { seconds }) } }),
    ...(wallet === undefined ? {} : { wallet })
  }
}

/** The status now. The handlers report a database that fails; such an index is not ready. */
export const statusOf = (observed: Observed): Effect.Effect<GatewayStatus> =>
  Effect.gen(function*() {
    const { backfill, isComplete, store } = observed.index
    const asked: Asked = {
      isComplete: yield* isComplete,
      head: Option.getOrUndefined(yield* Effect.orElseSucceed(store.newest, () => Option.none<BlockRecord>())),
      isSettled: yield* Effect.orElseSucceed(
        // The reader waits for a database that restarts. A status says what is so now.
        Effect.timeoutFail(store.reader.isSettled, { duration: "1 second", onTimeout: () => "late" as const }),
        () => false
      ),
      backfill: yield* backfill,
      wallet: yield* observed.wallet
    }
    return statusAt(observed, yield* Clock.currentTimeMillis, asked)
  })
