import * as Database from "@effect-klaytn/engine/Database"
import * as SqlClient from "@effect/sql/SqlClient"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { onPostgres } from "./support/databases.js"

describe.each(onPostgres)("the pool of connections on %s", (_, open) => {
  it.scopedLive("is whole after a caller of `reserve` was interrupted while it waited", () =>
    Effect.gen(function*() {
      const { url } = yield* open
      const context = yield* Layer.build(Database.layerPostgres({ url, maxConnections: 4 }))
      const sql = yield* Effect.provide(SqlClient.SqlClient, context)
      const release = yield* Deferred.make<void>()
      const holders = yield* Effect.forEach([1, 2, 3, 4], () =>
        Effect.gen(function*() {
          const held = yield* Deferred.make<void>()
          const holder = yield* Effect.fork(
            Effect.scoped(
              Effect.zipRight(sql.reserve, Effect.zipRight(Deferred.succeed(held, undefined), Deferred.await(release)))
            )
          )
          yield* Deferred.await(held)
          return holder
        }))
      const waiting = yield* Effect.fork(Effect.scoped(sql.reserve))
      yield* Effect.sleep("20 millis")
      const interrupted = yield* Effect.fork(Fiber.interrupt(waiting))
      yield* Effect.sleep("20 millis")
      yield* Deferred.succeed(release, undefined)
      yield* Fiber.joinAll(holders)
      yield* Fiber.join(interrupted)
      const rows = yield* Effect.scoped(
        Effect.zipRight(Effect.all([1, 2, 3, 4].map(() => sql.reserve)), Effect.succeed("all"))
      )
      assert.strictEqual(rows, "all")
    }))
})
