/**
 * Locks that programs hold while they work on a database: a file beside a SQLite file, a table of Postgres.
 */
import type * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as sqlite from "./internal/sqlite.js"

/**
 * Holds a lock that is a file, for the time of a scope. One process has it, until that process ends in any way. Waits up to 3 seconds, and
 * then fails with an error that `DatabaseFault.isLocked` knows.
 *
 * @category locks
 */
export const file: (path: string) => Effect.Effect<void, SqlError, Scope.Scope> = sqlite.lockFile

/**
 * From here on, a statement of a transaction waits 5 seconds for a lock, and then fails with an error that `DatabaseFault.isLocked` knows: the
 * statements of others wait behind one that waits. Does nothing for SQLite.
 *
 * @category locks
 */
export const briefly = (sql: SqlClient.SqlClient): Effect.Effect<void, SqlError> =>
  sql.onDialectOrElse({
    pg: () => Effect.asVoid(sql`SELECT set_config('lock_timeout', '5s', true)`),
    orElse: () => Effect.void
  })

/**
 * Takes a table of Postgres for the rest of a transaction: one transaction at a time has it, and others read the table meanwhile. Waits as {@link briefly}
 * says. The lock takes the right to write the table, so nobody who may only connect or read can hold it, as an advisory lock can be held.
 * Does nothing for SQLite, where a transaction begins with the write lock.
 *
 * @category locks
 */
export const table = (sql: SqlClient.SqlClient, name: string): Effect.Effect<void, SqlError> =>
  sql.onDialectOrElse({
    pg: () => Effect.zipRight(briefly(sql), Effect.asVoid(sql`LOCK TABLE ${sql(name)} IN SHARE ROW EXCLUSIVE MODE`)),
    orElse: () => Effect.void
  })

/**
 * Runs an effect while this process alone has {@link table} of a name. What the effect asks of the database is no part of the transaction that has it.
 * On SQLite it runs the effect as it is.
 *
 * @category locks
 */
export const alone =
  (sql: SqlClient.SqlClient, name: string) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError, R> =>
    sql.onDialectOrElse({
      pg: (): Effect.Effect<A, E | SqlError, R> =>
        Effect.flatMap(Effect.context<R>(), (outside) =>
          sql.withTransaction(
            Effect.zipRight(
              table(sql, name),
              Effect.mapInputContext(effect, (_: Context.Context<never>) => outside)
            )
          )),
      orElse: () => effect
    })
