/**
 * The `NonceSource` of the wallet with its nonces in SQLite or Postgres: they outlive the process, and any number of
 * processes share them. The nonces of an account are a row, locked while they change.
 *
 * **Details**
 *
 * `Payouts` keeps the nonces of its accounts in the same rows, so sends that take their nonces from this source use none
 * that a payout still uses. A send may get the nonce that a closing payout has offered. Payouts compare contents to find out
 * which of the two a block holds: if a send may be equal to a payment, give it a memo, or use another account for it.
 *
 * **Example** (nonces of many processes)
 *
 * ```ts
 * import * as Database from "@effect-klaytn/engine/Database"
 * import * as SqlNonces from "@effect-klaytn/payouts/SqlNonces"
 * import * as Layer from "effect/Layer"
 *
 * // Provide TransactionLookup.
 * export const Nonces = SqlNonces.layer({ chain: 1001 }).pipe(Layer.provide(Database.layerConfig()))
 * ```
 */
import type { Address } from "@effect-klaytn/core/Address"
import type { Chain } from "@effect-klaytn/core/Chain"
import type { NewerTables } from "@effect-klaytn/store/Migrations"
import * as NonceSource from "@effect-klaytn/wallet/NonceSource"
import * as TransactionLookup from "@effect-klaytn/wallet/TransactionLookup"
import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { orFailed } from "./internal/databaseErrors.js"
import * as migrations from "./internal/migrations.js"
import * as nonces from "./internal/nonces.js"
import * as values from "./internal/values.js"

/**
 * Options of {@link make} and {@link layer}.
 *
 * @category models
 */
export interface Options {
  /** The chain of the accounts. */
  readonly chain: Chain
  /** The first part of the tables' names, up to 54 bytes in Postgres, `klaytn` by default: the engine's namespace, if `Payouts` uses it too. */
  readonly namespace?: string | undefined
  /**
   * Whether no other process uses these accounts, false by default. If true, the nonces that an earlier process left open
   * are unresolved when an account is first used.
   */
  readonly isExclusive?: boolean | undefined
}

/**
 * Makes a source on the database of the program; the tables of payouts are created or upgraded first, unless a newer
 * program has upgraded them (`NewerTables`). A new account starts after everything that waits at the node.
 *
 * @category constructors
 */
export const make = (
  { chain, isExclusive = false, namespace = "klaytn" }: Options
): Effect.Effect<
  NonceSource.Service,
  SqlError | NewerTables,
  SqlClient.SqlClient | TransactionLookup.TransactionLookup
> =>
  Effect.gen(function*() {
    const sql = (yield* SqlClient.SqlClient).withoutTransforms()
    const lookup = yield* TransactionLookup.TransactionLookup
    yield* migrations.open(sql, namespace)
    const rows = nonces.rows(values.make(sql, namespace))
    const failing = (address: Address) => <A>(effect: Effect.Effect<A, SqlError>) =>
      orFailed(effect).pipe(
        Effect.catchAllDefect(() => Effect.fail({ problem: "the row can't be read" })),
        Effect.mapError(({ problem }) => new NonceSource.StoreFailed({ address, problem }))
      )
    const next = (address: Address) =>
      Effect.gen(function*() {
        const known = yield* Effect.option(rows.get(chain, address))
        const book = Option.getOrUndefined(Option.flatten(known))
        return (yield* TransactionLookup.count(lookup, address, book?.next)).next
      })
    return yield* NonceSource.make(next, {
      isShared: !isExclusive,
      get: (address) => failing(address)(rows.get(chain, address)),
      modify: (address, change) =>
        failing(address)(sql.withTransaction(Effect.gen(function*() {
          const [answer, next] = change(yield* rows.lock(chain, address))
          if (Option.isSome(next)) yield* rows.set(chain, address, next.value)
          return answer
        })))
    })
  })

/**
 * Provides the source as a layer.
 *
 * @category layers
 */
export const layer = (
  options: Options
): Layer.Layer<
  NonceSource.NonceSource,
  SqlError | NewerTables,
  SqlClient.SqlClient | TransactionLookup.TransactionLookup
> => Layer.effect(NonceSource.NonceSource, make(options))
