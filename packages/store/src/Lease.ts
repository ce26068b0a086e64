/**
 * Which process may write tables in Postgres: the one that holds their lease.
 *
 * **Details**
 *
 * The lease is a row with a number, which rises whenever another process takes the lease, and a time until which it is held. The holder renews it, on a
 * connection of its own. All times are those of the server.
 *
 * Each transaction that writes begins with {@link Lease.guard}: it takes a lock of the table of the lease, which keeps nobody waiting and takes the right to
 * write that table, and then compares the number. Who takes the lease raises the number first, and then ends the sessions of the transactions that still have
 * that lock. So a process that was frozen, in the middle of a statement too, neither writes after another one has taken over nor keeps it from doing so,
 * whatever its clock says.
 *
 * A lease ends with the run of the server that gave it: after a restart or a failover the last transactions may be missing, and what the holder knows of the
 * rows may be wrong. It takes the lease again, and reads again.
 */
import type { SqlClient } from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
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
 * Another process has taken the lease, or the server was started since, or is another one. Nothing was written.
 *
 * @category errors
 */
export class LeaseLost extends Data.TaggedError("LeaseLost")<{ readonly number: number }> {
  override get message(): string {
    return `another process has taken the lease ${this.number}, or its database was started anew`
  }
}

/**
 * A lease that this process holds.
 *
 * @category models
 */
export interface Lease {
  readonly number: number
  /** Fails if the lease is lost. Run it first in each transaction that writes. */
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
  /** Is run with the cause each time that the lease can't be asked for, and with nothing when it can be again. */
  readonly onRefused?: ((why: string | undefined) => Effect.Effect<void>) | undefined
  /** Is run when the lease was taken, and when it was lost or given back. */
  readonly onChange?: ((isHeld: boolean) => Effect.Effect<void>) | undefined
}

const pollEvery = Duration.seconds(1)
const renewEvery = Duration.seconds(seconds / 4)

/** The class of the advisory locks that those who write have beside the lock of the table, for holders of earlier versions. */
const lockClass = 7164

/** Tells the runs of servers apart: rows may be older than in the run before. */
const run = "extract(epoch FROM pg_postmaster_start_time())::text"

/** A lease as it was taken. */
interface Taken {
  readonly number: number
  /** In which run of the server. */
  readonly server: string
}

/** The statements of one lease. */
const leaseIn = ({ holder, lease, schema, writing }: Options) => {
  const table = (sql: SqlClient) => sql(`${schema}.lease`)
  const until = lease.literal(`clock_timestamp() + interval '${seconds} seconds'`)
  const server = lease.literal(run)
  const take = Effect.map(
    lease<{ readonly number: string; readonly server: string }>`UPDATE ${
      table(lease)
    } SET number = number + 1, holder = ${holder}, until = ${until}
      WHERE id = 1 AND until < clock_timestamp() RETURNING number, ${server} AS server`,
    ([row]): Taken | undefined => row && { number: Number(row.number), server: row.server }
  )
  // A database that went back may give a number to another process once more.
  const isMine = ({ number }: Taken) => lease`id = 1 AND number = ${number} AND holder = ${holder}`
  const renew = (taken: Taken) =>
    Effect.map(
      lease<{ readonly server: string }>`UPDATE ${table(lease)} SET until = ${until} WHERE ${
        isMine(taken)
      } RETURNING ${server} AS server`,
      ([row]) => row?.server === taken.server
    )
  const giveBack = (taken: Taken) => lease`UPDATE ${table(lease)} SET until = '-infinity' WHERE ${isMine(taken)}`
  const guard = (taken: Taken): Lease["guard"] =>
    // The locks first, in a statement of its own: what is read after it is not older than a number that was raised before.
    Effect.zipRight(
      writing`WITH marked AS (SELECT 1 FROM ${table(writing)} WHERE false FOR KEY SHARE)
        SELECT pg_try_advisory_xact_lock_shared(${lockClass}, hashtext(${schema}))`,
      Effect.flatMap(
        writing`SELECT 1 AS held FROM ${table(writing)} WHERE ${isMine(taken)} AND ${server} = ${taken.server}`,
        (rows) => rows.length > 0 ? Effect.void : new LeaseLost({ number: taken.number })
      )
    )
  /** How many sessions of earlier holders still write, after these were told to end. An advisory lock alone may be held by whoever may connect. */
  const end = Effect.map(
    lease<{ readonly pid: number }>`SELECT DISTINCT l.pid, pg_terminate_backend(l.pid) AS told
      FROM pg_locks l JOIN pg_stat_activity a USING (pid), to_regclass(${`"${schema}".lease`}) AS leases
      WHERE l.database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND l.granted
        AND (l.locktype = 'relation' AND l.relation = leases AND l.mode = 'RowShareLock'
          OR l.locktype = 'advisory' AND l.classid = ${lockClass} AND l.objid = (hashtext(${schema})::bigint & 4294967295)::oid
            AND has_table_privilege(a.usesysid, leases, 'UPDATE'))`,
    (rows) => rows.length
  )
  return { take, renew, giveBack, guard, end }
}

