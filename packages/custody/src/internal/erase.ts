import type { Chain } from "@effect-klaytn/core/Chain"
import type * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { StoreFailure } from "../CustodyError.js"
import * as rows from "./rows.js"
import * as tables from "./tables.js"

/** The tables in which a sealed secret has ever been. */
const rewritten = ["roots", "sealed", "secrets", "keys", "requests"]

/** Readers of an SQLite file end soon, unless a program keeps a transaction open. */
const forReaders = Schedule.spaced("50 millis").pipe(Schedule.intersect(Schedule.recurUpTo("5 seconds")))

const reason = ({ cause }: StoreFailure): string => cause instanceof Error ? cause.message : String(cause)

/** Writes a file of SQLite anew, and empties the log beside it. */
const eraseInFile = (sql: SqlClient.SqlClient) =>
  Effect.zipRight(
    rows.change("rekey", sql`VACUUM`),
    // 0: no reader needs the log.
    rows.first("rekey", sql`PRAGMA wal_checkpoint(TRUNCATE)`, (row) => rows.number(row, "busy")).pipe(
      Effect.filterOrFail(
        (busy) => busy === 0,
        () => new StoreFailure({ operation: "rekey", cause: new Error("a program reads the file all the time") })
      ),
      Effect.retry(forReaders)
    )
  )

const stop = (why: string): string =>
  `the file of the wallet, or the -wal file beside it, may have bytes of before (${why}): stop the programs that use the wallet, ` +
  "and run the same command again"

const ofServer =
  "the server's write-ahead log, its archive, replicas and base backups of before have the rows of before: delete those that are " +
  "older than now; a superuser empties the log itself by ALTER SYSTEM SET wal_recycle = off, SELECT pg_reload_conf(), and seconds later " +
  "SELECT pg_switch_wal() and CHECKPOINT, twice"

/** Transactions of other programs end soon, unless one is kept open. */
const forTransactions = Schedule.spaced("100 millis").pipe(Schedule.intersect(Schedule.recurUpTo("20 seconds")))

const rowsAreKept =
  "a transaction that a program keeps open on the server, of any of its databases, keeps the rows of before in the tables: end it, and run " +
  "the same command again"

/**
 * Waits until no transaction can see the rows of before: `VACUUM` would keep those, in the new file, too. Its own snapshot is as old as the
 * oldest transaction of all databases that writes.
 */
const unseen = (sql: SqlClient.SqlClient): Effect.Effect<ReadonlyArray<string>, StoreFailure> =>
  Effect.gen(function*() {
    const now = yield* rows.first("rekey", sql`SELECT txid_current()::text AS now`, (row) => rows.text(row, "now"))
    const short = `${BigInt(now ?? 0) % 2n ** 32n}`
    const isSeen = rows.first(
      "rekey",
      sql`SELECT txid_snapshot_xmin(txid_current_snapshot()) < ${now ?? "0"}::bigint OR EXISTS (
        SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
          AND age(backend_xmin) > age(${short}::xid)) AS seen`,
      (row) => rows.cell(row, "seen") === true
    )
    const failing = Effect.filterOrFail(isSeen, (seen) => seen !== true, () => "seen" as const)
    return yield* failing.pipe(
      Effect.retry({ while: (error) => error === "seen", schedule: forTransactions }),
      Effect.as([]),
      Effect.catchIf((error) => error === "seen", () => Effect.succeed([rowsAreKept]))
    )
  })

/** Writes tables of Postgres into new files: a dead row stays in the old one until it is overwritten. */
const eraseInServer = (sql: SqlClient.SqlClient, chain: Chain) =>
  Effect.gen(function*() {
    const kept = yield* unseen(sql)
    const present = yield* tables.namesOf(sql, chain)
    const names = rewritten.map((table) => tables.nameOf(table, chain)).filter((name) => present.includes(name))
    const left = yield* Effect.forEach(names, (name) =>
      rows.change("rekey", sql`VACUUM (FULL) ${sql(name)}`).pipe(
        Effect.as([]),
        Effect.catchAll((failure) =>
          Effect.succeed([
            `the files of the table ${name} may have rows of before (${
              reason(failure)
            }): as its owner, run VACUUM (FULL) ${name}`
          ])
        )
      ))
    return [...kept, ...left.flat(), ofServer]
  })

/**
 * Overwrites what was changed or deleted in the files of a wallet's database, where a statement can. Gives what may be left of it,
 * and what to do about that.
 */
export const erase = (
  sql: SqlClient.SqlClient,
  chain: Chain
): Effect.Effect<ReadonlyArray<string>, StoreFailure> =>
  sql.onDialectOrElse({
    pg: () => eraseInServer(sql, chain),
    orElse: () =>
      Effect.match(eraseInFile(sql), { onSuccess: () => [], onFailure: (failure) => [stop(reason(failure))] })
  })
