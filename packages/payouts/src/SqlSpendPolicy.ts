/**
 * A `SpendPolicy` of the wallet whose window is counted in SQLite or Postgres: it holds over restarts, and for all processes
 * that share the database.
 *
 * **Details**
 *
 * Policies of the same namespace count in the same window, together with the payouts whose engine has that namespace. Each
 * policy applies its own limits, and one whose rules have no window counts as well. A released spend no longer counts, however many came after it.
 *
 * **Gotchas**
 *
 * On Postgres, the window has the time of the database, as that of payouts has. On SQLite it has that of the machine, while payouts take the
 * service's time if the two are more than a minute apart: if the machine's clock is set back, spends count for longer; if it runs ahead,
 * they stop counting too early. A spend that was counted more than a minute ahead counts from the
 * next spend on. Each spend stays as a row of the table `klaytn_spends`: delete those whose `at`, in
 * milliseconds, is before all of your windows and whose `is_final` is 1.
 *
 * **Example** (at most 100 KLAY per day, over all processes)
 *
 * ```ts
 * import * as SqlSpendPolicy from "@effect-klaytn/payouts/SqlSpendPolicy"
 * import * as Wallet from "@effect-klaytn/wallet/Wallet"
 * import * as Effect from "effect/Effect"
 *
 * export const wallet = Effect.gen(function*() {
 *   const policy = yield* SqlSpendPolicy.make({ window: { max: 100n * 10n ** 18n, duration: "1 day" } })
 *   return yield* Wallet.make({ policy })
 * })
 * ```
 */
import type { InvalidInput } from "@effect-klaytn/core/ServiceError"
import type { ServiceTime } from "@effect-klaytn/core/ServiceTime"
import type { NewerTables } from "@effect-klaytn/store/Migrations"
import * as SpendPolicy from "@effect-klaytn/wallet/SpendPolicy"
import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Struct from "effect/Struct"
import * as clocks from "./internal/clock.js"
import { orFailed } from "./internal/databaseErrors.js"
import * as migrations from "./internal/migrations.js"
import * as windows from "./internal/spendWindow.js"

/**
 * Options of {@link make}.
 *
 * @category models
 */
export interface Options {
  /** The first part of the tables' names, up to 54 bytes in Postgres, `klaytn` by default: each namespace has a window of its own. */
  readonly namespace?: string | undefined
  /**
   * The service's time, as answers say it to `ServiceTime.observed`: on SQLite, spends are counted by it where this machine's clock is more
   * than a minute off, as those of payouts are. Without it they are counted by this machine's clock alone, and whoever sets that
   * begins a new window. On Postgres, the database's clock counts.
   */
  readonly serviceTime?: Pick<ServiceTime, "reading"> | undefined
}

const refuse = (rule: "unavailable" | "window", problem: string) => new SpendPolicy.SpendRefused({ rule, problem })

/**
 * Makes a policy from rules on the database of the program; the tables of payouts are created or upgraded first, unless a newer
 * program has upgraded them (`NewerTables`). If the database does not answer when a spend has to be counted, the spend is refused: `SpendRefused` with the rule `unavailable`.
 *
 * @category constructors
 */
export const make = (
  rules: SpendPolicy.Rules,
  { namespace = "klaytn", serviceTime }: Options = {}
): Effect.Effect<SpendPolicy.Service, InvalidInput | SqlError | NewerTables, SqlClient.SqlClient> =>
  Effect.gen(function*() {
    const sql = (yield* SqlClient.SqlClient).withoutTransforms()
    yield* migrations.open(sql, namespace)
    const { window: limits } = yield* SpendPolicy.applied(rules)
    const policy = yield* SpendPolicy.make(Struct.omit(rules, "window"))
    const window = new windows.SpendWindow(sql, namespace, limits, clocks.make(sql, serviceTime))
    const count = (spend: SpendPolicy.Spend): Effect.Effect<SpendPolicy.Grant, SpendPolicy.SpendRefused> =>
      Effect.gen(function*() {
        const key = `spend ${spend.id ?? (yield* Effect.sync(() => crypto.randomUUID()))}`
        const problem = yield* orFailed(sql.withTransaction(window.countOnce(key, spend))).pipe(
          Effect.mapError(({ problem }) => refuse("unavailable", `the spend could not be counted: ${problem}`))
        )
        if (problem !== undefined) return yield* refuse("window", problem)
        const release = yield* Effect.once(Effect.catchAll(
          orFailed(sql.withTransaction(window.release(key))),
          ({ problem }) => Effect.logWarning(`a spend that was not made stays counted: ${problem}`)
        ))
        return { release }
      })
    return { authorise: (spend) => Effect.zipRight(policy.authorise(spend), count(spend)) }
  })
