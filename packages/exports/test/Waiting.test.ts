import * as Range from "@effect-klaytn/history/Range"
import { SqlError } from "@effect/sql/SqlError"
import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import * as records from "../../../drills/exports/records.js"
import { HistoryService } from "../../../drills/exports/service.js"
import * as Exports from "../src/Exports.js"
import { sinkError } from "../src/internal/storageFault.js"
import { untilAnswered } from "../src/internal/waiting.js"
import * as Plan from "../src/Plan.js"
import { type Session, type Sink, SinkError } from "../src/Sink.js"
import * as Memory from "./support/memory.js"
import * as Service from "./support/service.js"

const coded = (code: string, message = "driver's words") =>
  sinkError(
    new SqlError({ cause: Object.assign(new Error(message), { code }), message: "Failed to execute statement" })
  )

describe("a fault of a store", () => {
  for (
    const code of [
      "08006",
      "57P01",
      "57P03",
      "25006",
      "40001",
      "40P01",
      "53300",
      "55P03",
      "SQLITE_BUSY",
      "ECONNREFUSED",
      "ECONNRESET",
      "EPIPE",
      "ETIMEDOUT",
      "57014",
      "EHOSTUNREACH",
      "ENOTFOUND"
    ]
  ) {
    it(`with the code ${code} may pass`, () => {
      assert.deepStrictEqual(coded(code).reason, "unavailable")
      assert.include(coded(code).message, `does not answer (${code}, driver's words)`)
    })
  }

  const lasting: ReadonlyArray<readonly [code: string, advice: string]> = [
    ["53100", "make room"],
    ["53400", "make room"],
    ["SQLITE_FULL", "make room"],
    ["ENOSPC", "make room"],
    ["SQLITE_READONLY_DBMOVED", "only reading is possible"],
    ["EROFS", "only reading is possible"],
    ["28P01", "check the user and the password"],
    ["28000", "check the user and the password"],
    ["3D000", "create it first"],
    ["3F000", "not those of an export"],
    ["42P01", "not those of an export"],
    ["42501", "may not write there"],
    ["EACCES", "may not write there"],
    ["EMFILE", "too many open files"],
    ["23505", "the store failed"],
    ["XX000", "the store failed"]
  ]
  for (const [code, advice] of lasting) {
    it(`with the code ${code} does not pass, and its error says what to do: ${advice}`, () => {
      assert.strictEqual(coded(code).reason, "io")
      assert.include(coded(code).problem, advice)
      assert.include(coded(code).problem, code)
    })
  }

  it("without a code may pass if the connection was lost", () => {
    const lost = (message: string) => sinkError(new SqlError({ cause: new Error(message), message: "Failed" })).reason
    assert.strictEqual(lost("Connection terminated unexpectedly"), "unavailable")
    assert.strictEqual(lost("no such column"), "io")
    assert.strictEqual(sinkError("nothing known").problem, "the store failed (nothing known)")
    const none = sinkError(new Error("SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string"))
    assert.include(none.problem, "none was given: set PGPASSWORD")
  })
})

const unavailable = new SinkError({ reason: "unavailable", problem: "the store does not answer (ECONNREFUSED)" })

/** Runs an effect and returns its result, how long it took, and the warnings that it logged. */
const watched = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.gen(function*() {
    const warnings: Array<string> = []
    const logger = Logger.make(({ message }) => void warnings.push(String(message)))
    const fiber = yield* Effect.fork(
      Effect.either(effect).pipe(
        Effect.zip(Effect.clockWith((clock) => clock.currentTimeMillis)),
        Effect.provide(Logger.replace(Logger.defaultLogger, logger))
      )
    )
    yield* TestClock.adjust("1 hour")
    const [result, millis] = yield* Fiber.join(fiber)
    return { result, millis, warnings }
  })

