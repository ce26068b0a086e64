import { PersistenceError } from "@effect/cluster/ClusterError"
import * as EntityAddress from "@effect/cluster/EntityAddress"
import * as EntityId from "@effect/cluster/EntityId"
import * as EntityType from "@effect/cluster/EntityType"
import * as MessageStorage from "@effect/cluster/MessageStorage"
import * as Reply from "@effect/cluster/Reply"
import * as ShardId from "@effect/cluster/ShardId"
import * as Snowflake from "@effect/cluster/Snowflake"
import { SqlError } from "@effect/sql/SqlError"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"
import * as databaseRetries from "../src/internal/databaseRetries.js"
import * as retryingStorage from "../src/internal/retryingStorage.js"

const key = {
  address: EntityAddress.EntityAddress.make({
    shardId: ShardId.make("default", 1),
    entityType: EntityType.EntityType.make("Workflow/Order"),
    entityId: EntityId.EntityId.make("1")
  }),
  tag: "run",
  id: ""
}

const failed = (cause: unknown) =>
  new PersistenceError({ cause: new SqlError({ cause, message: "Failed to execute statement" }) })

/** The lines at levels above `INFO`, and an effect run with them. */
const logged = () => {
  const lines: Array<string> = []
  const logger = Logger.make(({ logLevel, message }) => {
    if (LogLevel.greaterThan(logLevel, LogLevel.Info)) lines.push(`${logLevel.label} ${String(message)}`)
  })
  return { lines, use: Effect.provide(Logger.replace(Logger.defaultLogger, logger)) }
}

/** Waits as a runner or a client does for the storage that a test gives. */
const waitingFor = (given: Partial<MessageStorage.MessageStorage["Type"]>, options: {
  readonly limit?: Duration.DurationInput
  readonly isRunner?: boolean
}) =>
  Effect.gen(function*() {
    const waiting = yield* databaseRetries.make({
      database: "work.db",
      limit: Duration.decode(options.limit ?? Duration.infinity),
      endures: options.isRunner ?? true
    })
    const inner = Layer.succeed(MessageStorage.MessageStorage, { ...MessageStorage.noop, ...given })
    const context = yield* Layer.build(
      inner.pipe(retryingStorage.messages({ databaseRetries: waiting, reread: "15 seconds" }))
    )
    return { storage: Context.get(context, MessageStorage.MessageStorage), failure: waiting.failure }
  })

/** A look into a storage that fails with each of these, one after the other, and then answers. */
const looking = (failures: ReadonlyArray<PersistenceError>, options: Parameters<typeof waitingFor>[1] = {}) => {
  const left = [...failures]
  const requestIdForPrimaryKey = () =>
    Effect.suspend(() => {
      const failure = left.shift()
      return failure === undefined ? Effect.succeed(Option.none()) : Effect.fail(failure)
    })
  return Effect.map(waitingFor({ requestIdForPrimaryKey }, options), ({ failure, storage }) => ({
    failure,
    left,
    look: storage.requestIdForPrimaryKey(key)
  }))
}

const full = { code: "53100", message: "could not extend file: No space left on device" }
const away = { code: "ECONNREFUSED" }

/** A reply to the request 1. */
const reply = (id: number) =>
  Reply.ReplyWithContext.fromDefect({
    id: Snowflake.Snowflake(BigInt(id)),
    requestId: Snowflake.Snowflake(1n),
    defect: "odd"
  })

/** What is stored of a reply. */
const storedReply = (id: string): Reply.ReplyEncoded<never> => ({
  _tag: "WithExit",
  id,
  requestId: "1",
  exit: { _tag: "Success", value: undefined as never } // what a void success is stored as
})

