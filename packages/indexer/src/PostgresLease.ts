/**
 * Which process may write an index in Postgres: the one that holds its lease.
 *
 * **Details**
 *
 * The lease is a row with a number, which rises whenever another process takes the lease, and a time until which it is
 * held. The holder renews it. Each transaction that writes first locks the row and compares the number: a process that was
 * frozen, and wakes up after another one has taken over, can't write any more, whatever its clock says. All times are those
 * of the server.
 *
 * A process that dies loses the lease {@link seconds} after it renewed it last. A transaction that a frozen process has left
 * open holds the row; give the sessions a limit for that, as {@link sessionOptions} do.
 */
import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { StoreFailure } from "./IndexError.js"
import { Database, io } from "./internal/postgres/Database.js"
import { defaultSchema } from "./PostgresIndex.js"

/**
 * How long a lease is held without being renewed, in seconds.
 *
 * @category constants
 */
export const seconds = 10

/**
 * Options of a session of Postgres, so that a process that is frozen in a transaction does not hold the lease's row for
 * longer than a lease, and a server notices that a client is gone.
 *
 * @category constants
 */
export const sessionOptions: string = [
  `idle_in_transaction_session_timeout=${seconds}s`,
  "tcp_keepalives_idle=10",
  "tcp_keepalives_interval=5",
  "tcp_keepalives_count=3",
  "tcp_user_timeout=20000"
].map((one) => `-c ${one}`).join(" ")

/**
 * A lease that this process holds.
 *
 * @category models
 */
export interface Lease {
  readonly number: number
  /** Fails if another process has taken the lease. Run it first in each transaction that writes. */
  readonly guard: Effect.Effect<void, StoreFailure | SqlError>
}

/**
 * The options of {@link hold}.
 *
 * @category models
 */
export interface Options {
  /** The schema of the index. Default: `klaytn_index`. */
  readonly schema?: string | undefined
  /** What this process is called in the row of the lease. */
  readonly holder: string
  /** Is run when the lease was taken, and when it was lost or given back. */
  readonly onChange?: ((isHeld: boolean) => Effect.Effect<void>) | undefined
}

/** The cause of a write that came after the lease was lost. */
const lost = (number: number): StoreFailure =>
  new StoreFailure({ operation: "lease", cause: new Error(`another process has taken the lease ${number}`) })

const pollEvery = Duration.seconds(1)
const renewEvery = Duration.seconds(seconds / 4)

/** The statements of one lease. */
const leaseIn = (database: Database, holder: string) => {
  const table = database.table("lease")
  const until = `clock_timestamp() + interval '${seconds} seconds'`
  const take = Effect.map(
    database.rows(
      `UPDATE ${table} SET number = number + 1, holder = ?1, until = ${until}
       WHERE id = 1 AND until < clock_timestamp() RETURNING number`,
      [holder]
    ),
    ([row]) => row === undefined ? undefined : Number(row[0])
  )
  const renew = (number: number) =>
    Effect.map(
      database.rows(`UPDATE ${table} SET until = ${until} WHERE id = 1 AND number = ?1 RETURNING 1`, [number]),
      (rows) => rows.length > 0
    )
  const giveBack = (number: number) =>
    database.rows(`UPDATE ${table} SET until = '-infinity' WHERE id = 1 AND number = ?1`, [number])
  const guard = (number: number): Lease["guard"] =>
    Effect.flatMap(
      database.rows(`SELECT 1 FROM ${table} WHERE id = 1 AND number = ?1 FOR SHARE`, [number]),
      (rows) => rows.length > 0 ? Effect.void : lost(number)
    )
  return { take, renew, giveBack, guard }
}

/**
 * Runs an effect whenever this process gets the lease, until it is interrupted: as long as the lease is held, and again when
 * this process gets it once more. The effect is interrupted when the lease is lost; when it ends by itself, the lease is
 * given back. A database that fails is asked again.
 *
 * @category operations
 */
export const hold = <E, R>(
  { holder, onChange = () => Effect.void, schema = defaultSchema }: Options,
  use: (lease: Lease) => Effect.Effect<unknown, E, R>
): Effect.Effect<never, E, R | SqlClient> =>
  Effect.gen(function*() {
    const { giveBack, guard, renew, take } = leaseIn(
      new Database((yield* SqlClient).withoutTransforms(), schema),
      holder
    )
    const once = Effect.gen(function*() {
      const number = yield* Effect.catchAll(io("lease")(take), (failure) =>
        Effect.as(Effect.logWarning(`the lease of the index can't be asked for: ${failure.message}`), undefined))
      if (number === undefined) {
        return
      }
      const gone = yield* Deferred.make<void>()
      // A renewal that fails is tried again; a lease that may have run out ends the work before another one begins.
      const renewed = io("lease")(renew(number)).pipe(
        Effect.timeoutFail({
          duration: Duration.seconds(seconds / 2),
          onTimeout: () =>
            new StoreFailure({ operation: "lease", cause: new Error("the database does not answer") })
        }),
        Effect.retry(
          Schedule.intersect(Schedule.spaced("500 millis"), Schedule.recurUpTo(Duration.seconds(seconds / 2)))
        ),
        Effect.orElseSucceed(() =>
          false
        ),
        Effect.flatMap((isHeld) => isHeld ? Effect.sleep(renewEvery) : Deferred.succeed(gone, undefined)),
        Effect.forever
      )
      yield* onChange(true)
      yield* Effect.raceFirst(use({ number, guard: guard(number) }), Deferred.await(gone)).pipe(
        Effect.raceFirst(renewed),
        Effect.ensuring(Effect.zipRight(
          onChange(false),
          Effect.ignore(Effect.timeout(io("lease")(giveBack(number)), "2 seconds"))
        ))
      )
    })
    return yield* Effect.forever(Effect.zipRight(once, Effect.sleep(pollEvery)))
  }).pipe(Effect.tapErrorCause((cause) =>
    Cause.isInterruptedOnly(cause) ? Effect.void : Effect.logError("following the node ended", cause)
  ))
