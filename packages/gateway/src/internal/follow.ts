/** Follows the node for the time of a scope, whatever fails. */
import type { Chain } from "@effect-klaytn/core/Chain"
import { catchUp } from "@effect-klaytn/indexer/CatchUp"
import { NodeFault } from "@effect-klaytn/indexer/IndexError"
import type * as NodeSource from "@effect-klaytn/indexer/NodeSource"
import * as DatabaseLog from "@effect-klaytn/store/DatabaseLog"
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import type { GatewayError } from "../GatewayError.js"
import type { Role } from "../GatewayStatus.js"
import { type FollowProgress, time } from "./FollowProgress.js"
import type { GatewayMetrics } from "./GatewayMetrics.js"
import type { Failure as IndexFailure, OpenIndex, Writing } from "./IndexHome.js"
import { maxReverted } from "./IndexServer.js"
import { nodeProblem } from "./nodeProblem.js"
import type { Pace } from "./Pace.js"
import * as refusals from "./startRefusals.js"

/** How long after a look at the node the next one follows: the time of a block. */
const pollEvery = Duration.seconds(1)

/** The wait after a failure: half a second, doubled with each further one, up to five seconds. */
const backoff = Schedule.exponential("500 millis").pipe(Schedule.union(Schedule.spaced("5 seconds")))

type Failure = IndexFailure | GatewayError

/** Blocks are stored without waiting for anything: other requests and signals get a turn after each. */
const yieldToOthers: Effect.Effect<void> = Effect.async((resume) => {
  const turn = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(turn))
})

/** What following works with. */
export interface Parts {
  /** The chain of the index. */
  readonly chain: Chain
  /** The node; fails as long as it can't be asked, or is on another chain. */
  readonly connect: Effect.Effect<NodeSource.NodeSource, NodeSource.Failure | GatewayError>
  /** Another source of the same node's blocks, for the time of a scope. */
  readonly another: Effect.Effect<NodeSource.NodeSource, NodeSource.Failure | GatewayError, Scope.Scope>
  readonly index: OpenIndex
  readonly role: Role
  readonly progress: FollowProgress
  readonly pace: Pace
  readonly metrics: GatewayMetrics
}

/** How long a node may lack the next block below its own height, in milliseconds: of many copies of it, some lag. */
const maxMissing = 10_000

/** Adds new blocks once. */
const round = (source: NodeSource.NodeSource, { store }: Writing, { chain, index, metrics, pace, progress }: Parts) => {
  /** The block that the node lacked last, and since when. */
  let missing = { height: -1, since: 0 }
  return Effect.gen(function*() {
    if (progress.otherChain !== undefined) return yield* foreign(progress.otherChain, chain)
    const { reverted } = yield* catchUp(pace.store(store), pace.source(source), {
      depth: maxReverted,
      // Of several nodes behind one address, one may lag.
      shrinks: false,
      onBlock: ({ transactionCount, transferCount }) => {
        progress.blocksIndexed++
        progress.transfersIndexed += transferCount
        progress.failure = undefined
        progress.failing = undefined
        metrics.indexed(transferCount)
        return Effect.zipRight(Effect.map(time, (now) => pace.added(transactionCount, now)), yieldToOthers)
      }
    })
    if (reverted > 0) {
      progress.blocksReverted += reverted
      metrics.reverted(reverted)
      yield* Effect.logWarning(`${reverted} blocks were reverted: the node has others`)
    }
    const newest = Option.getOrUndefined(yield* store.newest)
    const height = newest === undefined ? store.reader.scope.firstBlock : newest.number + 1
    const { nodeHead } = progress
    if (nodeHead !== undefined && height <= nodeHead) {
      const now = yield* time
      if (missing.height !== height) missing = { height, since: now }
      if (now - missing.since > maxMissing) return yield* lacks(source, height, nodeHead)
    }
    progress.failure = undefined
    progress.failing = undefined
    if (newest !== undefined && !(yield* index.isComplete)) yield* index.setComplete
  })
}

const foreign = (found: number, chain: number) =>
  refusals.chain(`the node is on chain ${found}, and the index has chain ${chain}`)

const lacks = ({ namespace }: NodeSource.NodeSource, height: number, nodeHead: number) =>
  new NodeFault({
    method: `${namespace}_getBlockByNumber`,
    problem:
      `it has no block ${height}, and its newest is ${nodeHead}: an index needs a node that has all blocks from there on`
  })

/** How often a node that stands below the index is asked again at once. */
const doubtful = 3

/** The highest of some heights of a node, unless the first one is no lower than the index: a copy that lags may have given it. */
const highest = (
  { head }: NodeSource.NodeSource,
  index: number,
  first: number
): Effect.Effect<number, NodeSource.Failure> =>
  Effect.iterate([first, doubtful] as readonly [height: number, left: number], {
    while: ([height, left]) => height < index && left > 0,
    body: ([height, left]) => Effect.map(head, (found) => [Math.max(height, found), left - 1] as const)
  }).pipe(Effect.map(([height]) => height))

/**
 * Looks at the node's chain and height, and at its block at one height: of who follows the newest of the index, of others the newest one
 * that can't be reverted any more, which casts doubt if the node has another one there. Returns whether there is something to do for who
 * follows.
 */
