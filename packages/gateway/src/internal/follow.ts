/** Follows the node for the time of a scope, whatever fails. */
import { catchUp } from "@effect-klaytn/indexer/CatchUp"
import type * as NodeSource from "@effect-klaytn/indexer/NodeSource"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import type { GatewayError } from "../GatewayError.js"
import type { FollowProgress } from "./FollowProgress.js"
import type { GatewayMetrics } from "./GatewayMetrics.js"
import type { Failure as IndexFailure, OpenIndex, Role, Writing } from "./IndexHome.js"
import { nodeProblem } from "./nodeProblem.js"

/** How long after a look at the node the next one follows: the time of a block. */
const pollEvery = Duration.seconds(1)

/** The wait after a failure: half a second, doubled with each further one, up to five seconds. */
const backoff = Schedule.exponential("500 millis").pipe(Schedule.union(Schedule.spaced("5 seconds")))

/** How many blocks can be reverted. The chain never reverts any; a node that is wrong may. */
const depth = 128

type Failure = IndexFailure | GatewayError

/** Blocks are stored without waiting for anything: other requests and signals get a turn after each. */
const yieldToOthers: Effect.Effect<void> = Effect.async((resume) => {
  const turn = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(turn))
})

/** What following works with. */
export interface Parts {
  /** The node; fails as long as it can't be asked, or is on another chain. */
  readonly connect: Effect.Effect<NodeSource.NodeSource, NodeSource.Failure | GatewayError>
  /** Another source of the same node's blocks, for the time of a scope. */
  readonly another: Effect.Effect<NodeSource.NodeSource, NodeSource.Failure | GatewayError, Scope.Scope>
  readonly index: OpenIndex
  readonly role: Role
  readonly progress: FollowProgress
  readonly metrics: GatewayMetrics
}

/** Adds new blocks once. */
const round = (source: NodeSource.NodeSource, { store }: Writing, { index, metrics, progress }: Parts) =>
  Effect.gen(function*() {
    const { reverted } = yield* catchUp(store, source, {
      depth,
      // Of several nodes behind one address, one may lag.
      shrinks: false,
      onBlock: ({ transferCount }) => {
        progress.blocksIndexed++
        progress.transfersIndexed += transferCount
        progress.failure = undefined
        metrics.indexed(transferCount)
        return yieldToOthers
      }
    })
    if (reverted > 0) {
      progress.blocksReverted += reverted
      metrics.reverted(reverted)
      yield* Effect.logWarning(`${reverted} blocks were reverted: the node has others`)
    }
    progress.failure = undefined
    if (!(yield* index.isComplete) && Option.isSome(yield* store.newest)) yield* index.setComplete
  })

/** Looks at the height of the node. */
const look = (source: NodeSource.NodeSource, { progress }: Parts) =>
  Effect.gen(function*() {
    progress.nodeHead = yield* source.head
    progress.answeredAt = yield* Clock.currentTimeMillis
  })

/** Tries again until it succeeds, and waits longer after each failure in a row. `failed` begins the log line of a failure. */
const untilDone = <A, E extends Failure>(failed: string, once: Effect.Effect<A, E>, { metrics, progress }: Parts) =>
  once.pipe(
    Effect.tapError((failure) => {
      const message = nodeProblem(failure)
      progress.failure = message
      metrics.followFailed(failure._tag)
      return Effect.logWarning(`${failed}: ${message}`)
    }),
    Effect.retry(backoff)
  )

/** Follows the node, or loads a new index, in fibers of the scope, as the role says. */
export const follow = (parts: Parts): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function*() {
    const { index, metrics, progress, role } = parts
    const source = yield* Effect.cached(untilDone("the node can't be followed", parts.connect, parts))
    const repeated = (failed: string, once: Effect.Effect<unknown, Failure>) =>
      Effect.repeat(untilDone(failed, once, parts), Schedule.spaced(pollEvery))
    const node = yield* source.pipe(
      Effect.tap((node) => Effect.forkScoped(repeated("a look at the node failed", look(node, parts)))),
      Effect.forkScoped
    )
    if (role === "all" || role === "follow") {
      yield* Effect.flatMap(Fiber.join(node), (node) =>
        index.leading((writing) =>
          untilDone("folding the loaded blocks failed", writing.fold(node), parts).pipe(
            Effect.zipRight(repeated("following the node failed", round(node, writing, parts)))
          )
        )).pipe(Effect.forkScoped)
    }
    if (role === "all" || role === "backfill") {
      const loaded = (blocks: number, transfers: number) =>
        Effect.zipRight(
          Effect.sync(() => {
            progress.blocksIndexed += blocks
            progress.transfersIndexed += transfers
            metrics.loaded(blocks, transfers)
          }),
          yieldToOthers
        )
      // A source of its own: the follower's reads ahead somewhere else.
      yield* Effect.scoped(Effect.flatMap(parts.another, (node) =>
        Effect.whenEffect(
          index.load(node, loaded),
          Effect.map(index.backfill, (found) =>
            found !== undefined && found.piecesLoaded < found.pieces)
        ))).pipe(
          (once) =>
            repeated("loading blocks failed", once),
          Effect.forkScoped
        )
    }
  })
