import type { Chain } from "@effect-klaytn/core/Chain"
import * as DatabaseLog from "@effect-klaytn/store/DatabaseLog"
import * as DatabaseTime from "@effect-klaytn/store/DatabaseTime"
import type * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { StoreFailure } from "../CustodyError.js"
import * as rows from "./rows.js"
import * as tables from "./tables.js"

/** How long a holder keeps a lock that it does not move on, in seconds. */
export const seconds = 15

/** Moved on several times in that time, so that a slow statement does not lose the lock. */
const renewEvery = "3 seconds"

/** The rows of locks: a name, who holds it, and until when. */
export const make = (sql: SqlClient.SqlClient, chain: Chain) => {
  const table = sql(tables.nameOf("locks", chain))
  // The clock of the database: those of two machines differ.
  const now = DatabaseTime.seconds(sql)

  /** Whether the holder got the lock. */
  const ask = (name: string, holder: string): Effect.Effect<boolean, StoreFailure> =>
    Effect.map(
      rows.select(
        "lock",
        sql`INSERT INTO ${table} (name, holder, until) VALUES (${name}, ${holder}, ${now} + ${seconds})
          ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until
          WHERE ${table}.until < ${now} RETURNING name`,
        rows.exists
      ),
      (found) => found.length > 0
    )

  const renew = (name: string, holder: string) =>
    rows.change(
      "lock",
      sql`UPDATE ${table} SET until = ${now} + ${seconds} WHERE name = ${name} AND holder = ${holder}`
    ).pipe(
      Effect.catchAll(({ message }) =>
        DatabaseLog.waiting(
          `a lock of the wallet can't be kept, another process may take it, look at the wallet's database: ${message}`
        )
      ),
      Effect.delay(renewEvery),
      Effect.forever
    )

  const release = (name: string, holder: string): Effect.Effect<void> =>
    rows.change("lock", sql`DELETE FROM ${table} WHERE name = ${name} AND holder = ${holder}`).pipe(
      // The lock ends by itself.
      Effect.catchAll(({ message }) => DatabaseLog.waiting(`a lock of the wallet is released later: ${message}`))
    )

  /** Keeps a lock that the holder got as long as an effect runs, and releases the lock. Call where nothing interrupts. */
  const keep = (name: string, holder: string) => <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(
      Effect.forkDaemon(Effect.interruptible(renew(name, holder))),
      (renewing) => Effect.ensuring(effect, Effect.zipRight(Fiber.interrupt(renewing), release(name, holder)))
    )

  /** Who holds a lock. */
  const holderOf = (name: string): Effect.Effect<string | undefined, StoreFailure> =>
    rows.first("lock", sql`SELECT holder FROM ${table} WHERE name = ${name}`, (row) => rows.text(row, "holder"))

  return { ask, keep, release, holderOf }
}
