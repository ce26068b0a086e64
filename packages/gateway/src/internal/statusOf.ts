import type { Chain } from "@effect-klaytn/core/Chain"
import type { BlockRecord } from "@effect-klaytn/indexer/BlockRecord"
import type { ScopeFilter } from "@effect-klaytn/indexer/IndexScope"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { BackfillStatus, GatewayStatus, Role, WalletHealth } from "../GatewayStatus.js"
import { type FollowProgress, time, whyDoubted } from "./FollowProgress.js"
import type { OpenIndex } from "./IndexHome.js"
import type { Pace } from "./Pace.js"
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
  readonly pace: Pace
  /** Host and port of the node. */
  readonly host: string
  /** By how many blocks a ready index may be behind. */
  readonly maxLag: number
}

/** An index that is no more blocks behind catches up in a moment, block by block. */
const atHead = 16

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
  /** The newest block, if there is one; undefined if the database did not answer. */
  readonly newest: Option.Option<BlockRecord> | undefined
  readonly isComplete: boolean
  /** Whether contracts were asked about everything; undefined if the database did not answer. */
  readonly isSettled: boolean | undefined
  readonly backfill: BackfillStatus | undefined
  readonly wallet: WalletHealth | undefined
}

/** What readiness depends on. */
interface Freshness {
  /** Whether the database of the index has answered. */
  readonly isRead: boolean
  /** Whether the index has ever had all blocks but the newest few. */
  readonly isComplete: boolean
  /** Whether contracts were asked about everything. */
  readonly isSettled: boolean | undefined
  /** Blocks that the index is behind, fewer than none if the node stands below it; undefined as long as that is not known. */
  readonly blocks: number | undefined
  /** Seconds that the newest block of the index is old. */
  readonly seconds: number | undefined
  /** Seconds since the node answered last; undefined if it never has. */
  readonly silence: number | undefined
  readonly isStopping: boolean
  /** Why blocks of the index may not be of the chain. */
  readonly doubted: string | undefined
  /** Seconds since rounds fail; undefined if the last one did not, or if another process follows. */
  readonly failingFor: number | undefined
  /** Whether this process can't ask to write. */
  readonly isUnable: boolean
  /** Loads that fail, and for how many seconds. */
  readonly load: { readonly seconds: number; readonly message: string; readonly isFinal: boolean } | undefined
}

const isSilent = ({ silence }: Freshness): boolean => silence === undefined || silence > maxSilence

const silent = ({ silence }: Freshness): string =>
  silence === undefined
    ? "the node has not answered yet"
    : `the node has not answered for ${Math.floor(silence)} seconds`

/** Why a process that loads blocks does nothing though something is left to load, or would be. */
const whyNotLoading = (seen: Freshness): string | undefined => {
  const { isUnable, load } = seen
  if (isUnable) return cannotWrite
  if (load?.isFinal === true) return `the node's blocks don't fit those of the index: ${load.message}`
  if (load !== undefined && load.seconds > maxSilence) {
    return `loading blocks has failed for ${Math.floor(load.seconds)} seconds: the status says why`
  }
  return isSilent(seen) ? silent(seen) : undefined
}

/** What a database says is for callers with a credential. */
const cannotWrite = "this process can't ask to write the index: the status says why"

/**
 * Why a process can't do its work; nothing if it can. One that serves can without the node if the index is fresh by its newest block's
 * time; one that follows, or waits to follow, needs the node, the right to write, and a followed index; one that loads blocks has nothing to
 * serve, and needs the node and the database.
 */
const whyNotReady = (role: Role, maxLag: number, seen: Freshness): string | undefined => {
  const { blocks, doubted, failingFor, isComplete, isRead, isSettled, isStopping, seconds } = seen
  if (isStopping) return "this process stops"
  if (doubted !== undefined) return doubted
  if (!isRead) return "the database of the index does not answer"
  if (role === "backfill") return whyNotLoading(seen)
  if (role === "follow" && seen.isUnable) return cannotWrite
  if (!isComplete) return "the index has not reached the node's newest block yet"
  if (!isSettled) return "contracts have not been asked about all that happened yet"
  if (failingFor !== undefined && failingFor > maxSilence) {
    // A node's own words are for callers with a credential: /status has them.
    return `following the node has failed for ${Math.floor(failingFor)} seconds: the status says why`
  }
  if (isSilent(seen)) {
    return role === "serve" && seconds !== undefined && seconds <= maxLag + maxSilence ? undefined : silent(seen)
  }
  if (blocks === undefined) return silent(seen)
  return blocks > maxLag ? `the index is ${blocks} blocks behind the node` : undefined
}

