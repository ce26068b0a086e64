import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as DatabaseLog from "../src/DatabaseLog.js"
import * as outages from "../src/internal/outages.js"

const refused = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" })

/** The level and the text of each line. */
const logged = <A, E, R>(effect: Effect.Effect<A, E, R>) => {
  const lines: Array<string> = []
  const logger = Logger.make(({ logLevel, message }) => void lines.push(`${logLevel.label} ${String(message)}`))
  return Effect.as(Effect.provide(effect, Logger.replace(Logger.defaultLogger, logger)), lines)
}

describe("a database that fails", () => {
  it.effect("is told once by all of its pools, and once when it has answered for ten seconds", () =>
    Effect.gen(function*() {
      let now = 0
      const lines = yield* logged(Effect.scoped(Effect.gen(function*() {
        const [first, second] = [yield* outages.watch("db", () => now), yield* outages.watch("db", () => now)]
        first.answered()
        for (now of [1_000, 2_000, 31_000]) {
          first.failed(refused)
          second.failed(refused)
        }
        now = 40_000
        second.answered()
        yield* DatabaseLog.waiting("waiting")
        yield* DatabaseLog.failure("a page failed", refused)
        now = 41_000
        first.answered()
        second.answered()
        yield* DatabaseLog.waiting("waiting again")
        now = 50_000
        first.failed(refused)
        yield* Effect.yieldNow()
      })))
      assert.deepStrictEqual(lines, [
        "WARN db fails (ECONNREFUSED, connect ECONNREFUSED); trying again. " +
        "Check that it is running and can be reached from this machine.",
        "INFO db answers again; it failed for 30 seconds",
        "WARN waiting again",
        "WARN db fails (ECONNREFUSED, connect ECONNREFUSED); trying again. " +
        "Check that it is running and can be reached from this machine."
      ])
    }))

  it.effect("for a moment alone is told as a connection that ended", () =>
    Effect.gen(function*() {
      let now = 1_000
      const lines = yield* logged(Effect.scoped(Effect.gen(function*() {
        const { answered, failed } = yield* outages.watch("db", () => now)
        failed(refused)
        now = 20_000
        answered()
        yield* Effect.yieldNow()
      })))
      assert.match(lines[1] ?? "", /^INFO db answers again; it failed at one moment: a connection ended/)
    }))

  it.effect("is none for a wrong statement, a lock, or a statement that took too long", () =>
    Effect.gen(function*() {
      const lines = yield* logged(Effect.scoped(Effect.gen(function*() {
        const { failed } = yield* outages.watch("db")
        for (const code of ["42P01", "23505", "40001", "40P01", "55P03", "57014", "25P03"]) {
          failed({ code, message: "" })
        }
        yield* Effect.yieldNow()
        for (const code of ["57P01", "53100", "25006", "08006"]) {
          yield* Effect.scoped(Effect.gen(function*() {
            const outage = yield* outages.watch(`db of ${code}`)
            outage.failed({ code, message: "" })
            yield* Effect.yieldNow()
          }))
        }
        yield* DatabaseLog.failure("wrong", { code: "42P01", message: "" })
        yield* DatabaseLog.failure("full", { code: "53100", message: "" })
      })))
      assert.deepStrictEqual(lines.map((line) => line.split(" (")[0]), [
        "WARN db of 57P01 fails",
        "WARN db of 53100 fails",
        "WARN db of 25006 fails",
        "WARN db of 08006 fails",
        "ERROR wrong",
        "ERROR full"
      ])
    }))
})
