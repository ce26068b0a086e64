/**
 * Activities that yield when their shard moves to another runner. The cluster runs activities uninterruptibly, and a shard
 * moves only when all its activities have ended: one that reads for an hour holds it that long, and one that waits for a
 * workflow that has been interrupted already holds it for ever.
 */
import type * as Entity from "@effect/cluster/Entity"
import * as Sharding from "@effect/cluster/Sharding"
import * as Rpc from "@effect/rpc/Rpc"
import * as RpcServer from "@effect/rpc/RpcServer"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as FiberRef from "effect/FiberRef"
import * as HashSet from "effect/HashSet"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"

/** How often an activity whose caller was interrupted looks whether its runner interrupts it too. */
const pause = "500 millis"

/**
 * The server interrupts what still runs when the time for ending has passed. What a caller interrupts goes on, as its
 * result is stored all the same.
 */
const isGivenUp = Effect.map(
  FiberRef.get(FiberRef.interruptedCause),
  (cause) =>
    HashSet.some(
      Cause.interruptors(cause),
      (id) => HashSet.some(FiberId.toSet(id), (one) => one.id === RpcServer.fiberIdTransientInterrupt.id)
    )
)

/** Runs an activity until it ends, or until the runner gives it up. Then another runner does it again. */
export const interruptibleActivities = <A, E, R>(activity: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.gen(function*() {
    const fiber = yield* Effect.forkDaemon(Effect.interruptible(activity))
    const end = yield* Effect.exit(Effect.interruptible(Fiber.await(fiber)))
    if (Exit.isSuccess(end)) return yield* end.value
    while (!(yield* isGivenUp)) {
      const later = yield* Fiber.poll(fiber)
      if (Option.isSome(later)) return yield* later.value
      yield* Effect.sleep(pause)
    }
    return yield* yield* Fiber.interrupt(fiber)
  })

const withYieldingActivity = <Handlers>(handlers: Handlers): Handlers => {
  if (!Predicate.hasProperty(handlers, "activity") || !Predicate.isFunction(handlers.activity)) return handlers
  const { activity } = handlers
  return {
    ...handlers,
    activity: (request: Entity.Request<never>) => {
      const handled: unknown = activity(request)
      return Predicate.isObject(handled) && Rpc.isWrapper(handled) && handled.uninterruptible
        ? { ...handled, value: interruptibleActivities(handled.value) }
        : handled
    }
  }
}

/** The same sharding, with activities that yield. */
export const activities = <E, R>(layer: Layer.Layer<Sharding.Sharding, E, R>): Layer.Layer<Sharding.Sharding, E, R> =>
  Layer.effect(
    Sharding.Sharding,
    Effect.map(Sharding.Sharding, (sharding) =>
      Sharding.Sharding.of({
        ...sharding,
        registerEntity: (entity, build, options) =>
          sharding.registerEntity(entity, Effect.map(build, withYieldingActivity), options)
      }))
  ).pipe(Layer.provide(layer))