describe("the storage of messages", () => {
  it.scoped("sits out a database that restarts, and logs each repetition", () =>
    Effect.gen(function*() {
      const lost = [
        { code: "57P01" },
        away,
        { code: "08006" },
        { message: "Connection terminated unexpectedly" },
        { code: "40001" },
        { code: "SQLITE_BUSY" }
      ].map(failed)
      const { lines, use } = logged()
      const { left, look } = yield* looking(lost)
      const fiber = yield* Effect.fork(use(look))
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* Fiber.join(fiber), Option.none())
      assert.deepStrictEqual(left, [])
      assert.strictEqual(lines.length, lost.length)
      assert.include(lines[1], "WARN A statement on work.db failed (ECONNREFUSED")
    }))

  it.scoped("of a client fails when its time has passed", () =>
    Effect.gen(function*() {
      const { look } = yield* looking(Array.from({ length: 1000 }, () => failed(away)), {
        isRunner: false,
        limit: "30 seconds"
      })
      const fiber = yield* Effect.fork(logged().use(Effect.flip(look)))
      yield* TestClock.adjust("36 seconds")
      assert.strictEqual((yield* Fiber.join(fiber))._tag, "PersistenceError")
    }))

  it.scoped("of a client fails at once where somebody has to act", () =>
    Effect.gen(function*() {
      const { look } = yield* looking([failed(full)], { isRunner: false })
      assert.strictEqual((yield* logged().use(Effect.flip(look)))._tag, "PersistenceError")
    }))

  it.scoped("of a runner waits beyond its time, as a workflow would end with the failure, and tells that it does", () =>
    Effect.gen(function*() {
      const { failure, look } = yield* looking(Array.from({ length: 30 }, () => failed(away)), { limit: "30 seconds" })
      const fiber = yield* Effect.fork(logged().use(look))
      const told = yield* Effect.fork(Effect.flip(failure))
      yield* TestClock.adjust("20 seconds")
      assert.isTrue(Option.isNone(yield* Fiber.poll(told)))
      yield* TestClock.adjust("20 seconds")
      const error = yield* Fiber.join(told)
      assert.deepInclude(error, { _tag: "EngineError", reason: "Unreachable", database: "work.db" })
      yield* TestClock.adjust("5 minutes")
      assert.deepStrictEqual(yield* Fiber.join(fiber), Option.none())
    }))

  it.scoped("of a runner tells at once what somebody has to do, and goes on when that is done", () =>
    Effect.gen(function*() {
      const { lines, use } = logged()
      const { failure, look } = yield* looking([failed(full), failed(full)])
      const fiber = yield* Effect.fork(use(look))
      const error = yield* Effect.flip(failure)
      assert.deepInclude(error, { reason: "Unusable", database: "work.db" })
      assert.include(error.message, "Free space on its disk")
      assert.strictEqual(lines[0], `ERROR ${error.message}`)
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(yield* Fiber.join(fiber), Option.none())
    }))

  it.scoped("counts the time that the database is away from the last statement that succeeded", () =>
    Effect.gen(function*() {
      const down = Array.from({ length: 5 }, () => failed(away))
      const { failure, left, look } = yield* looking(down, { limit: "4 seconds" })
      const told = yield* Effect.fork(Effect.flip(failure))
      const quiet = logged().use(look)
      const first = yield* Effect.fork(quiet)
      yield* TestClock.adjust("1 minute")
      yield* Fiber.join(first)
      left.push(...down)
      const second = yield* Effect.fork(quiet)
      yield* TestClock.adjust("1 minute")
      yield* Fiber.join(second)
      assert.isTrue(Option.isNone(yield* Fiber.poll(told)))
    }))

  it.scoped("fails at once with what no repetition changes", () =>
    Effect.gen(function*() {
      for (
        const cause of [{ code: "42P01" }, { code: "23505" }, { code: "SQLITE_CONSTRAINT_UNIQUE" }, new Error("odd")]
      ) {
        const { look } = yield* looking([failed(cause)])
        assert.strictEqual((yield* Effect.flip(look))._tag, "PersistenceError")
      }
    }))

  it.scoped("stores a reply again whose commit failed, which the client makes a defect", () =>
    Effect.gen(function*() {
      let commits = 0
      const { storage } = yield* waitingFor({
        saveReply: () =>
          Effect.suspend(() =>
            commits++ === 0
              ? Effect.die(new SqlError({ cause: away, message: "Failed to execute statement" }))
              : Effect.void
          )
      }, {})
      const saving = yield* Effect.fork(logged().use(storage.saveReply(reply(7))))
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(saving)
      assert.strictEqual(commits, 2)
    }))

  it.scoped("takes a reply that is refused for a stored one only if that very reply is stored", () =>
    Effect.gen(function*() {
      const { storage } = yield* waitingFor({
        saveReply: () => Effect.fail(failed({ code: "23505" })),
        repliesForUnfiltered: () => Effect.succeed([storedReply("7")])
      }, {})
      yield* storage.saveReply(reply(7))
      assert.strictEqual((yield* Effect.flip(storage.saveReply(reply(8))))._tag, "PersistenceError")
    }))

  it.scoped("reads again, from time to time, what was read and dropped while a share moved to another runner", () =>
    Effect.gen(function*() {
      const forgotten: Array<number> = []
      const { storage } = yield* waitingFor({
        resetShards: (shards) => Effect.sync(() => void forgotten.push([...shards].length))
      }, {})
      const read = Effect.suspend(() => storage.unprocessedMessages([ShardId.make("default", 1)].values()))
      yield* TestClock.adjust("1 minute")
      yield* read
      yield* read
      assert.deepStrictEqual(forgotten, [1])
      yield* TestClock.adjust("15 seconds")
      yield* read
      assert.deepStrictEqual(forgotten, [1, 1])
    }))
})
