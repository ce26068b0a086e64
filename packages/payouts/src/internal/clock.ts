/**
 * The time by which payouts are kept: of the database on Postgres, where processes of several machines work. On SQLite it is that of
 * this machine, or of the service if the two are more than a minute apart. A time that is stored is believed up to {@link believed} ahead: a clock that was wrong once must not stop later work.
 */
import * as Deadline from "@effect-klaytn/core/Deadline"
import * as ServiceTime from "@effect-klaytn/core/ServiceTime"
import * as DatabaseTime from "@effect-klaytn/store/DatabaseTime"
import type * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

/** How far a stored time may be ahead, in milliseconds. One that is further ahead counts as long past. */
export const believed = Duration.toMillis("1 minute")

/** How long ago a stored time was, in milliseconds. */
export const since = (now: number, at: number): number => at > now + believed ? Infinity : Math.max(0, now - at)

/** The time a duration before another, for a comparison with a column: Postgres compares a BIGINT with no fraction and no infinity. */
export const before = (now: number, duration: Duration.DurationInput): number =>
  Math.max(0, Math.floor(now - Duration.toMillis(duration)))

/** How long a measurement of the database's time is used, in milliseconds. */
const measuredFor = 15_000

/** The time of Postgres, in Unix milliseconds. */
export class PostgresTime extends Context.Reference<PostgresTime>()("@effect-klaytn/payouts/PostgresTime", {
  defaultValue: () => DatabaseTime.millis
}) {}

interface Measured {
  /** On the monotonic clock of this process. */
  readonly read: number
  readonly database: number
  /** What this machine's clock said. */
  readonly own: number
}

/** Logs a clock that is wrong, once until it is right again. */
const warning = (other: string) => {
  let wasFar = false
  return (skew: number | undefined): Effect.Effect<void> =>
    Effect.suspend(() => {
      const isNews = skew !== undefined && !wasFar
      wasFar = skew !== undefined
      return isNews
        ? Effect.logWarning(`payouts: ${ServiceTime.describeSkew(skew, other)}, whose time is used; set the clock`)
        : Effect.void
    })
}

/** Measured now and then, and in between as much later as this process has run. */
const postgres = (sql: SqlClient.SqlClient): Effect.Effect<number, SqlError> => {
  let last: Measured | undefined
  const warn = warning("the database")
  return Effect.gen(function*() {
    const read = Deadline.now(yield* Effect.clock)
    const own = yield* Clock.currentTimeMillis
    if (last !== undefined) {
      const passed = read - last.read
      // A clock that was set has moved by something else than the time that passed.
      if (passed < measuredFor && Math.abs(own - last.own - passed) < 1000) return last.database + passed
    }
    const database = yield* Effect.flatMap(PostgresTime, (time) => time(sql))
    last = { read, database, own }
    yield* warn(ServiceTime.skewSeconds({ offsetMillis: database - own, isReal: true }))
    return database
  })
}

/** This machine's time, or the service's if they are far apart. */
const machine = (service: Pick<ServiceTime.ServiceTime, "reading">): Effect.Effect<number> => {
  const warn = warning("the service")
  return Effect.gen(function*() {
    const skew = ServiceTime.skewSeconds(service.reading())
    yield* warn(skew)
    return (yield* Clock.currentTimeMillis) + (skew === undefined ? 0 : skew * 1000)
  })
}

/** The time of a database, in Unix milliseconds. */
export const make = (
  sql: SqlClient.SqlClient,
  service: Pick<ServiceTime.ServiceTime, "reading"> = ServiceTime.agreed()
): Effect.Effect<number, SqlError> => sql.onDialectOrElse({ pg: () => postgres(sql), orElse: () => machine(service) })
