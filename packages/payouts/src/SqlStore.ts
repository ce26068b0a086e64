/**
 * An `AtomicStore` in a table of SQLite or Postgres, for nonces and other small values that all processes share: one row
 * per value, locked while it changes.
 *
 * **Details**
 *
 * On it, `NonceSource.layerStored` hands out nonces to any number of processes. `Payouts` keeps the nonces of its accounts
 * in the same rows: payouts and other sends of a program may share an account if both take their nonces from here.
 *
 * **Example** (nonces of many processes)
 *
 * ```ts
 * import * as Database from "@effect-klaytn/engine/Database"
 * import * as SqlStore from "@effect-klaytn/payouts/SqlStore"
 * import * as NonceSource from "@effect-klaytn/wallet/NonceSource"
 * import * as Layer from "effect/Layer"
 *
 * // Provide TransactionLookup.
 * export const Nonces = NonceSource.layerStored({ chain: 1001 }).pipe(
 *   Layer.provide(SqlStore.layer()),
 *   Layer.provide(Database.layerConfig())
 * )
 * ```
 */
import * as AtomicStore from "@effect-klaytn/wallet/AtomicStore"
import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as values from "./internal/values.js"

/**
 * Options of {@link make} and {@link layer}.
 *
 * @category models
 */
export interface Options {
  /** The first part of the table's name, `klaytn` by default: the engine's namespace, if `Payouts` uses it too. */
  readonly namespace?: string | undefined
}

/**
 * Makes a store on the database of the program; its table is created if it is missing.
 *
 * @category constructors
 */
export const make = (
  options: Options = {}
): Effect.Effect<AtomicStore.Service, SqlError, SqlClient.SqlClient> =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const table = yield* values.make(sql, options.namespace ?? "klaytn")
    const failed = (key: string) => (error: SqlError | AtomicStore.StoreFailed) =>
      error._tag === "StoreFailed"
        ? error
        : new AtomicStore.StoreFailed({ key, problem: "the database does not answer, or refuses" })
    return AtomicStore.make({
      isShared: true,
      get: (key) => Effect.mapError(table.get(key), failed(key)),
      modify: (key, change) =>
        sql.withTransaction(
          Effect.flatMap(table.lock(key), (current) =>
            Effect.flatMap(change(current), ([answer, next]) =>
              Option.match(next, {
                onNone: () => Effect.succeed(answer),
                onSome: (text) => Effect.as(table.set(key, text), answer)
              })))
        ).pipe(Effect.mapError(failed(key)))
    })
  })

/**
 * Provides the store as a layer.
 *
 * @category layers
 */
export const layer = (
  options: Options = {}
): Layer.Layer<AtomicStore.AtomicStore, SqlError, SqlClient.SqlClient> =>
  Layer.effect(AtomicStore.AtomicStore, make(options))