const look = (source: NodeSource.NodeSource, { chain, index, progress }: Parts) =>
  Effect.gen(function*() {
    // Before the node is asked, which may take long: it stands at the index's newest block or above.
    const newest = Option.getOrUndefined(yield* Effect.orElseSucceed(index.watched.newest, Option.none))
    const number = newest?.number
    const compared = number === undefined || progress.isLeader
      ? newest
      : Option.getOrUndefined(yield* index.store.reader.block(number - maxReverted))
    const { chainId, hash, head } = yield* source.place(compared?.number)
    progress.otherChain = chainId === chain ? undefined : chainId
    if (chainId !== chain) return yield* foreign(chainId, chain)
    const now = yield* time
    progress.noteHead(number === undefined ? head : yield* highest(source, number, head), now)
    progress.below = number === undefined ? 0 : number - (progress.nodeHead ?? head)
    progress.otherBlock = progress.isLeader || hash === undefined || hash === compared?.hash
      ? undefined
      : compared?.number
    progress.answeredAt = now
    return head !== number || hash !== compared?.hash || progress.failure !== undefined ||
      !(yield* Effect.orElseSucceed(index.watched.isSettled, () => false)) || !(yield* index.isComplete)
  })

/** Notes rounds, or loads, that fail in a row. */
const noted = <A>(of: "failing" | "failingLoad", once: Effect.Effect<A, Failure>, { progress }: Parts) =>
  Effect.tapError(once, (failure) =>
    Effect.map(time, (now) => {
      progress[of] = {
        since: progress[of]?.since ?? now,
        message: nodeProblem(failure),
        isFinal: failure._tag === "SourceMismatch"
      }
    }))

/** How long, in milliseconds, a node may be silent until another process, whose node answers, may follow. */
const silence = 30_000

/** Whether the node has answered lately: a process whose node is gone leaves the lease to others. */
const answersNow = ({ progress }: Parts): Effect.Effect<boolean> =>
  Effect.map(
    time,
    (now) => progress.answeredAt !== undefined && now - progress.answeredAt <= silence
  )

/** Tries again until it succeeds, and waits longer after each failure in a row. `failed` begins the log line of a failure. */
const untilDone = <A, E extends Failure>(failed: string, once: Effect.Effect<A, E>, { metrics, progress }: Parts) =>
  once.pipe(
    Effect.tapError((failure) => {
      const message = nodeProblem(failure)
      progress.failure = message
      metrics.followFailed(failure._tag)
      const text = `${failed}: ${message}`
      return failure._tag === "StoreFailure" ? DatabaseLog.failure(text, failure) : Effect.logWarning(text)
    }),
    Effect.retry(backoff)
  )

/** Runs work that never ends by itself, in a fiber of the scope. A defect ends it: the log tells. */
const forked = <A, E, R>(what: string, work: Effect.Effect<A, E, R>) =>
  Effect.forkScoped(
    Effect.tapErrorCause(work, (cause) =>
      Cause.isInterruptedOnly(cause)
        ? Effect.void
        : Effect.logError(`${what} has ended: start this process anew`, cause))
  )

/** Follows the node, or loads a new index, in fibers of the scope, as the role says. */
export const follow = (parts: Parts): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function*() {
    const { index, metrics, progress, role } = parts
    const source = yield* Effect.cached(untilDone("the node can't be followed", parts.connect, parts))
    const repeated = (failed: string, once: Effect.Effect<unknown, Failure>) =>
      Effect.repeat(untilDone(failed, once, parts), Schedule.spaced(pollEvery))
    /** Open while a look found something to do, or failed. */
    const work = yield* Effect.makeLatch(true)
    const looked = (node: NodeSource.NodeSource) =>
      look(node, parts).pipe(
        Effect.tapError(() => work.open),
        Effect.tap((found) => found ? work.open : Effect.void)
      )
    const node = yield* source.pipe(
      Effect.tap((node) => forked("looking at the node", repeated("a look at the node failed", looked(node)))),
      Effect.forkScoped
    )
    if (role === "all" || role === "follow") {
      const leading = (node: NodeSource.NodeSource) =>
        index.leading(answersNow(parts), (writing) =>
          Effect.gen(function*() {
            progress.failing = undefined
            yield* untilDone("folding the loaded blocks failed", noted("failing", writing.fold(node), parts), parts)
            const once = untilDone(
              "following the node failed",
              noted("failing", round(node, writing, parts), parts),
              parts
            )
            yield* Effect.forever(Effect.zipRight(work.close, once).pipe(Effect.zipLeft(work.await)))
          }))
      yield* forked("following the node", Effect.flatMap(Fiber.join(node), leading))
    }
    if (role === "all" || role === "backfill") {
      const loaded = (blocks: number, transfers: number) =>
        Effect.zipRight(
          Effect.sync(() => {
            progress.blocksIndexed += blocks
            progress.transfersIndexed += transfers
            progress.failure = undefined
            progress.failingLoad = undefined
            metrics.loaded(blocks, transfers)
          }),
          yieldToOthers
        )
      const hasPieces = Effect.map(index.backfill, (found) => found !== undefined && found.piecesLoaded < found.pieces)
      // A source of its own: the follower's reads ahead somewhere else.
      const loads = Effect.scoped(
        Effect.flatMap(parts.another, (node) => Effect.whenEffect(index.load(node, loaded), hasPieces))
      )
      // A process that does nothing else says at once that its node can't be asked.
      const once = Effect.if(role === "backfill" ? Effect.succeed(true) : hasPieces, {
        onTrue: () => Effect.asVoid(loads),
        onFalse: () => Effect.void
      }).pipe(Effect.tap(() => Effect.sync(() => progress.failingLoad = undefined)))
      yield* forked("loading blocks", repeated("loading blocks failed", noted("failingLoad", once, parts)))
    }
  })
