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
import * as Schedule from "effect/Schedule"
import { randomUUID } from "node:crypto"
import type { StoreFailure } from "./CustodyError.js"
import { heldLock } from "./internal/heldLock.js"
import { KeyedMutex } from "./internal/KeyedMutex.js"
import * as lockRows from "./internal/lockRows.js"

/**
 * Locks by name. Don't nest one name in itself.
 *
 * @category services
 */
export interface Locks {
  /** Runs an effect when no other of that name is running. Fails with `StoreFailure` if the lock can't be asked for. */
  readonly take: (name: string) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | StoreFailure, R>
}

/** A lock that another process has is asked for again after this. */
const askEvery = Schedule.jittered(Schedule.spaced("50 millis"))

/**
 * The locks of a chain's wallet. The tables (`GuardTables`) are there already.
 *
 * @category constructors
 */
export const make = (sql: SqlClient.SqlClient, chain: Chain): Locks => {
  const { ask, keep, release } = lockRows.make(sql, chain)
  const here = new KeyedMutex()
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
          return yield* keep(name, holder)(restore(Effect.locally(effect, heldLock, { name, holder })))
        })
      ))
  }
}
