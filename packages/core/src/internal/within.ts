/** A timeout that holds even for an uninterruptible effect. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as Runtime from "effect/Runtime"

/** Forks a detached fiber that inherits its maker's context and fiber refs but is always interruptible. */
const launch = <A, E>(maker: Fiber.RuntimeFiber<unknown, unknown>, effect: Effect.Effect<A, E>) =>
  Runtime.runFork(
    Runtime.make({
      context: maker.currentContext,
      fiberRefs: maker.getFiberRefs(),
      runtimeFlags: Runtime.defaultRuntimeFlags
    }),
    effect
  )

/**
 * Runs an effect with a timeout, after which the result is that of `late`. The effect runs on a fiber of its own: on
 * timeout or interruption the caller is released at once, and the effect is interrupted in the background. Both the
 * effect and the timer are interruptible even if the caller is not; otherwise the call would last as long as the slower
 * of the two.
 */
export const within = <A, E>(
  effect: Effect.Effect<A, E>,
  millis: number,
  late: () => Effect.Effect<A, E>
): Effect.Effect<A, E> =>
  Effect.withFiberRuntime((fiber) =>
    Effect.async((resume) => {
      const clock = Context.get(fiber.currentDefaultServices, Clock.Clock)
      const timer = launch(fiber, clock.sleep(Duration.millis(millis)))
      // The fiber itself always succeeds: a failure belongs to the caller and must not be logged as an unhandled error.
      const work = launch(fiber, Effect.exit(effect))
      const endWork = (): void => work.unsafeInterruptAsFork(FiberId.none)
      const endTimer = (): void => timer.unsafeInterruptAsFork(FiberId.none)
      // The first to finish resumes the caller and interrupts the other.
      work.addObserver((exit) => {
        resume(Exit.flatten(exit))
        endTimer()
      })
      timer.addObserver(() => {
        resume(Effect.suspend(late))
        endWork()
      })
      return Effect.sync(() => {
        endWork()
        endTimer()
      })
    })
  )
