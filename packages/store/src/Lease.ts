/**
 * Which process may write tables in Postgres: the one that holds their lease.
 *
 * **Details**
 *
 * The lease is a row with a number, which rises whenever another process takes the lease, and a time until which it is held. The holder renews it, on a
 * connection of its own. All times are those of the server.
 *
 * Each transaction that writes begins with {@link Lease.guard}: it takes a shared advisory lock, which keeps nobody waiting, and then compares the number. Who
 * takes the lease raises the number first, and then ends the sessions of the transactions that still have that lock. So a process that was frozen, in the
 * middle of a statement too, neither writes after another one has taken over nor keeps it from doing so, whatever its clock says.
 */
import type { SqlClient } from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Database from "./Database.js"
import * as DatabaseFault from "./DatabaseFault.js"
import * as DatabaseLog from "./DatabaseLog.js"

/**
 * How long a lease is held without being renewed, in seconds.
 *
 * @category constants
 */
export const seconds = 10

/**
 * Another process has taken the lease. Nothing was written.
 *
 * @category errors
 */
export class LeaseLost extends Data.TaggedError("LeaseLost")<{ readonly number: number }> {
  override get message(): string {
    return `another process has taken the lease ${this.number}`
  }
}

/**
 * A lease that this process holds.
 *
 * @category models
 */
export interface Lease {
  readonly number: number
  /** Fails if another process has taken the lease. Run it first in each transaction that writes. */
  readonly guard: Effect.Effect<void, LeaseLost | SqlError>
}

/**
 * The options of {@link hold}.
 *
 * @category models
 */
export interface Options {
  /** The clients of the lease and of what is written. They have pools of their own: a write that takes long does not keep the lease from being renewed. */
  readonly lease: SqlClient
  readonly writing: SqlClient
  /** The schema of the table `lease`. */
  readonly schema: string
  /** What this process is called in the row of the lease. */
  readonly holder: string
  /** Whether this process can do its work now: one that can't leaves the lease to others. Default: it can. */
  readonly mayLead?: Effect.Effect<boolean> | undefined
  /** Is run when the lease was taken, and when it was lost or given back. */
  readonly onChange?: ((isHeld: boolean) => Effect.Effect<void>) | undefined
}

const pollEvery = Duration.seconds(1)
const renewEvery = Duration.seconds(seconds / 4)

/** The class of the advisory locks of those who write. */
const lockClass = 7164

/** The statements of one lease. */
const leaseIn = ({ holder, lease, schema, writing }: Options) => {
  const table = (sql: SqlClient) => sql(`${schema}.lease`)
  const until = lease.literal(`clock_timestamp() + interval '${seconds} seconds'`)
  const take = Effect.map(
    lease<{ readonly number: string }>`UPDATE ${
      table(lease)
    } SET number = number + 1, holder = ${holder}, until = ${until}
      WHERE id = 1 AND until < clock_timestamp() RETURNING number`,
    ([row]) => row === undefined ? undefined : Number(row.number)
  )
  const renew = (number: number) =>
    Effect.map(
      lease`UPDATE ${table(lease)} SET until = ${until} WHERE id = 1 AND number = ${number} RETURNING 1 AS held`,
      (rows) => rows.length > 0
    )
  const giveBack = (number: number) =>
    lease`UPDATE ${table(lease)} SET until = '-infinity' WHERE id = 1 AND number = ${number}`
  const guard = (number: number): Lease["guard"] =>
    // The lock first, in a statement of its own: what is read after it is not older than a number that was raised before.
    Effect.zipRight(
      writing`SELECT pg_advisory_xact_lock_shared(${lockClass}, hashtext(${schema}))`,
      Effect.flatMap(
        writing`SELECT 1 AS held FROM ${table(writing)} WHERE id = 1 AND number = ${number}`,
        (rows) => rows.length > 0 ? Effect.void : new LeaseLost({ number })
      )
    )
  /** How many sessions of earlier holders still write, after these were told to end. */
  const end = Effect.map(
    lease<{ readonly pid: number }>`SELECT pid, pg_terminate_backend(pid) AS told FROM pg_locks
      WHERE locktype = 'advisory' AND classid = ${lockClass} AND objid = (hashtext(${schema})::bigint & 4294967295)::oid
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    (rows) => rows.length
  )
  return { take, renew, giveBack, guard, end }
}

const waits = (what: string) => (error: SqlError) =>
  DatabaseLog.failure(`${what}: ${DatabaseFault.describe(DatabaseFault.of(error))}`, error)

/**
 * Runs an effect whenever this process gets the lease, until it is interrupted: as long as the lease is held, and again when
 * this process gets it once more. The effect is interrupted when the lease is lost, and the sessions of what is written are ended;
 * when it ends by itself, the lease is given back. A database that fails is asked again.
 *
 * @category operations
 */
export const hold = <E, R>(
  options: Options,
  use: (lease: Lease) => Effect.Effect<unknown, E, R>
): Effect.Effect<never, E, R> => {
  const { mayLead = Effect.succeed(true), onChange = () => Effect.void, writing } = options
  const { end, giveBack, guard, renew, take } = leaseIn(options)
  /** A renewal that fails is tried again; a lease that may have run out ends the work before another one begins. */
  const renewed = (number: number) =>
    renew(number).pipe(
      Effect.timeoutFail({
        duration: Duration.seconds(seconds / 2),
        onTimeout: () => new SqlError({ cause: new Error("the database does not answer") })
      }),
      Effect.disconnect,
      Effect.retry(
        Schedule.intersect(Schedule.spaced("500 millis"), Schedule.recurUpTo(Duration.seconds(seconds / 2)))
      ),
      Effect.orElseSucceed(() => false)
    )
  /** Ends when the lease is lost, or this process can't do its work any more. */
  const kept = (number: number): Effect.Effect<void> =>
    Effect.gen(function*() {
      while ((yield* mayLead) && (yield* renewed(number))) yield* Effect.sleep(renewEvery)
    })
  const fenced = end.pipe(
    Effect.tapError(waits("a session of the process that had the lease before can't be ended; waiting for its end")),
    Effect.orElseSucceed(() => 1),
    Effect.repeat({ until: (left) => left === 0, schedule: Schedule.spaced("200 millis") })
  )
  const once = Effect.gen(function*() {
    if (!(yield* mayLead)) return
    const number = yield* Effect.catchAll(
      take,
      (error) => Effect.as(waits("the lease can't be asked for")(error), undefined)
    )
    if (number === undefined) return
    const work = Effect.gen(function*() {
      yield* fenced
      yield* onChange(true)
      yield* use({ number, guard: guard(number) })
    })
    const over = Effect.zipRight(kept(number), Database.renew(writing))
    yield* work.pipe(
      Effect.raceFirst(over),
      Effect.ensuring(Effect.zipRight(
        onChange(false),
        Effect.ignore(Effect.disconnect(Effect.timeout(giveBack(number), "2 seconds")))
      ))
    )
  })
  return Effect.forever(Effect.zipRight(once, Effect.sleep(pollEvery)))
}
