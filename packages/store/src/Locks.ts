/**
 * Locks that programs hold while they work on a database: a file beside a SQLite file, an advisory lock of Postgres.
 */
import type * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as sqlite from "./internal/sqlite.js"

/**
 * Holds a lock that is a file, for the time of a scope. One process has it, until that process ends in any way. Waits up to 3 seconds, and
 * then fails with an error that `DatabaseFault.isLocked` knows.
 *
 * @category locks
 */
export const file: (path: string) => Effect.Effect<void, SqlError, Scope.Scope> = sqlite.lockFile

const turns = Schedule.jittered(Schedule.spaced("100 millis"))

/**
 * Runs an effect while this process alone has the advisory lock of a number, among all programs of a Postgres database; waits for it
 * without an end. On SQLite, where a transaction begins with the write lock, it runs the effect as it is.
 *
 * @category locks
 */
export const alone =
  (sql: SqlClient.SqlClient, id: number) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError, R> =>
    sql.onDialectOrElse({
      pg: (): Effect.Effect<A, E | SqlError, R> =>
        Effect.scoped(Effect.gen(function*() {
          const connection = yield* sql.reserve
          // A connection that is lost has lost its locks.
          const unlock = Effect.ignore(connection.executeRaw("SELECT pg_advisory_unlock($1::bigint)", [id]))
          const attempt = Effect.uninterruptible(
            connection.execute("SELECT pg_try_advisory_lock($1::bigint) AS taken", [id], undefined).pipe(
              Effect.map(([row]) => row?.["taken"] === true),
              Effect.tap((isMine) => isMine ? Effect.addFinalizer(() => unlock) : Effect.void)
            )
          )
          yield* Effect.repeat(attempt, { until: (isMine) => isMine, schedule: turns })
          return yield* effect
        })),
      orElse: () => effect
    })
