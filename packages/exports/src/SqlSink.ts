/**
 * Exports into a database, SQLite or Postgres, through the `SqlClient` of `@effect/sql` that the program provides.
 *
 * **Details**
 *
 * The rows of a page and the state of its window are committed in one transaction. Tables and views are made when the
 * sink is first opened; `prefix` goes in front of each name:
 *
 * | Name | Content |
 * | --- | --- |
 * | `transfers` | the rows, see `Row`; indexed by transaction, sender, receiver, contract, time and window |
 * | `rejected` | records that could not be made rows |
 * | `balances` | view: received, sent and balance by account, kind, contract and token |
 * | `daily` | view: the same by day |
 * | `export_plan`, `export_windows`, `export_accounts` | the plan, the manifest, the states of the windows, the accounts |
 * | `export_extra` | the IDs of rows and rejected records that the service did not return when they were last compared |
 * | `export_budget` | what is used of shared budgets |
 * | `export_migrations` | the version of the tables `export_*` |
 *
 * In Postgres amounts are `numeric` and times `timestamptz`. SQLite has no exact decimals: there amounts are decimal
 * text, and the views add them exactly all the same.
 *
 * The views count what moved: a coin transfer of a failed transaction moved nothing, and one without a status is
 * counted as `uncertain`, not in the balance. Fees are not included. A balance is the change over the export's range.
 *
 * When the sink is opened, the rows of each window are counted; `Exports.reconcile` reads them and compares their checksum.
 * A repair of a damaged window reads it again and replaces what differs.
 *
 * **Versions**
 *
 * The tables `export_*` have a version. The sink brings older ones to its own by numbered migrations, each in a transaction under
 * a lock, and logs so; newer ones are refused as `SinkError` with the reason `newer`. {@link upgrade} does so before. The tables
 * `transfers` and `rejected` are never altered: an export that began in older columns keeps those, so that all of its rows have
 * the same. Export under another prefix for the newer ones.
 *
 * **Gotchas**
 *
 * A database holds one export for each prefix. For SQLite use a client that keeps one connection and waits for the
 * locks of others, such as `Database.layerSqlite` of `@effect-klaytn/engine`: a client that opens a connection for each
 * transaction runs out of connections in a long export.
 */
import type { InvalidInput } from "@effect-klaytn/core/ServiceError"
import type { SqlClient } from "@effect/sql/SqlClient"
import type * as Effect from "effect/Effect"
import type { Budget, Limits } from "./Budget.js"
import * as internal from "./internal/databaseSink.js"
import type { Sink, SinkError } from "./Sink.js"

/**
 * The options of {@link make}.
 *
 * @category models
 */
export interface Options {
  /** In front of the names of all tables and views: lower-case letters, digits and `_`; none by default. */
  readonly prefix?: string | undefined
}

/**
 * Makes a sink of a database.
 *
 * @category constructors
 */
export const make: (options?: Options) => Effect.Effect<Sink, InvalidInput, SqlClient> = internal.make

/**
 * What {@link upgrade} did: nothing if both are the same. `from` is 0 if there were no tables.
 *
 * @category models
 */
export interface Upgrade {
  readonly from: number
  readonly to: number
}

/**
 * Brings the tables `export_*` of a prefix to the version of this program, as {@link make} and {@link budget} do when they are
 * first used. Fails as `SinkError` with the reason `newer`, before anything is written, if a newer program made the tables.
 *
 * @category constructors
 */
export const upgrade: (options?: Options) => Effect.Effect<Upgrade, InvalidInput | SinkError, SqlClient> =
  internal.upgrade

/**
 * Makes a budget for all processes that export to the same database and prefix. `perSecond` and `perDay` are
 * counted in the database by `name`, `perRun` in this process.
 *
 * **Details**
 *
 * Times are those of the Postgres server, and of this machine for a SQLite file. Only `perSecond` stores a place in time; one
 * that is more than ten minutes and a thousand places ahead was stored by a clock that was wrong, and does not count.
 *
 * @category constructors
 */
export const budget: (
  limits: Limits,
  options?: Options & { readonly name?: string | undefined }
) => Effect.Effect<Budget, InvalidInput | SinkError, SqlClient> = internal.budget

/**
 * By how many seconds the clock of the database is ahead of this machine's, if that is more than a minute either way. Budgets
 * work with the database's.
 *
 * @category accessors
 */
export const skewSeconds: (
  options?: Options
) => Effect.Effect<number | undefined, InvalidInput | SinkError, SqlClient> = internal.skewSeconds
