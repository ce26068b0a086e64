/**
 * The changes of payouts in the database, numbered in the order of their commits.
 *
 * A sequence of Postgres numbers rows when they are inserted, and transactions commit in another order, so a reader that
 * remembers the last number it saw would miss the rows with a lower number that are committed later. Here a transaction takes
 * a row before it inserts its change, as its last statement, and has it until it ends. SQLite has one writer at a time.
 */
import type * as SqlClient from "@effect/sql/SqlClient"
import type * as Statement from "@effect/sql/Statement"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import type { Change, RecordedChange } from "../Payout.js"
import * as PayoutState from "../PayoutState.js"
import * as stored from "./stored.js"
import { type Values, Whole } from "./values.js"

const ChangeRow = Schema.Struct({
  key: Schema.propertySignature(Schema.String).pipe(Schema.fromKey("payout")),
  version: Whole,
  at: Whole,
  event: stored.json("the event of a payout", PayoutState.PayoutEvent),
  state: stored.json("the state of a payout", PayoutState.PayoutState)
})

const decodeChange = Schema.decodeUnknownSync(ChangeRow)

/** Reads the row of a change. */
const toChange = (row: object) =>
  stored.read(`a change of payout ${"payout" in row ? String(row.payout) : ""}`, () => decodeChange(row))

const writeState = Schema.encodeSync(ChangeRow.fields.state)
const writeEvent = Schema.encodeSync(ChangeRow.fields.event)

/** The first number of the lock that programs of earlier versions take instead. Whoever may connect could hold it, so nothing waits for it. */
const feedLock = 716_449

/** Lets programs of earlier versions wait for this transaction, and waits for those that have begun to write: they may write the table. */
const awaitEarlier = (sql: SqlClient.SqlClient, name: string) =>
  sql.onDialectOrElse({
    pg: () =>
      Effect.repeat(
        sql<{ readonly over: boolean }>`SELECT pg_try_advisory_xact_lock(${feedLock}, hashtext(${name})) OR NOT EXISTS (
          SELECT 1 FROM pg_locks l JOIN pg_stat_activity a USING (pid)
          WHERE l.locktype = 'advisory' AND l.classid = ${feedLock} AND l.objid = (hashtext(${name})::bigint & 4294967295)::oid
            AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND l.granted
            AND has_table_privilege(a.usesysid, to_regclass(${`"${name}"`}), 'INSERT')) AS over`,
        { until: ([row]) => row?.over === true, schedule: Schedule.spaced("20 millis") }
      ),
    orElse: () => Effect.void
  })

/** The changes of a namespace. */
export type ChangeRows = ReturnType<typeof make>

export const make = (sql: SqlClient.SqlClient, namespace: string, values: Values) => {
  const name = `${namespace}_payout_changes`
  const table = sql(name)
  return {
    /** The last statement of a transaction: no other lock is taken while the row of the feed is held. */
    insert: ({ at, event, key, state, version }: Change) =>
      Effect.zipRight(
        Effect.zipRight(values.turn("changes"), awaitEarlier(sql, name)),
        sql`INSERT INTO ${table} (payout, version, at, event, state)
          VALUES (${key}, ${version}, ${at}, ${writeEvent(event)}, ${writeState(state)})`
      ),

    /** The changes of one payout after a version, oldest first. */
    of: (key: string, version = 0) =>
      Effect.flatMap(
        sql`SELECT * FROM ${table} WHERE payout = ${key} AND version > ${version} ORDER BY version`,
        (rows) => Effect.forEach(rows, toChange)
      ),

    /** Changes in the order of their commits. */
    after: (seq: number, size: number) =>
      Effect.flatMap(
        sql<{ readonly seq: number | string }>`
          SELECT * FROM ${table} WHERE seq > ${seq} ORDER BY seq LIMIT ${size}`,
        (rows) =>
          Effect.forEach(
            rows,
            (row) => Effect.map(toChange(row), (change): RecordedChange => ({ ...change, cursor: String(row.seq) }))
          )
      ),

    /** The number of the last change; 0 if there is none. */
    last: () =>
      Effect.map(
        sql<{ readonly seq: number | string | null }>`SELECT MAX(seq) AS seq FROM ${table}`,
        ([row]) => Number(row?.seq ?? 0)
      ),

    /** The payouts of all accounts that reserved a nonce at any time. */
    reserved: (nonce: number) => sql`SELECT payout FROM ${table} WHERE reserved = ${nonce}`,

    /** The nonces from one on that some payouts reserved at any time; `payouts` selects their keys. */
    reservedFrom: (nonce: number, payouts: Statement.Fragment) =>
      Effect.map(
        sql<{ readonly reserved: number | string }>`
          SELECT DISTINCT reserved FROM ${table} WHERE reserved >= ${nonce} AND payout IN (${payouts})`,
        Arr.map(({ reserved }) => Number(reserved))
      )
  }
}
