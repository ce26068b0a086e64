import * as RpcServer from "@effect/rpc/RpcServer"
import * as SqlClient from "@effect/sql/SqlClient"
import { assert, describe, it } from "@effect/vitest"
import * as Activity from "@effect/workflow/Activity"
import * as Workflow from "@effect/workflow/Workflow"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/TestClock"
import * as Engine from "../src/Engine.js"
import { untilGivenUp } from "../src/internal/interruptibleHandlers.js"
import { onPostgres } from "./support/databases.js"

/** Runs an activity, or a workflow, as the cluster does, so that nothing interrupts it. */
const run = <A, E>(handler: Effect.Effect<A, E>, outlivesCaller = true) =>
  Effect.gen(function*() {
    const end = yield* Deferred.make<Exit.Exit<A, E>>()
    const fiber = yield* Effect.fork(Effect.uninterruptible(
      Effect.flatMap(Effect.exit(untilGivenUp({ outlivesCaller, limit: "5 seconds" })(handler)), (exit) =>
        Deferred.succeed(end, exit))
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
  it.effect("is left alone when its runner gives it up and its end takes too long", () =>
    Effect.gen(function*() {
      const { end, fiber } = yield* run(Effect.uninterruptible(Effect.never))
      fiber.unsafeInterruptAsFork(RpcServer.fiberIdTransientInterrupt)
      yield* TestClock.adjust("4 seconds")
      assert.isFalse(yield* Deferred.isDone(end))
      yield* TestClock.adjust("2 seconds")
      assert.isTrue(Exit.isInterrupted(yield* Deferred.await(end)))
    }))

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

describe("a workflow", () => {
  it.effect("is interrupted with its caller", () =>
    Effect.gen(function*() {
      const { activity, seen } = endless()
      const { end, fiber } = yield* run(activity, false)
      fiber.unsafeInterruptAsFork(RpcServer.fiberIdClientInterrupt)
      yield* TestClock.adjust("1 second")
      assert.isTrue(Exit.isInterrupted(yield* Deferred.await(end)))
      assert.strictEqual(seen.interrupted, 1)
    }))

  it.effect("that was interrupted and does not end is left alone when its runner gives it up", () =>
    Effect.gen(function*() {
      const { end, fiber } = yield* run(Effect.onInterrupt(Effect.never, () => Effect.never), false)
      fiber.unsafeInterruptAsFork(RpcServer.fiberIdClientInterrupt)
      yield* TestClock.adjust("1 minute")
      assert.isFalse(yield* Deferred.isDone(end))
      fiber.unsafeInterruptAsFork(RpcServer.fiberIdTransientInterrupt)
      yield* TestClock.adjust("4 seconds")
      assert.isFalse(yield* Deferred.isDone(end))
      yield* TestClock.adjust("3 seconds")
      assert.isTrue(Exit.isInterrupted(yield* Deferred.await(end)))
    }))
})

const Part = Workflow.make({
  name: "Part",
  payload: { index: Schema.Int },
  idempotencyKey: ({ index }) => String(index)
})

const Whole = Workflow.make({ name: "Whole", payload: { id: Schema.String }, idempotencyKey: ({ id }) => id })

const pausing = (name: string, millis: number) => Activity.make({ name, execute: Effect.sleep(millis) })

const Workflows = Layer.merge(
  Part.toLayer(({ index }) => Effect.zipRight(pausing("one", index % 2 === 0 ? 6000 : 300), pausing("two", 6000))),
  Whole.toLayer(() =>
    Effect.forEach([1, 2, 3, 4, 5, 6], (index) => Part.execute({ index }), { concurrency: "unbounded", discard: true })
  )
)

describe.each(onPostgres)("a runner on %s", (_, open) => {
  it.scopedLive(
    "that loses its locks for a moment goes on with what it had begun",
    () =>
      Effect.gen(function*() {
        const { layer } = yield* open
        const runner = Workflows.pipe(
          Layer.provideMerge(
            Engine.layerRunner({
              lockExpiration: "10 seconds",
              pollInterval: "100 millis",
              shutdownTimeout: "1 second"
            })
          ),
          Layer.provideMerge(layer)
        )
        yield* Effect.provide(
          Effect.gen(function*() {
            const sql = yield* SqlClient.SqlClient
            const whole = yield* Effect.fork(Whole.execute({ id: "whole" }))
            yield* Effect.sleep("2 seconds")
            yield* sql`ALTER TABLE klaytn_locks RENAME TO klaytn_locks_away`
            yield* Effect.sleep("4 seconds")
            yield* sql`ALTER TABLE klaytn_locks_away RENAME TO klaytn_locks`
            assert.isTrue((yield* Effect.timeoutOption(Fiber.await(whole), "60 seconds"))._tag === "Some")
          }),
          runner
        )
      }).pipe(Logger.withMinimumLogLevel(LogLevel.None))
  )
})
