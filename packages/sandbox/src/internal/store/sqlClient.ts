import type { Driver, SqlValue } from "@effect-klaytn/store/Driver"
import * as Reactivity from "@effect/experimental/Reactivity"
import * as SqlClient from "@effect/sql/SqlClient"
import type { Connection } from "@effect/sql/SqlConnection"
import { SqlError } from "@effect/sql/SqlError"
import * as Statement from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

type Values = ReadonlyArray<ReadonlyArray<unknown>>

const isSqlValue = (value: unknown): value is SqlValue =>
  value === null || typeof value === "number" || typeof value === "string" || value instanceof Uint8Array

/** The sandbox's connection. */
export class DriverConnection implements Connection {
  readonly #driver: Driver

  constructor(driver: Driver) {
    this.#driver = driver
  }

  #run<A>(read: () => A): Effect.Effect<A, SqlError> {
    return Effect.try({ try: read, catch: (cause) => new SqlError({ cause, message: "the database failed" }) })
  }

  executeValues(sql: string, params: ReadonlyArray<unknown>): Effect.Effect<Values, SqlError> {
    return this.#run(() => this.#driver.prepare(sql).all(...params.filter(isSqlValue)))
  }

  execute(sql: string, params: ReadonlyArray<unknown>): Effect.Effect<ReadonlyArray<object>, SqlError> {
    return this.#run(() => this.#driver.prepare(sql).named(...params.filter(isSqlValue)))
  }

  executeRaw(sql: string, params: ReadonlyArray<unknown>): Effect.Effect<ReadonlyArray<object>, SqlError> {
    return this.execute(sql, params)
  }

  /** A transaction would hold parts of blocks, which are stored on the same connection. */
  executeUnprepared(): Effect.Effect<never, SqlError> {
    return new SqlError({ cause: undefined, message: "this connection has no transactions" })
  }

  executeStream(sql: string, params: ReadonlyArray<unknown>): Stream.Stream<object, SqlError> {
    return Stream.fromIterableEffect(this.execute(sql, params))
  }
}

/** The sandbox's database as a client of `@effect/sql`, without transactions. */
export const sqlClient = (driver: Driver): Effect.Effect<SqlClient.SqlClient> =>
  Effect.provideServiceEffect(
    SqlClient.make({
      acquirer: Effect.succeed(new DriverConnection(driver)),
      compiler: Statement.makeCompilerSqlite(),
      spanAttributes: []
    }),
    Reactivity.Reactivity,
    Reactivity.make
  )
