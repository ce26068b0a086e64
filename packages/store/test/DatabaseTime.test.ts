import * as DatabaseTime from "@effect-klaytn/store/DatabaseTime"
import * as SqlClient from "@effect/sql/SqlClient"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { databases } from "./support/databases.js"

describe.each(databases)("the time of a database on %s", (_, open) => {
  it.scopedLive("is told in whole milliseconds, and goes on inside of a transaction", () =>
    Effect.flatMap(open, ({ layer }) =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const first = yield* DatabaseTime.millis(sql)
        assert.isTrue(Number.isSafeInteger(first))
        assert.closeTo(first, Date.now(), 60_000)
        const later = sql.withTransaction(
          Effect.zipRight(
            DatabaseTime.millis(sql),
            Effect.repeat(Effect.delay(DatabaseTime.millis(sql), "2 millis"), { until: (now) => now > first })
          )
        )
        assert.isAbove(yield* later, first)
      }).pipe(Effect.provide(layer))))
})
