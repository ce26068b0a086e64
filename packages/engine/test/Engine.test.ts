import * as Database from "@effect-klaytn/engine/Database"
import * as Engine from "@effect-klaytn/engine/Engine"
import * as SqlClient from "@effect/sql/SqlClient"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"
import { createPayments, Order, orders, payments, temporaryFile, until } from "./support/orders.js"

const quick: Engine.Options = { pollInterval: "20 millis", shutdownTimeout: "100 millis" }

const runnerOn = (file: string, work: ReturnType<typeof orders>, options = quick) =>
  Effect.provide(
    work.layer.pipe(
      Layer.provideMerge(Engine.layerRunner(options)),
      Layer.provideMerge(Layer.effectDiscard(createPayments)),
      Layer.provideMerge(Database.layerSqlite({ file }))
    )
  )

const clientOn = (file: string) =>
  Effect.provide(Engine.layerClient(quick).pipe(Layer.provideMerge(Database.layerSqlite({ file }))))

const health = Effect.flatMap(Engine.Engine, ({ health }) => health)

describe("a runner on SQLite", () => {
  // Which of two callers at the same moment comes first is not known: both have to be told of the one that did.
  it.scopedLive("executes a key that is asked for twice at the same time once, with one of the payloads", () =>
    Effect.gen(function*() {
      const work = orders()
      const { answers, rows } = yield* Effect.all({
        answers: Effect.all([
          Order.execute({ key: "a", amount: 1 }),
          Order.execute({ key: "a", amount: 2 })
        ], { concurrency: "unbounded" }),
        rows: payments
      }).pipe(runnerOn(yield* temporaryFile, work))
      assert.include([1, 2], answers[0])
      assert.strictEqual(answers[1], answers[0])
      assert.deepStrictEqual([...rows], [{ name: "a", amount: answers[0] }])
      assert.deepStrictEqual(work.seen, { reserve: 1, wait: 1 })
    }))

  it.scopedLive("keeps the payload that came first when a key is asked for again while it runs", () =>
    Effect.gen(function*() {
      const reached = yield* Deferred.make<void>()
      const release = yield* Deferred.make<void>()
      const work = orders(Effect.zipRight(Deferred.succeed(reached, undefined), Deferred.await(release)))
      const answers = yield* Effect.all([
        Order.execute({ key: "a", amount: 1 }),
        Deferred.await(reached).pipe(
          Effect.zipRight(Effect.fork(Order.execute({ key: "a", amount: 2 }))),
          Effect.zipLeft(Deferred.succeed(release, undefined)),
          Effect.flatMap(Fiber.join)
        )
      ], { concurrency: "unbounded" }).pipe(runnerOn(yield* temporaryFile, work))
      assert.deepStrictEqual(answers, [1, 1])
      assert.deepStrictEqual(work.seen, { reserve: 1, wait: 1 })
    }))

  it.scopedLive("answers a key again after a restart without executing it again", () =>
    Effect.gen(function*() {
      const file = yield* temporaryFile
      const first = orders()
      const second = orders()
      assert.strictEqual(yield* Order.execute({ key: "a", amount: 1 }).pipe(runnerOn(file, first)), 1)
      assert.strictEqual(yield* Order.execute({ key: "a", amount: 1 }).pipe(runnerOn(file, second)), 1)
      assert.deepStrictEqual(second.seen, { reserve: 0, wait: 0 })
    }))

  it.scopedLive("goes on where it was closed: what had ended is kept, and the activity under way runs again", () =>
    Effect.gen(function*() {
      const file = yield* temporaryFile
      const reached = yield* Deferred.make<void>()
      const first = orders(Effect.zipRight(Deferred.succeed(reached, undefined), Effect.never))
      yield* Order.execute({ key: "a", amount: 1 }, { discard: true }).pipe(
        Effect.zipRight(Deferred.await(reached)),
        runnerOn(file, first)
      )
      assert.deepStrictEqual(first.seen, { reserve: 1, wait: 1 })
      const second = orders()
      const answer = yield* Order.execute({ key: "a", amount: 1 }).pipe(runnerOn(file, second))
      assert.strictEqual(answer, 1)
      assert.deepStrictEqual(second.seen, { reserve: 0, wait: 1 })
    }))

  it.scopedLive("is the only one of its file: a second one is refused, a client is not", () =>
    Effect.gen(function*() {
      const file = yield* temporaryFile
      yield* Effect.gen(function*() {
        const refusal = yield* Effect.flip(Effect.void.pipe(runnerOn(file, orders())))
        assert.strictEqual(refusal._tag === "EngineError" && refusal.reason, "Locked")
        assert.include(refusal.message, file)
        assert.strictEqual(yield* Order.execute({ key: "a", amount: 7 }).pipe(clientOn(file)), 7)
      }).pipe(runnerOn(file, orders()))
    }))

  it.scoped("leaves a workflow that it does not know to wait for a runner that does", () =>
    Effect.gen(function*() {
      const file = yield* temporaryFile
      yield* Order.execute({ key: "a", amount: 3 }, { discard: true }).pipe(clientOn(file))
      yield* Effect.gen(function*() {
        // By itself, the cluster gives up after a minute, and stores that as the workflow's end.
        yield* TestClock.adjust("5 minutes")
        yield* createPayments
        yield* Layer.build(orders().layer)
        const asked = yield* Effect.fork(Order.execute({ key: "a", amount: 3 }))
        yield* TestClock.adjust("1 minute")
        assert.strictEqual(yield* Fiber.join(asked), 3)
      }).pipe(
        Effect.provide(Engine.layerRunner({ pollInterval: "10 seconds" })),
        Effect.provide(Database.layerSqlite({ file }))
      )
    }))
})

