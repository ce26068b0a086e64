import * as Deadline from "@effect-klaytn/core/Deadline"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import * as SharedLook from "../src/internal/sharedLook.js"

/** A look that takes a second, and gives its number. Each number in `failing` fails. */
const looks = (failing: ReadonlyArray<number> = []) => {
  let begun = 0
  const look = Effect.suspend(() => {
    const number = ++begun
    return Effect.zipRight(
      Effect.sleep("1 second"),
      failing.includes(number) ? Effect.fail(`look ${number}`) : Effect.succeed(number)
    )
  })
  const shared = SharedLook.make(look, { goodFor: "50 millis", limit: "3 seconds", late: () => "late" })
  return { shared, begun: () => begun }
}

describe("a look that requests share", () => {
  it.effect("is made once for all that ask while it is under way, also if it takes longer than it is good for", () =>
    Effect.gen(function*() {
      const { begun, shared } = looks()
      const all = yield* Effect.fork(
        Effect.all(Array.from({ length: 100 }, () => shared.read), { concurrency: "unbounded" })
      )
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* Fiber.join(all), Array(100).fill(1))
      const next = yield* Effect.fork(shared.read)
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual([yield* Fiber.join(next), begun()], [2, 2])
    }))

  it.effect("fails for all that wait, together, and is made anew for the next one", () =>
    Effect.gen(function*() {
      const { begun, shared } = looks([1])
      const all = yield* Effect.fork(
        Effect.all(Array.from({ length: 5 }, () => Effect.either(shared.read)), { concurrency: "unbounded" })
      )
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* Fiber.join(all), Array(5).fill(Either.left("look 1")))
      const next = yield* Effect.fork(shared.read)
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual([yield* Fiber.join(next), begun()], [2, 2])
    }))

  it.effect("that is forgotten while it is under way serves those that wait, and nobody after them", () =>
    Effect.gen(function*() {
      const { shared } = looks()
      const before = yield* Effect.fork(shared.read)
      yield* TestClock.adjust("500 millis")
      yield* shared.forget
      const after = yield* Effect.fork(shared.read)
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual([yield* Fiber.join(before), yield* Fiber.join(after)], [1, 2])
    }))

  it.effect("ends for one that leaves or has no time left, and goes on for the others", () =>
    Effect.gen(function*() {
      const { begun, shared } = looks()
      const first = yield* Effect.fork(shared.read)
      const short = yield* Effect.fork(Effect.either(Deadline.withDeadline(shared.read, "200 millis")))
      const patient = yield* Effect.fork(Deadline.withDeadline(shared.read, "1 minute"))
      yield* TestClock.adjust("200 millis")
      yield* Fiber.interrupt(first)
      assert.deepStrictEqual(yield* Fiber.join(short), Either.left("late"))
      yield* TestClock.adjust("800 millis")
      assert.deepStrictEqual([yield* Fiber.join(patient), begun()], [1, 1])
      // A request whose time is over begins none.
      const over = Effect.zipRight(Effect.sleep("2 seconds"), Effect.either(shared.read))
      const late = yield* Effect.fork(Deadline.withDeadline(over, "1 second"))
      yield* TestClock.adjust("3 seconds")
      assert.deepStrictEqual([yield* Fiber.join(late), begun()], [Either.left("late"), 1])
    }))

  it.effect("is made for the next one wherever the one that began it was interrupted", () =>
    Effect.gen(function*() {
      for (let steps = 0; steps < 40; steps++) {
        const { shared } = looks()
        const left = yield* Effect.fork(Effect.withMaxOpsBeforeYield(shared.read, 10))
        for (let step = 0; step < steps; step++) yield* Effect.yieldNow()
        yield* Fiber.interrupt(left)
        const next = yield* Effect.fork(shared.read)
        yield* TestClock.adjust("1 second")
        assert.isTrue((yield* Fiber.poll(next))._tag === "Some", `nobody looks after ${steps} steps`)
      }
    }))
})
