/**
 * Workflows and activities that end when their shard moves to another runner. The cluster moves a shard only when all that
 * runs in it has ended. An activity runs uninterruptibly, so one that reads for an hour would keep the shard that long. A
 * workflow that is interrupted notifies its parent, and repeats that until the parent's shard has a runner: if this runner
 * has just lost the locks of both shards, each would wait for the other forever.
 */
import type * as Entity from "@effect/cluster/Entity"
import * as Sharding from "@effect/cluster/Sharding"
import * as Rpc from "@effect/rpc/Rpc"
import * as RpcServer from "@effect/rpc/RpcServer"
import * as Cause from "effect/Cause"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as FiberRef from "effect/FiberRef"
import * as HashSet from "effect/HashSet"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"

/** How often a handler whose caller was interrupted checks whether the runner still waits for it. */
const pause = "500 millis"

/** Whether the server has interrupted the fiber because its handler was still running at the end of its time. */
const isGivenUp = Effect.map(
  FiberRef.get(FiberRef.interruptedCause),
  (cause) =>
    HashSet.some(
      Cause.interruptors(cause),
      (id) => HashSet.some(FiberId.toSet(id), (one) => one.id === RpcServer.fiberIdTransientInterrupt.id)
    )
)

/** How a handler ends. */
export interface Ending {
  /** Whether the handler goes on when only its caller is interrupted. */
  readonly outlivesCaller: boolean
  /** How long the runner waits for a handler to end after interrupting it. */
  readonly limit: Duration.DurationInput
}

/** Runs a handler until it ends, or until the runner gives it up. Then another runner runs it again. */
export const untilGivenUp =
  ({ limit, outlivesCaller }: Ending) => <A, E, R>(handler: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.uninterruptible(Effect.gen(function*() {
      const fiber = yield* Effect.forkDaemon(Effect.interruptible(handler))
      // An interruption also ends what this fiber forks, such as a race with a clock: the daemon waits on.
      const endWithin = (time: Duration.DurationInput) =>
        Effect.flatMap(
          Effect.forkDaemon(Effect.interruptible(Effect.timeoutOption(Fiber.await(fiber), time))),
          Fiber.join
        )
      const first = yield* Effect.exit(Effect.interruptible(Fiber.await(fiber)))
      if (Exit.isSuccess(first)) return yield* first.value
      if (!outlivesCaller) yield* Fiber.interruptFork(fiber)
      while (!(yield* isGivenUp)) {
        const later = yield* endWithin(pause)
        if (Option.isSome(later)) return yield* later.value
      }
      yield* Fiber.interruptFork(fiber)
      const last = yield* endWithin(limit)
      if (Option.isSome(last)) return yield* last.value
      yield* Effect.logDebug("A workflow or an activity goes on while its shard moves to another runner")
      return yield* Effect.interrupt
    }))

type Handler = (request: Entity.Request<never>) => unknown

const areOfWorkflow = (handlers: unknown): handlers is { readonly run: Handler; readonly activity: Handler } =>
  Predicate.hasProperty(handlers, "run") && Predicate.isFunction(handlers.run) &&
  Predicate.hasProperty(handlers, "activity") && Predicate.isFunction(handlers.activity)

/** The handlers of a workflow, with a time limit for ending `run` and `activity`. */
const interruptibleHandlers = (limit: Duration.DurationInput) => <Handlers>(handlers: Handlers): Handlers => {
  if (!areOfWorkflow(handlers)) return handlers
  const end = untilGivenUp({ limit, outlivesCaller: false })
  const endOfActivity = untilGivenUp({ limit, outlivesCaller: true })
  return {
    ...handlers,
    run: (request: Entity.Request<never>) => {
      const handled = handlers.run(request)
      return Effect.isEffect(handled) ? end(handled) : handled
    },
    activity: (request: Entity.Request<never>) => {
      const handled = handlers.activity(request)
      return Predicate.isObject(handled) && Rpc.isWrapper(handled) && handled.uninterruptible
        ? { ...handled, value: endOfActivity(handled.value) }
        : handled
    }
  }
}

/** The same sharding, with a time limit for ending workflows and activities. */
export const layer =
  (limit: Duration.DurationInput) =>
  <E, R>(sharding: Layer.Layer<Sharding.Sharding, E, R>): Layer.Layer<Sharding.Sharding, E, R> =>
    Layer.project(sharding, Sharding.Sharding, Sharding.Sharding, (sharding) => ({
      ...sharding,
      registerEntity: (entity, build, options) =>
        sharding.registerEntity(entity, Effect.map(build, interruptibleHandlers(limit)), options)
    }))
