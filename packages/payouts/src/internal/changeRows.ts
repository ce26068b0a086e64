/**
 * The changes of payouts in the database, numbered in the order of their commits.
 *
 * A sequence of Postgres numbers rows when they are inserted, and transactions commit in another order, so a reader that
 * remembers the last number it saw would miss the rows with a lower number that are committed later. Here a transaction takes
 * a lock before it inserts its change, as its last statement, and holds it until it ends. SQLite has one writer at a time.
 */
import type * as SqlClient from "@effect/sql/SqlClient"
import type * as Statement from "@effect/sql/Statement"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Change, RecordedChange } from "../Payout.js"
import * as PayoutState from "../PayoutState.js"
import * as stored from "./stored.js"
import { advisoryLock, Whole } from "./values.js"

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

/** Postgres' locks by two numbers: one for this purpose, and one for the table. */
const feedLock = 716_449

/** The changes of a namespace. */
export type ChangeRows = ReturnType<typeof make>

export const make = (sql: SqlClient.SqlClient, namespace: string) => {
  const name = `${namespace}_payout_changes`
  const table = sql(name)
  return {
    /** The last statement of a transaction: no other lock is taken while the lock of the feed is held. */
    insert: ({ at, event, key, state, version }: Change) =>
      Effect.zipRight(
        advisoryLock(sql, sql`${feedLock}, hashtext(${name})`),
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
