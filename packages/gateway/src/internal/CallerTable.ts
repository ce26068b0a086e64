/** The callers of a gateway in Postgres, for all of its processes: readers beside the index, callers of the wallet beside the wallet. */
import * as PostgresIndex from "@effect-klaytn/indexer/PostgresIndex"
import * as DatabaseFault from "@effect-klaytn/store/DatabaseFault"
import * as DatabaseLog from "@effect-klaytn/store/DatabaseLog"
import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import type { GatewayError } from "../GatewayError.js"
import { columns, type Row } from "./callerRights.js"
import type { KnownCallers } from "./IndexHome.js"
import * as managedCallers from "./managedCallers.js"
import * as refusals from "./startRefusals.js"
import * as WalletCallers from "./WalletCallers.js"

const io = <A, R>(effect: Effect.Effect<A, SqlError | GatewayError, R>): Effect.Effect<A, GatewayError, R> =>
  Effect.mapError(effect, (error) => error._tag === "SqlError" ? refusals.database(error.cause) : error)

/** How often a process reads who may call. */
const readEvery = "1 second"

/** How long those that were known stay known while they can't be read, in milliseconds. */
const knownFor = 60_000

/** Reads the callers of a wallet. A table that was there once has to be there: without it nobody knows who was revoked. */
const walletReader = (sql: SqlClient, schema: string) => {
  const seen = new Set<string>()
  const isThere = (table: string) =>
    seen.has(table)
      ? Effect.succeed(true)
      : Effect.map(
        sql<{ readonly oid: number }>`SELECT c.oid FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
          WHERE n.nspname = ${schema} AND c.relname = ${table} AND has_schema_privilege(n.oid, 'USAGE')
            AND has_table_privilege(c.oid, 'SELECT')`,
        (found) => {
          if (found.length > 0) seen.add(table)
          return found.length > 0
        }
      )
  /** The rows of a table, or that of a name; none where there is no table, or where this user of the database may not read it. */
  const rowsOf = <A extends object>(table: string, selected: string, name?: string) =>
    Effect.flatMap(isThere(table), (found): Effect.Effect<ReadonlyArray<A>, SqlError> => {
      if (!found) return Effect.succeed([])
      const all = sql`SELECT ${sql.literal(selected)} FROM ${sql(`${schema}.${table}`)}`
      return name === undefined ? sql<A>`${all}` : sql<A>`${all} WHERE name = ${name}`
    })
  const callers = (name?: string) => rowsOf<Row>(WalletCallers.table, columns, name)
  return {
    callers: callers(),
    named: (name: string) =>
      Effect.gen(function*() {
        const [row] = yield* callers(name)
        const isRevoked = (yield* rowsOf(WalletCallers.revocations, "name", name)).length > 0
        return yield* refusals.attempt(() => managedCallers.named(row, isRevoked))
      })
  }
}

/**
 * Checks credentials by what the tables had a second ago at most: a caller that was revoked is refused after that. If the
 * database does not answer, those that were known stay known for a minute. What a name stands for is read when it is asked.
 */
export const known = (
  schema: string,
  walletSchema: string
): Effect.Effect<KnownCallers, GatewayError, Scope.Scope | SqlClient> =>
  Effect.gen(function*() {
    const sql = yield* SqlClient
    const reader = walletReader(sql, walletSchema)
    let wallet = managedCallers.finderOf([])
    let index = managedCallers.finderOf([])
    let callers = managedCallers.known(wallet, index)
    const clock = yield* Effect.clock
    const time = () => Number(clock.unsafeCurrentTimeNanos() / 1_000_000n)
    const readAt = { wallet: 0, index: 0 }
    const readWallet = Effect.map(reader.callers, (rows) => {
      readAt.wallet = time()
      wallet = managedCallers.finderOf(rows)
      callers = managedCallers.known(wallet, index)
    })
    const readIndex = Effect.map(sql<Row>`SELECT ${sql.literal(columns)} FROM ${sql(`${schema}.callers`)}`, (rows) => {
      readAt.index = time()
      index = managedCallers.finderOf(rows)
      callers = managedCallers.known(wallet, index)
      return rows
    })
    yield* io(readWallet)
    const rows = yield* io(readIndex)
    const told = managedCallers.unmoved(rows.filter(managedCallers.hasWalletRight).map(({ name }) => name))
    if (told !== undefined) yield* Effect.logWarning(told)
    // Apart from each other: who may lock the index keeps no caller that the wallet has revoked.
    yield* Effect.forEach([readWallet, Effect.asVoid(readIndex)], (read) =>
      read.pipe(
        Effect.catchAll((error) =>
          DatabaseLog.waiting(
            "the callers of this gateway can't be read now: those that were known are let in, also one that was revoked " +
              `meanwhile, until the database answers. ${DatabaseFault.describe(DatabaseFault.of(error))}`
          )
        ),
        Effect.repeat(Schedule.spaced(readEvery)),
        Effect.forkScoped
      ))
    return {
      check: (header) => callers.check(header),
      callerOf: (header) => callers.callerOf(header),
      callerNamed: (name) => io(reader.named(name)),
      // Who may lock the index keeps nobody from the wallet.
      areFresh: (of) => time() - (of === "wallet" ? readAt.wallet : Math.min(readAt.wallet, readAt.index)) <= knownFor
    }
  })

/** How long a command waits for a lock that another one has on the callers. */
const lockLimit = "5s"

/** The callers of an index. */
export const index = (sql: SqlClient, schema: string): managedCallers.Index => {
  const table = sql(`${schema}.callers`)
  const within = <A>(statement: Effect.Effect<A, SqlError>) =>
    io(sql.withTransaction(Effect.zipRight(sql.unsafe(`SET LOCAL lock_timeout = '${lockLimit}'`), statement)))
  // The first caller may be added before the first gateway has made the tables.
  const made = Effect.mapError(
    PostgresIndex.facts(schema),
    (failure) => refusals.database(failure._tag === "StoreFailure" ? failure.cause : failure)
  )
  return {
    rows: Effect.zipRight(
      Effect.provideService(made, SqlClient, sql),
      within(sql<Row>`SELECT ${sql.literal(columns)} FROM ${table} ORDER BY name`)
    ),
    add: (row) =>
      Effect.map(
        within(sql`INSERT INTO ${table} ${sql.insert({ ...row })} ON CONFLICT DO NOTHING RETURNING name`),
        (added) => added.length > 0
      ),
    put: ({ limits, name, pools, rights }) =>
      Effect.asVoid(
        within(sql`UPDATE ${table} SET rights = ${rights}, pools = ${pools}, limits = ${limits} WHERE name = ${name}`)
      ),
    revoke: (name) =>
      Effect.map(within(sql`DELETE FROM ${table} WHERE name = ${name} RETURNING name`), (found) => found.length > 0)
  }
}
