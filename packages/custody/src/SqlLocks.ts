/**
 * Runs one effect at a time for a name, in all processes that have the same wallet open.
 *
 * **Details**
 *
 * A lock is a row with its holder and a time that the holder moves on. A process that was killed, or frozen for longer than 15 seconds,
 * loses its locks. If it wakes up and goes on, nothing is sent: the statement that takes a nonce looks at the lock, and locks its row
 * until the nonce is taken, see `SqlSendStore`.
 */
import type { Chain } from "@effect-klaytn/core/Chain"
import type * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schedule from "effect/Schedule"
import { randomUUID } from "node:crypto"
import type { StoreFailure } from "./CustodyError.js"
import { heldLock } from "./internal/heldLock.js"
import { KeyedMutex } from "./internal/KeyedMutex.js"
import * as rows from "./internal/rows.js"
import * as tables from "./internal/tables.js"

/**
 * Locks by name. Don't nest one name in itself.
 *
 * @category services
 */
export interface Locks {
  /** Runs an effect when no other of that name is running. Fails with `StoreFailure` if the lock can't be asked for. */
  readonly take: (name: string) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | StoreFailure, R>
}

/** How long a holder keeps a lock that it does not move on, in seconds. */
const seconds = 15

/** Moved on several times in that time, so that a slow statement does not lose the lock. */
const renewEvery = "3 seconds"

/** A lock that another process has is asked for again after this. */
const askEvery = Schedule.jittered(Schedule.spaced("50 millis"))

/**
 * The locks of a chain's wallet. The tables (`GuardTables`) are there already.
 *
 * @category constructors
 */
export const make = (sql: SqlClient.SqlClient, chain: Chain): Locks => {
  const table = sql(tables.nameOf("locks", chain))
  const here = new KeyedMutex()
  // The clock of the database: those of two machines differ.
  const now = sql.onDialectOrElse({
    pg: () => sql`extract(epoch FROM clock_timestamp())::float8`,
    orElse: () => sql`(julianday('now') - 2440587.5) * 86400.0`
  })

  const ask = (name: string, holder: string): Effect.Effect<boolean, StoreFailure> =>
    Effect.map(
      rows.select(
        "lock",
        sql`INSERT INTO ${table} (name, holder, until) VALUES (${name}, ${holder}, ${now} + ${seconds})
          ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until
          WHERE ${table}.until < ${now} RETURNING name`,
        () => true
      ),
      (found) => found.length > 0
    )

  const renew = (name: string, holder: string) =>
    rows.change(
      "lock",
      sql`UPDATE ${table} SET until = ${now} + ${seconds} WHERE name = ${name} AND holder = ${holder}`
    ).pipe(
      Effect.catchAll(({ message }) => Effect.logWarning(`a lock of the wallet can't be kept: ${message}`)),
      Effect.delay(renewEvery),
      Effect.forever
    )

  const release = (name: string, holder: string): Effect.Effect<void> =>
    rows.change("lock", sql`DELETE FROM ${table} WHERE name = ${name} AND holder = ${holder}`).pipe(
      // The lock ends by itself.
      Effect.catchAll(({ message }) => Effect.logWarning(`a lock of the wallet is released later: ${message}`))
    )

  return {
    take: (name) => (effect) =>
      here.take(name)(Effect.uninterruptibleMask((restore) =>
        Effect.gen(function*() {
          const holder = randomUUID()
          yield* ask(name, holder).pipe(
            Effect.repeat({ until: (isMine) => isMine, schedule: askEvery }),
            restore,
            Effect.onInterrupt(() => release(name, holder))
          )
          const renewing = yield* Effect.forkDaemon(Effect.interruptible(renew(name, holder)))
          return yield* Effect.ensuring(
            restore(Effect.locally(effect, heldLock, { name, holder })),
            Effect.zipRight(Fiber.interrupt(renewing), release(name, holder))
          )
        })
      ))
  }
}