/** The status at a time in milliseconds, of the chain's clock and of the one for spans. */
const statusAt = (
  { chain, hasWallet, host, index, maxLag, pace, progress, role }: Observed,
  { now, time }: { readonly now: number; readonly time: number },
  { backfill, isComplete, isSettled, newest, wallet }: Asked
): GatewayStatus => {
  const {
    answeredAt,
    below,
    blocksIndexed,
    blocksReverted,
    failing,
    failingLoad,
    failure,
    isLeader,
    isStopping,
    nodeHead,
    transfersIndexed,
    unable
  } = progress
  const problem = failure ?? unable
  const { scope } = index.store.reader
  const silence = answeredAt === undefined ? undefined : (time - answeredAt) / 1000
  const isRead = newest !== undefined && isSettled !== undefined
  const head = newest && Option.getOrUndefined(newest)
  const blocks = nodeHead === undefined || newest === undefined
    ? undefined
    // Another process may have followed on while this one's node was silent: that node does not stand below the index.
    : Math.max(nodeHead - (head?.number ?? scope.firstBlock - 1), -Math.max(0, below))
  const catchingUp = isLeader && blocks !== undefined && blocks > atHead ? pace.at(time, blocks) : undefined
  const seconds = head === undefined ? undefined : Math.max(0, Math.floor(now / 1000) - head.timestamp)
  const notReady = whyNotReady(role, maxLag, {
    isRead,
    isComplete,
    isSettled,
    blocks,
    seconds,
    silence,
    isStopping,
    doubted: whyDoubted(progress, maxLag),
    isUnable: unable !== undefined,
    load: failingLoad && { ...failingLoad, seconds: (time - failingLoad.since) / 1000 },
    failingFor: isLeader && failing !== undefined ? (time - failing.since) / 1000 : undefined
  })
  return {
    version,
    chain,
    isReady: notReady === undefined,
    ...(notReady === undefined ? {} : { notReady }),
    role,
    isLeader,
    node: {
      host,
      ...(nodeHead === undefined ? {} : { head: nodeHead }),
      ...(silence === undefined ? {} : { secondsSinceAnswer: silence }),
      ...(problem === undefined ? {} : { failure: problem })
    },
    index: {
      from: scope.firstBlock,
      ...(head === undefined ? {} : { head: { number: head.number, timestamp: head.timestamp } }),
      blocksIndexed,
      transfersIndexed,
      blocksReverted,
      notIndexed: notIndexed(scope, { hasWallet, isTraced: index.isTraced })
    },
    ...(backfill === undefined ? {} : { backfill }),
    ...(blocks === undefined ? {} : { lag: { blocks, ...(seconds === undefined ? {} : { seconds }) } }),
    ...(catchingUp === undefined ? {} : { catchingUp }),
    ...(wallet === undefined ? {} : { wallet })
  }
}

/** What is so now: a status does not wait for a database that restarts, or is silent. */
const now = <A, E, B>(ask: Effect.Effect<A, E>, otherwise: B): Effect.Effect<A | B> =>
  Effect.orElseSucceed(
    Effect.timeoutFail(Effect.disconnect(ask), { duration: "2 seconds", onTimeout: () => "late" as const }),
    () => otherwise
  )

/** The status now. The handlers report a database that fails; such an index is not ready. */
export const statusOf = (observed: Observed): Effect.Effect<GatewayStatus> =>
  Effect.gen(function*() {
    const { backfill, isComplete, watched } = observed.index
    const asked: Asked = yield* Effect.all({
      isComplete: now(isComplete, false),
      newest: now(watched.newest, undefined),
      isSettled: now(watched.isSettled, undefined),
      backfill: now(backfill, undefined),
      wallet: now(observed.wallet, undefined)
    }, { concurrency: "unbounded" })
    return statusAt(observed, { now: yield* Clock.currentTimeMillis, time: yield* time }, asked)
  })
