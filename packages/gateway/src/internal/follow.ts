/** Follows the node for the time of a scope, whatever fails. */
import { catchUp, type SourceMismatch } from "@effect-klaytn/indexer/CatchUp"
import type { StoreFailure } from "@effect-klaytn/indexer/IndexError"
import type * as NodeSource from "@effect-klaytn/indexer/NodeSource"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import type { GatewayError } from "../GatewayError.js"
import type { FollowProgress } from "./FollowProgress.js"
import type { GatewayMetrics } from "./GatewayMetrics.js"
import type { OpenIndex } from "./IndexFile.js"

/** How long after a look at the node the next one follows: the time of a block. */
const pollEvery = Duration.seconds(1)

/** The wait after a failure: half a second, doubled with each further one, up to five seconds. */
const backoff = Schedule.exponential("500 millis").pipe(Schedule.union(Schedule.spaced("5 seconds")))

/** How many blocks can be reverted. The chain never reverts any; a node that is wrong may. */
const depth = 128

type Failure = NodeSource.Failure | SourceMismatch | StoreFailure | GatewayError

/** Blocks are stored without waiting for anything: other requests and signals get a turn after each. */
const yieldToOthers: Effect.Effect<void> = Effect.async((resume) => {
  const turn = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(turn))
})

/** What following works with. */
export interface Parts {
  /** The node; fails as long as it can't be asked, or is on another chain. */
  readonly connect: Effect.Effect<NodeSource.NodeSource, NodeSource.Failure | GatewayError>
  readonly index: OpenIndex
  readonly progress: FollowProgress
  readonly metrics: GatewayMetrics
}

/** Adds new blocks once. */
const round = (source: NodeSource.NodeSource, { index, metrics, progress }: Parts) =>
  Effect.gen(function*() {
    const { reverted } = yield* catchUp(index.index, source, {
      depth,
      // Of several nodes behind one address, one may lag.
      shrinks: false,
      onBlock: ({ transferCount }) => {
        progress.indexed(transferCount)
        metrics.indexed(transferCount)
        return yieldToOthers
      }
    })
    progress.reverted(reverted)
    if (reverted > 0) {
      metrics.reverted(reverted)
      yield* Effect.logWarning(`${reverted} blocks were reverted: the node has others`)
    }
    progress.failed(undefined)
    if (!index.isComplete() && index.index.rows.latestBlock() !== undefined) index.setComplete()
  })

/** Looks at the height of the node. */
const look = (source: NodeSource.NodeSource, { progress }: Parts) =>
  Effect.gen(function*() {
    const height = yield* source.head
    progress.sawHead(height, yield* Clock.currentTimeMillis)
  })

/** Repeats until it is interrupted, and waits longer after each failure in a row. */
const forever = <E extends Failure>(what: string, once: Effect.Effect<void, E>, { metrics, progress }: Parts) =>
  once.pipe(
    Effect.tapError((failure) =>
      Effect.suspend(() => {
        progress.failed(failure.message)
        metrics.followFailed(failure._tag)
        return Effect.logWarning(`${what} failed: ${failure.message}`)
      })
    ),
    Effect.retry(backoff),
    Effect.repeat(Schedule.spaced(pollEvery))
  )

/** Follows the node in fibers of the scope. */
export const follow = (parts: Parts): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function*() {
    const source = yield* Effect.cached(
      Effect.retry(
        Effect.tapError(parts.connect, (failure) =>
          Effect.suspend(() => {
            parts.progress.failed(failure.message)
            return Effect.logWarning(`the node can't be followed: ${failure.message}`)
          })),
        backoff
      )
    )
    yield* Effect.forkScoped(
      Effect.flatMap(source, (node) => forever("a look at the node", look(node, parts), parts))
    )
    yield* Effect.forkScoped(Effect.flatMap(source, (node) => forever("following the node", round(node, parts), parts)))
  })