describe("a store that does not answer", () => {
  it.effect("is asked again, with a line in the log for each wait", () =>
    Effect.gen(function*() {
      let asked = 0
      const { millis, result, warnings } = yield* watched(
        Effect.suspend(() => ++asked < 8 ? unavailable : Effect.succeed("stored")).pipe(untilAnswered(60_000))
      )
      assert.deepStrictEqual(result, Either.right("stored"))
      assert.strictEqual(millis, 250 + 500 + 1000 + 2000 + 4000 + 5000 + 5000)
      assert.strictEqual(warnings.length, 7)
      assert.strictEqual(warnings[0], "exports: the store does not answer (ECONNREFUSED); trying again in 250 ms")
    }))

  it.effect("is given up after the patience", () =>
    Effect.gen(function*() {
      const { millis, result } = yield* watched(untilAnswered(10_000)(Effect.fail(unavailable)))
      assert.deepStrictEqual(result, Either.left(unavailable))
      assert.strictEqual(millis, 250 + 500 + 1000 + 2000 + 4000)
    }))

  it.effect("in any other way ends at once", () =>
    Effect.gen(function*() {
      const full = new SinkError({ reason: "io", problem: "full" })
      const { millis, result, warnings } = yield* watched(untilAnswered(10_000)(Effect.fail(full)))
      assert.deepStrictEqual([result, millis, warnings], [Either.left(full), 0, []])
    }))
})

describe("an export", () => {
  const history = records.make({ seed: "waiting", transfers: 150, accounts: 2 })
  const accounts = [records.addressOf(0)]
  const truth = records.expected(history, new Set(accounts))
  const range = Either.getOrThrow(Range.time({ from: records.began, to: records.began + records.lasts }))

  /** A sink of which every step fails `times` times before it answers; a commit is done even so. */
  const failing = (sink: Sink, error: SinkError, times: number): Sink => {
    const left = new Map<string, number>()
    const step = <A>(name: string, effect: Effect.Effect<A, SinkError>): Effect.Effect<A, SinkError> =>
      Effect.suspend(() => {
        const count = left.get(name) ?? times
        left.set(name, count - 1)
        return count > 0 ? error : effect
      })
    const over = (session: Session): Session => ({
      ...session,
      plan: step("plan", session.plan),
      states: step("states", session.states),
      extend: (plan) => step("extend", session.extend(plan)),
      commit: (page) => step("commit", session.commit(page)),
      ids: (window, part) => Stream.unwrap(step("ids", Effect.sync(() => session.ids(window, part)))),
      finish: (manifest) => step("finish", session.finish(manifest))
    })
    return {
      open: (plan) =>
        Effect.suspend(() =>
          step("open", Effect.asVoid(Effect.void)).pipe(
            Effect.zipRight(Effect.map(sink.open(plan), over))
          )
        )
    }
  }

  const run = (error: SinkError) =>
    Effect.gen(function*() {
      const memory = Memory.make()
      const plan = yield* Plan.make({ accounts, range, size: 40, windows: 2 })
      const fiber = yield* Effect.fork(
        Effect.either(Exports.run({ plan, sink: failing(memory.sink, error, 3), concurrency: 1 })).pipe(
          Effect.provide(Service.of(new HistoryService(history)))
        )
      )
      while ((yield* Fiber.poll(fiber))._tag === "None") {
        yield* TestClock.adjust(Duration.millis(500))
        yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      }
      return { result: yield* Fiber.join(fiber), memory }
    }).pipe(Effect.provide(Logger.remove(Logger.defaultLogger)))

  it.effect("waits in every step for a store that does not answer", () =>
    Effect.gen(function*() {
      const { memory, result } = yield* run(unavailable)
      assert.strictEqual(Either.getOrThrow(result).complete, "yes")
      const found = records.tally([...memory.rows.values()].map((row) => records.exportedKey(row)))
      assert.deepStrictEqual(records.compare(truth.rows, found), { missing: 0, doubled: 0 })
    }))

  it.effect("ends at once with a store that is full", () =>
    Effect.gen(function*() {
      const full = new SinkError({ reason: "io", problem: "there is no room left" })
      const { memory, result } = yield* run(full)
      assert.deepStrictEqual(result, Either.left(full))
      assert.strictEqual(memory.rows.size, 0)
    }))
})
