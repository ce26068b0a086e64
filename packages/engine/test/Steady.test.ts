import { PersistenceError } from "@effect/cluster/ClusterError"
import * as EntityAddress from "@effect/cluster/EntityAddress"
import * as EntityId from "@effect/cluster/EntityId"
import * as EntityType from "@effect/cluster/EntityType"
import * as MessageStorage from "@effect/cluster/MessageStorage"
import * as ShardId from "@effect/cluster/ShardId"
import { SqlError } from "@effect/sql/SqlError"
import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"
import * as steady from "../src/internal/steady.js"

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

/** A storage that fails with each of these, one after the other, and then answers. */
const storage = (patience: Duration.DurationInput, failures: ReadonlyArray<PersistenceError>) => {
  const left = [...failures]
  const inner = Layer.succeed(MessageStorage.MessageStorage, {
    ...MessageStorage.noop,
    requestIdForPrimaryKey: () =>
      Effect.suspend(() => {
        const failure = left.shift()
        return failure === undefined ? Effect.succeed(Option.none()) : Effect.fail(failure)
      })
  })
  const look = Effect.flatMap(MessageStorage.MessageStorage, (storage) => storage.requestIdForPrimaryKey(key)).pipe(
    Effect.provide(inner.pipe(steady.messages({ patience, reread: "15 seconds" }))),
    Logger.withMinimumLogLevel(LogLevel.None)
  )
  return { left, look }
}

describe("the storage of messages", () => {
  it.effect("sits out a database that restarts, as long as it has patience", () =>
    Effect.gen(function*() {
      const lost = [
        { code: "57P01" },
        { code: "ECONNREFUSED" },
        { code: "08006" },
        { message: "Connection terminated unexpectedly" },
        { code: "40001" },
        { code: "SQLITE_BUSY" }
      ].map(failed)
      const { left, look } = storage("1 minute", lost)
      const looking = yield* Effect.fork(look)
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* Fiber.join(looking), Option.none())
      assert.deepStrictEqual(left, [])
    }))

  it.effect("fails when its patience has ended", () =>
    Effect.gen(function*() {
      const { look } = storage("30 seconds", Array.from({ length: 1000 }, () => failed({ code: "ECONNREFUSED" })))
      const looking = yield* Effect.fork(Effect.flip(look))
      yield* TestClock.adjust("36 seconds")
      assert.strictEqual((yield* Fiber.join(looking))._tag, "PersistenceError")
    }))

  it.effect("fails at once with what no repetition changes", () =>
    Effect.gen(function*() {
      for (
        const cause of [{ code: "42P01" }, { code: "23505" }, { code: "SQLITE_CONSTRAINT_UNIQUE" }, new Error("odd")]
      ) {
        const { look } = storage(Duration.infinity, [failed(cause)])
        assert.strictEqual((yield* Effect.flip(look))._tag, "PersistenceError")
      }
    }))

  it.effect("reads again, from time to time, what was read and dropped while a share moved to another runner", () =>
    Effect.gen(function*() {
      const forgotten: Array<number> = []
      const inner = Layer.succeed(MessageStorage.MessageStorage, {
        ...MessageStorage.noop,
        resetShards: (shards) => Effect.sync(() => void forgotten.push([...shards].length))
      })
      const read = Effect.flatMap(
        MessageStorage.MessageStorage,
        (storage) => storage.unprocessedMessages([ShardId.make("default", 1)].values())
      )
      yield* Effect.gen(function*() {
        yield* TestClock.adjust("1 minute")
        yield* read
        yield* read
        assert.deepStrictEqual(forgotten, [1])
        yield* TestClock.adjust("15 seconds")
        yield* read
        assert.deepStrictEqual(forgotten, [1, 1])
      }).pipe(Effect.provide(inner.pipe(steady.messages({ patience: "1 minute", reread: "15 seconds" }))))
    }))
})
