import * as RpcServer from "@effect/rpc/RpcServer"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as TestClock from "effect/TestClock"
import { interruptibleActivities } from "../src/internal/interruptibleActivities.js"

/** Runs an activity as the cluster does, so that nothing interrupts it. */
const run = <A, E>(activity: Effect.Effect<A, E>) =>
  Effect.gen(function*() {
    const end = yield* Deferred.make<Exit.Exit<A, E>>()
    const fiber = yield* Effect.fork(Effect.uninterruptible(
      Effect.flatMap(Effect.exit(interruptibleActivities(activity)), (exit) => Deferred.succeed(end, exit))
    ))
    yield* TestClock.adjust("1 second")
    return { end, fiber }
  })

/** An activity that never ends, and how often it was interrupted. */
const endless = () => {
  const seen = { interrupted: 0 }
  return { seen, activity: Effect.onInterrupt(Effect.never, () => Effect.sync(() => seen.interrupted++)) }
}

describe("an activity of a workflow", () => {
  it.effect("ends when its runner gives it up", () =>
    Effect.gen(function*() {
      const { activity, seen } = endless()
      const { end, fiber } = yield* run(activity)
      assert.isFalse(yield* Deferred.isDone(end))
      fiber.unsafeInterruptAsFork(RpcServer.fiberIdTransientInterrupt)
      assert.isTrue(Exit.isInterrupted(yield* Deferred.await(end)))
      assert.strictEqual(seen.interrupted, 1)
    }))

  it.effect("goes on when its caller gives it up, until its runner does", () =>
    Effect.gen(function*() {
      const { activity, seen } = endless()
      const { end, fiber } = yield* run(activity)
      fiber.unsafeInterruptAsFork(RpcServer.fiberIdClientInterrupt)
      yield* TestClock.adjust("1 minute")
      assert.isFalse(yield* Deferred.isDone(end))
      fiber.unsafeInterruptAsFork(RpcServer.fiberIdTransientInterrupt)
      yield* TestClock.adjust("1 second")
      assert.isTrue(Exit.isInterrupted(yield* Deferred.await(end)))
      assert.strictEqual(seen.interrupted, 1)
    }))

  it.effect("has its result, also when its caller gave it up", () =>
    Effect.gen(function*() {
      for (const isGivenUp of [false, true]) {
        const { end, fiber } = yield* run(Effect.as(Effect.sleep("1 minute"), 7))
        if (isGivenUp) fiber.unsafeInterruptAsFork(RpcServer.fiberIdClientInterrupt)
        yield* TestClock.adjust("1 minute")
        assert.deepStrictEqual(yield* Deferred.await(end), Exit.succeed(7))
      }
    }))
})
