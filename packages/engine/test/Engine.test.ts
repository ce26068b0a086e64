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
import { databases, onPostgres, temporaryFile, type TestDatabase } from "./support/databases.js"
import { createPayments, Order, orders, payments, until } from "./support/orders.js"

const quick: Engine.Options = { pollInterval: "20 millis", shutdownTimeout: "100 millis" }

const runnerOn = (layer: TestDatabase["layer"], work: ReturnType<typeof orders>, options = quick) =>
  Effect.provide(
    work.layer.pipe(
      Layer.provideMerge(Engine.layerRunner(options)),
      Layer.provideMerge(Layer.effectDiscard(createPayments)),
      Layer.provideMerge(layer)
    )
  )

const clientOn = (layer: TestDatabase["layer"]) =>
  Effect.provide(Engine.layerClient(quick).pipe(Layer.provideMerge(layer)))

const health = Effect.flatMap(Engine.Engine, ({ health }) => health)

describe.each(databases)("a runner on %s", (_, open) => {
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
      }).pipe(runnerOn((yield* open).layer, work))
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
      ], { concurrency: "unbounded" }).pipe(runnerOn((yield* open).layer, work))
      assert.deepStrictEqual(answers, [1, 1])
      assert.deepStrictEqual(work.seen, { reserve: 1, wait: 1 })
    }))

  it.scopedLive("answers a key again after a restart without executing it again", () =>
    Effect.gen(function*() {
      const { layer } = yield* open
      const first = orders()
      const second = orders()
      assert.strictEqual(yield* Order.execute({ key: "a", amount: 1 }).pipe(runnerOn(layer, first)), 1)
      assert.strictEqual(yield* Order.execute({ key: "a", amount: 1 }).pipe(runnerOn(layer, second)), 1)
      assert.deepStrictEqual(second.seen, { reserve: 0, wait: 0 })
    }))

  it.scopedLive("forgets executions that have ended, and none that has not", () =>
    Effect.gen(function*() {
      const { layer } = yield* open
      const reached = yield* Deferred.make<void>()
      yield* Effect.gen(function*() {
        const { forget } = yield* Engine.Engine
        const sql = yield* SqlClient.SqlClient
        const rows = Effect.gen(function*() {
          const [messages] = yield* sql<{ readonly count: number }>`SELECT COUNT(*) AS count FROM klaytn_messages`
          const [replies] = yield* sql<{ readonly count: number }>`SELECT COUNT(*) AS count FROM klaytn_replies`
          return [Number(messages?.count), Number(replies?.count)]
        })
        yield* Order.execute({ key: "a", amount: 1 })
        const ofOne = yield* rows
        assert.isAbove(ofOne[0] ?? 0, 0)
        assert.strictEqual(yield* forget(Order.name, "1 hour"), 0)
        assert.strictEqual(yield* forget("another", 0), 0)
        assert.deepStrictEqual(yield* rows, ofOne)
        yield* until(forget(Order.name, 0), (forgotten) => forgotten === 1)
        assert.deepStrictEqual(yield* rows, [0, 0])
      }).pipe(runnerOn(layer, orders()))
      yield* Effect.gen(function*() {
        yield* Order.execute({ key: "b", amount: 1 }, { discard: true })
        yield* Deferred.await(reached)
        assert.strictEqual(yield* Effect.flatMap(Engine.Engine, ({ forget }) => forget(Order.name, 0)), 0)
      }).pipe(runnerOn(layer, orders(Effect.zipRight(Deferred.succeed(reached, undefined), Effect.never))))
    }))

  it.scopedLive("goes on where it was closed: what had ended is kept, and the activity under way runs again", () =>
    Effect.gen(function*() {
      const { layer } = yield* open
      const reached = yield* Deferred.make<void>()
      const first = orders(Effect.zipRight(Deferred.succeed(reached, undefined), Effect.never))
      yield* Order.execute({ key: "a", amount: 1 }, { discard: true }).pipe(
        Effect.zipRight(Deferred.await(reached)),
        runnerOn(layer, first)
      )
      assert.deepStrictEqual(first.seen, { reserve: 1, wait: 1 })
      const second = orders()
      const answer = yield* Order.execute({ key: "a", amount: 1 }).pipe(runnerOn(layer, second))
      assert.strictEqual(answer, 1)
      assert.deepStrictEqual(second.seen, { reserve: 0, wait: 1 })
    }))
})

describe.each(onPostgres)("a runner on %s", (_, open) => {
  it.scopedLive("goes on when all of its connections are cut, and a client gets its answer", () =>
    Effect.gen(function*() {
      const { layer } = yield* open
      const reached = yield* Deferred.make<void>()
      const release = yield* Deferred.make<void>()
      const work = orders(Effect.zipRight(Deferred.succeed(reached, undefined), Deferred.await(release)))
      const cut = Effect.flatMap(SqlClient.SqlClient, (sql) =>
        sql`
          SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE datname = current_database() AND pid <> pg_backend_pid()`)
      const answers = yield* Effect.all([
        Order.execute({ key: "a", amount: 1 }).pipe(clientOn(layer)),
        Deferred.await(reached).pipe(
          Effect.zipRight(Effect.provide(cut, layer)),
          Effect.zipRight(Deferred.succeed(release, undefined)),
          Effect.zipRight(Order.execute({ key: "b", amount: 2 }))
        )
      ], { concurrency: "unbounded" }).pipe(runnerOn(layer, work))
      assert.deepStrictEqual(answers, [1, 2])
    }))
})