/** Tells why the lease can't be had, and when it can be: each cause once in the log, however often it is seen. */
const teller = (onRefused: (why: string | undefined) => Effect.Effect<void>) => {
  let said = ""
  let needsOperator = false
  return {
    refused: (what: string) => (error: SqlError) =>
      Effect.suspend(() => {
        const why = `${what}: ${DatabaseFault.describe(DatabaseFault.of(error))}`
        const isKnown = why === said
        said = why
        needsOperator = !DatabaseFault.isPassing(error)
        return Effect.zipRight(onRefused(why), isKnown ? Effect.void : DatabaseLog.failure(why, error))
      }),
    answered: Effect.suspend(() => {
      if (said === "") return Effect.void
      said = ""
      return Effect.zipRight(
        onRefused(undefined),
        needsOperator ? Effect.logInfo("the lease can be asked for again") : Effect.void
      )
    })
  }
}

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
  const { mayLead = Effect.succeed(true), onChange = () => Effect.void, onRefused = () => Effect.void, writing } =
    options
  const { end, giveBack, guard, renew, take } = leaseIn(options)
  const { answered, refused } = teller(onRefused)
  /** A renewal that fails is tried again; a lease that may have run out ends the work before another one begins. */
  const renewed = (taken: Taken) =>
    renew(taken).pipe(
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
  const kept = (taken: Taken): Effect.Effect<void> =>
    Effect.gen(function*() {
      while ((yield* mayLead) && (yield* renewed(taken))) yield* Effect.sleep(renewEvery)
    })
  const fenced = end.pipe(
    Effect.tapError(refused("a session of the process that had the lease before can't be ended; waiting for its end")),
    Effect.orElseSucceed(() => 1),
    Effect.repeat({ until: (left) => left === 0, schedule: Schedule.spaced("200 millis") })
  )
  const once = Effect.gen(function*() {
    if (!(yield* mayLead)) return
    const taken = yield* take.pipe(
      Effect.tap(answered),
      Effect.catchAll((error) => Effect.as(refused("the lease can't be asked for; trying again")(error), undefined))
    )
    if (taken === undefined) return
    const isLost = yield* Deferred.make<void>()
    const told = Effect.tapErrorTag(guard(taken), "LeaseLost", () => Deferred.succeed(isLost, undefined))
    const work = Effect.gen(function*() {
      yield* fenced
      yield* onChange(true)
      yield* use({ number: taken.number, guard: told })
    })
    const over = Effect.zipRight(Effect.raceFirst(kept(taken), Deferred.await(isLost)), Database.renew(writing))
    yield* work.pipe(
      Effect.raceFirst(over),
      Effect.ensuring(Effect.zipRight(
        onChange(false),
        Effect.ignore(Effect.disconnect(Effect.timeout(giveBack(taken), "2 seconds")))
      ))
    )
  })
  return Effect.forever(Effect.zipRight(once, Effect.sleep(pollEvery)))
}
