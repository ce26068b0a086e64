/**
 * The answers of a gateway's `/status` and `/caller`, as schemas.
 *
 * **Example** (whether a gateway is behind)
 *
 * ```ts
 * import * as GatewayStatus from "@effect-klaytn/gateway/GatewayStatus"
 * import * as HttpClient from "@effect/platform/HttpClient"
 * import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
 * import * as Effect from "effect/Effect"
 *
 * export const isBehind = HttpClient.get("http://127.0.0.1:8218/status").pipe(
 *   Effect.flatMap(HttpClientResponse.schemaBodyJson(GatewayStatus.GatewayStatus)),
 *   Effect.map(({ isReady, lag }) => !isReady || (lag?.blocks ?? 0) > 10)
 * )
 * ```
 */
import { Chain } from "@effect-klaytn/core/Chain"
import { rights } from "@effect-klaytn/custody/WalletCaller"
import * as Schema from "effect/Schema"
import { LimitsFields } from "./internal/callerRights.js"

/**
 * The answer of a gateway's `/caller`: whose the credential of the request is, and what it may do. Limits are as `Limits` of
 * `@effect-klaytn/custody` has them.
 *
 * @category schemas
 */
export const GatewayCaller = Schema.Struct({
  name: Schema.String,
  rights: Schema.Array(Schema.Literal(...rights)),
  /** The names of the pools that the caller sees; missing for all. */
  pools: Schema.optional(Schema.Array(Schema.String)),
  limits: LimitsFields
})

/**
 * Whose a credential is, and what it may do.
 *
 * @category models
 */
export type GatewayCaller = typeof GatewayCaller.Type

/**
 * A block: its height, and its time in Unix seconds.
 *
 * @category schemas
 */
export const BlockPlace = Schema.Struct({ number: Schema.Int, timestamp: Schema.Int })

/**
 * The node that a gateway follows.
 *
 * @category schemas
 */
export const NodeStatus = Schema.Struct({
  /** Host and port of its address. The path may be a key, and is not shown. */
  host: Schema.String,
  /** Its height when it answered last; missing until it has answered once. */
  head: Schema.optional(Schema.Int),
  /** Seconds since it answered last; missing until it has answered once. */
  secondsSinceAnswer: Schema.optional(Schema.Number),
  /** The last failure, since the last block that was stored; else why this process can't ask to follow. */
  failure: Schema.optional(Schema.String)
})

/**
 * What is in the index.
 *
 * @category schemas
 */
export const IndexStatus = Schema.Struct({
  /** The first block: no older one is in the index. */
  from: Schema.Int,
  /** The newest block; missing as long as there is none. */
  head: Schema.optional(BlockPlace),
  /** Since the gateway was started. */
  blocksIndexed: Schema.Int,
  transfersIndexed: Schema.Int,
  blocksReverted: Schema.Int,
  /** What the answers do not contain, in words. */
  notIndexed: Schema.Array(Schema.String)
})

/**
 * How far the first load of an index in Postgres is, over all processes.
 *
 * @category schemas
 */
export const BackfillStatus = Schema.Struct({
  pieces: Schema.Int,
  piecesLoaded: Schema.Int,
  blocks: Schema.Int,
  blocksLoaded: Schema.Int,
  /** Blocks whose tokens and owners are in the index. */
  blocksFolded: Schema.Int
})

/**
 * How far the first load of an index in Postgres is.
 *
 * @category models
 */
export type BackfillStatus = typeof BackfillStatus.Type

/**
 * How fast a process adds blocks to an index that is behind, over the last ten seconds.
 *
 * @category schemas
 */
export const CatchingUp = Schema.Struct({
  blocksPerSecond: Schema.Number,
  transactionsPerSecond: Schema.Number,
  /** What took most of that time: the answers of the node, the database, or this process itself. */
  waitsFor: Schema.Literal("node", "database", "cpu"),
  /** Until the index has the blocks that the node has now, at this pace; missing if none was added. */
  secondsLeft: Schema.optional(Schema.Int)
})

/**
 * How fast a process adds blocks to an index that is behind.
 *
 * @category models
 */
export type CatchingUp = typeof CatchingUp.Type

/**
 * How the wallet of a gateway is.
 *
 * @category schemas
 */
export const WalletHealth = Schema.Struct({
  /** Why nothing is signed; missing if the wallet signs. */
  frozen: Schema.optional(Schema.String),
  /** Sends of which no block has decided yet. */
  sendsUnderWay: Schema.Int,
  /** Rows that can't be read and were passed over since the process started; `klaytn gateway wallet repair` shows them. */
  unreadableRows: Schema.optional(Schema.Int),
  /** Answers of the node that can't be so, since the process started: the log says which. */
  impossibleAnswers: Schema.optional(Schema.Int),
  /** The accounts with such sends, those with the oldest first, 100 at most. */
  oldestSends: Schema.Array(Schema.Struct({
    account: Schema.String,
    sends: Schema.Int,
    /** Seconds since the oldest of them was signed. */
    seconds: Schema.Int
  })),
  /** The global fee payer, without a pool, and the fee payers of each pool, as the node showed them within the last minute. */
  feePayers: Schema.Array(Schema.Struct({
    pool: Schema.optional(Schema.String),
    count: Schema.Int,
    /** The smallest balance of them, in peb. */
    lowest: Schema.BigInt,
    /** How many of them have less than the option `lowBalance` of the wallet. */
    low: Schema.Int
  }))
})

/**
 * How the wallet of a gateway is.
 *
 * @category models
 */
export type WalletHealth = typeof WalletHealth.Type

/**
 * What a process of a gateway does.
 *
 * @category schemas
 */
export const Role = Schema.Literal("all", "serve", "follow", "backfill")

/**
 * What a process of a gateway does.
 *
 * @category models
 */
export type Role = typeof Role.Type

/**
 * The status of a gateway.
 *
 * @category schemas
 */
export const GatewayStatus = Schema.Struct({
  version: Schema.String,
  chain: Chain,
  /** Whether the index is as new as the node: the answer of `/ready`. */
  isReady: Schema.Boolean,
  /** Why it is not ready, in words; missing if it is. */
  notReady: Schema.optional(Schema.String),
  /** What this process does. */
  role: Role,
  /** Whether this process follows the node now. */
  isLeader: Schema.Boolean,
  node: NodeStatus,
  index: IndexStatus,
  /** Missing if the index is not being loaded in pieces. */
  backfill: Schema.optional(BackfillStatus),
  /** How far the index is behind the node; missing until the height of the node is known, and while the database does not answer. */
  lag: Schema.optional(Schema.Struct({
    /** Less than 0 if the node stands below the index: it has gone back, or a copy of it lags. */
    blocks: Schema.Int,
    /** Between the newest block of the index and now; missing as long as the index has no block. */
    seconds: Schema.optional(Schema.Int)
  })),
  /** Missing unless this process follows, and the index is more than 16 blocks behind. */
  catchingUp: Schema.optional(CatchingUp),
  /** Missing without a wallet, and while its file can't be read. */
  wallet: Schema.optional(WalletHealth)
})

/**
 * The status of a gateway.
 *
 * @category models
 */
export type GatewayStatus = typeof GatewayStatus.Type