describe("a client", () => {
  it.scopedLive("submits while no runner is there, and the next runner does the work", () =>
    Effect.gen(function*() {
      const file = yield* temporaryFile
      yield* Order.execute({ key: "a", amount: 5 }, { discard: true }).pipe(clientOn(file))
      const rows = yield* until(payments, (rows) => rows.length > 0).pipe(runnerOn(file, orders()))
      assert.deepStrictEqual(rows, [{ name: "a", amount: 5 }])
    }))

  it.scopedLive("may start on an empty file at the same moment as others and a runner", () =>
    Effect.gen(function*() {
      const file = yield* temporaryFile
      const asked = ["a", "b", "c"].map((key, amount) => Order.execute({ key, amount }).pipe(clientOn(file)))
      const runner = until(payments, (rows) => rows.length === 3).pipe(runnerOn(file, orders()))
      const [rows, ...answers] = yield* Effect.all([runner, ...asked], { concurrency: "unbounded" })
      assert.deepStrictEqual(answers, [0, 1, 2])
      assert.deepStrictEqual(rows.map(({ name }) => name), ["a", "b", "c"])
    }))

  it.scopedLive("inside an open transaction of its caller submits on its own, and not with it", () =>
    Effect.gen(function*() {
      const file = yield* temporaryFile
      yield* Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const other = yield* Layer.build(Database.layerSqlite({ file: `${file}.own` }))
        const own = yield* Effect.provide(SqlClient.SqlClient, other)
        yield* own`CREATE TABLE notes (text TEXT)`
        const rolledBack = yield* own.withTransaction(
          Effect.zipRight(Order.execute({ key: "a", amount: 1 }, { discard: true }), Effect.fail("rolled back"))
        ).pipe(Effect.flip)
        assert.strictEqual(rolledBack, "rolled back")
        const [row] = yield* sql<{ readonly count: number }>`SELECT COUNT(*) AS count FROM klaytn_messages`
        assert.strictEqual(row?.count, 1)
      }).pipe(clientOn(file))
    }))
})

describe("health", () => {
  it.scopedLive("tells what waits, for how long, and how many runners there are", () =>
    Effect.gen(function*() {
      const file = yield* temporaryFile
      const alone = yield* Order.execute({ key: "a", amount: 1 }, { discard: true }).pipe(
        Effect.zipRight(Effect.sleep("5 millis")),
        Effect.zipRight(health),
        clientOn(file)
      )
      assert.deepInclude(alone, { runners: 0, waiting: 1, underWay: 0 })
      assert.isTrue(Option.exists(alone.oldestWaiting, Duration.greaterThanOrEqualTo("5 millis")))
      const busy = yield* until(health, ({ runners, underWay }) => runners > 0 && underWay > 0).pipe(
        runnerOn(file, orders(Effect.never))
      )
      assert.deepStrictEqual(busy.oldestWaiting, Option.none())
      assert.deepInclude(busy, { runners: 1, waiting: 0 })
    }))
})

describe("options", () => {
  const refusal = (options: Engine.Options) =>
    Effect.void.pipe(
      Effect.provide(Engine.layerClient(options)),
      Effect.provide(Database.layerSqlite({ file: ":memory:" })),
      Effect.flip
    )

  it.live("that can't be right are refused before a table is made", () =>
    Effect.gen(function*() {
      for (const namespace of ["", "Klaytn", "1a", "a-b", "a\"b", "a".repeat(31)]) {
        assert.deepInclude(yield* refusal({ namespace }), { _tag: "EngineError", reason: "Configuration" })
      }
      assert.deepInclude(yield* refusal({ lockExpiration: "2 seconds" }), { reason: "Configuration" })
    }))
})