describe("a runner of a SQLite file", () => {
  it.scopedLive("is the only one of its file: a second one is refused, a client is not", () =>
    Effect.gen(function*() {
      const file = yield* temporaryFile
      const layer = Database.layerSqlite({ file })
      yield* Effect.gen(function*() {
        const refusal = yield* Effect.flip(Effect.void.pipe(runnerOn(layer, orders())))
        assert.strictEqual(refusal._tag === "EngineError" && refusal.reason, "Locked")
        assert.include(refusal.message, file)
        assert.strictEqual(yield* Order.execute({ key: "a", amount: 7 }).pipe(clientOn(layer)), 7)
      }).pipe(runnerOn(layer, orders()))
    }))

  it.scoped("leaves a workflow that it does not know to wait for a runner that does", () =>
    Effect.gen(function*() {
      const file = yield* temporaryFile
      const layer = Database.layerSqlite({ file })
      yield* Order.execute({ key: "a", amount: 3 }, { discard: true }).pipe(clientOn(layer))
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
        Effect.provide(layer)
      )
    }))
})

describe.each(databases)("a client on %s", (_, open) => {
  it.scopedLive("submits while no runner is there, and the next runner does the work", () =>
    Effect.gen(function*() {
      const { layer } = yield* open
      yield* Order.execute({ key: "a", amount: 5 }, { discard: true }).pipe(clientOn(layer))
      const rows = yield* until(payments, (rows) => rows.length > 0).pipe(runnerOn(layer, orders()))
      assert.deepStrictEqual(rows, [{ name: "a", amount: 5 }])
    }))

  it.scopedLive("may start on an empty database at the same moment as others and a runner", () =>
    Effect.gen(function*() {
      const { layer } = yield* open
      const asked = ["a", "b", "c"].map((key, amount) => Order.execute({ key, amount }).pipe(clientOn(layer)))
      // The runner stays until the clients have their answers: a row may be there before the answer is stored.
      const answered = yield* Deferred.make<void>()
      const clients = Effect.all(asked, { concurrency: "unbounded" }).pipe(
        Effect.zipLeft(Deferred.succeed(answered, undefined))
      )
      const runner = Effect.zipRight(Deferred.await(answered), payments).pipe(runnerOn(layer, orders()))
      const [rows, answers] = yield* Effect.all([runner, clients], { concurrency: "unbounded" })
      assert.deepStrictEqual(answers, [0, 1, 2])
      assert.deepStrictEqual(rows.map(({ name }) => name), ["a", "b", "c"])
    }))

  it.scopedLive("inside an open transaction of its caller submits on its own, and not with it", () =>
    Effect.gen(function*() {
      const { layer } = yield* open
      yield* Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const other = yield* Layer.build(Database.layerSqlite({ file: ":memory:" }))
        const own = yield* Effect.provide(SqlClient.SqlClient, other)
        yield* own`CREATE TABLE notes (text TEXT)`
        const rolledBack = yield* own.withTransaction(
          Effect.zipRight(Order.execute({ key: "a", amount: 1 }, { discard: true }), Effect.fail("rolled back"))
        ).pipe(Effect.flip)
        assert.strictEqual(rolledBack, "rolled back")
        const [row] = yield* sql<{ readonly count: number | string }>`SELECT COUNT(*) AS count FROM klaytn_messages`
        assert.strictEqual(Number(row?.count), 1)
      }).pipe(clientOn(layer))
    }))
})

describe.each(databases)("health on %s", (_, open) => {
  it.scopedLive("tells what waits, for how long, and how many runners there are", () =>
    Effect.gen(function*() {
      const { layer } = yield* open
      const alone = yield* Order.execute({ key: "a", amount: 1 }, { discard: true }).pipe(
        Effect.zipRight(Effect.sleep("5 millis")),
        Effect.zipRight(health),
        clientOn(layer)
      )
      assert.deepInclude(alone, { runners: 0, waiting: 1, underWay: 0 })
      assert.isTrue(Option.exists(alone.oldestWaiting, Duration.greaterThanOrEqualTo("5 millis")))
      const isBusy = ({ runners, underWay, waiting }: Engine.Health) => runners > 0 && underWay > 0 && waiting === 0
      const busy = yield* until(health, isBusy).pipe(
        runnerOn(layer, orders(Effect.never))
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
      assert.deepInclude(yield* refusal({ lockExpiration: "9.9 seconds" }), { reason: "Configuration" })
      for (const option of ["pollInterval", "lockExpiration", "databaseTimeout", "shutdownTimeout"]) {
        // A program without types may pass any text, such as that of an environment variable.
        const options = { [option]: "5 bananas" } as Engine.Options
        assert.deepInclude(yield* refusal(options), { reason: "Configuration" }, option)
      }
    }))
})
