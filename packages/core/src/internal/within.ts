/** A bound in time that holds even for what can't be interrupted. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as Runtime from "effect/Runtime"

/** A fiber that is nobody's child begins with what its maker has, but can always be interrupted. */
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
 * Runs an effect for some time at most, and then has the answer of `late`. The effect has a fiber of its own: whoever
 * waits is free at the end of the time, or at once when interrupted, and the effect is interrupted behind its back. Both
 * the effect and its time can be interrupted even if the caller can't: else the call would last as long as the slower one.
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
      // It ends well whatever comes of the effect: a failure of it is the caller's, and no fiber's that nobody looks at.
      const work = launch(fiber, Effect.exit(effect))
      const endWork = (): void => work.unsafeInterruptAsFork(FiberId.none)
      const endTimer = (): void => timer.unsafeInterruptAsFork(FiberId.none)
      // Whichever ends first is heard, and then ends the other one, which nobody hears any more.
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
