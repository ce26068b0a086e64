/**
 * What was spent in a sliding period, in the database, with a row for each payout that counts. The wallet's `SpendWindow`
 * is one value that sums up all but its newest 256 spends, and those can't be released any more. A payout may be
 * superseded or cancelled after thousands of others, so here each keeps a row of its own for as long as it counts.
 */
import type * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { spendAfter } from "../PayoutState.js"
import * as tables from "./values.js"

export interface Amounts {
  readonly value: bigint
  readonly fee: bigint
}

export interface Limits {
  readonly max: bigint
  readonly maxFees: bigint | undefined
  readonly millis: number
}

/** Each amount has two columns: a whole one does not fit into 64 bits, and sums of the parts do. */
const unit = 10n ** 12n

interface Sums {
  readonly value_high: string | null
  readonly value_low: string | null
  readonly fee_high: string | null
  readonly fee_low: string | null
}

const whole = (high: string | null | undefined, low: string | null | undefined): bigint =>
  BigInt(high ?? 0) * unit + BigInt(low ?? 0)

export const make = (sql: SqlClient.SqlClient, namespace: string) => {
  const spends = sql(`${namespace}_spends`)

  /** Those that are not final count however old they are: their requests may execute at any time. */
  const sums = (limits: Limits, except: string): Effect.Effect<Amounts, SqlError> =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      Effect.map(
        sql<Sums>`
          SELECT CAST(SUM(value_high) AS TEXT) AS value_high, CAST(SUM(value_low) AS TEXT) AS value_low,
            CAST(SUM(fee_high) AS TEXT) AS fee_high, CAST(SUM(fee_low) AS TEXT) AS fee_low
          FROM ${spends} WHERE (is_final = 0 OR at > ${now - limits.millis}) AND id <> ${except}`,
        ([row]) => ({
          value: whole(row?.value_high, row?.value_low),
          fee: whole(row?.fee_high, row?.fee_low)
        })
      ))

  /** Inside a transaction: counts a spend, or says which limit it would exceed. */
  const count = (key: string, { fee, value }: Amounts, limits: Limits): Effect.Effect<string | undefined, SqlError> =>
    Effect.gen(function*() {
      // Whoever counts waits here for those who counted before and have not committed.
      yield* sql`UPDATE ${sql(`${namespace}_values`)} SET value = value WHERE id = 'spends'`
      const spent = yield* sums(limits, key)
      const left = limits.max - spent.value
      if (value > left) return `${value} peb of value is more than the ${left} peb that are left`
      if (limits.maxFees !== undefined && fee > limits.maxFees - spent.fee) {
        return `${fee} peb of fee is more than the ${limits.maxFees - spent.fee} peb that are left`
      }
      yield* sql`
        INSERT INTO ${spends} (id, at, is_final, value_high, value_low, fee_high, fee_low)
        VALUES (${key}, ${yield* Clock.currentTimeMillis}, 0, ${String(value / unit)}, ${String(value % unit)},
          ${String(fee / unit)}, ${String(fee % unit)})
        ON CONFLICT (id) DO UPDATE SET at = excluded.at, is_final = 0, value_high = excluded.value_high,
          value_low = excluded.value_low, fee_high = excluded.fee_high, fee_low = excluded.fee_low`
      return undefined
    })

  /** Records what became of a spend; see `PayoutState.spendAfter`. */
  const record = (key: string, what: ReturnType<typeof spendAfter>): Effect.Effect<void, SqlError> => {
    switch (what) {
      case "stamped":
        return Effect.flatMap(
          Clock.currentTimeMillis,
          (at) => Effect.asVoid(sql`UPDATE ${spends} SET at = ${at} WHERE id = ${key}`)
        )
      case "final":
        return Effect.asVoid(sql`UPDATE ${spends} SET is_final = 1 WHERE id = ${key}`)
      case "feeOnly":
        return Effect.asVoid(sql`UPDATE ${spends} SET is_final = 1, value_high = 0, value_low = 0 WHERE id = ${key}`)
      case "released":
        return Effect.asVoid(sql`DELETE FROM ${spends} WHERE id = ${key}`)
      case undefined:
        return Effect.void
    }
  }

  return Effect.as(
    tables.createTables(
      sql,
      `${namespace}_spends`,
      Effect.all([
        sql`CREATE TABLE IF NOT EXISTS ${spends} (
          id VARCHAR(255) PRIMARY KEY,
          at BIGINT NOT NULL,
          is_final SMALLINT NOT NULL,
          value_high BIGINT NOT NULL,
          value_low BIGINT NOT NULL,
          fee_high BIGINT NOT NULL,
          fee_low BIGINT NOT NULL
        )`,
        sql`CREATE INDEX IF NOT EXISTS ${sql(`${namespace}_spends_by_time`)} ON ${spends} (at)`,
        sql`INSERT INTO ${sql(`${namespace}_values`)} (id, value) VALUES ('spends', 'x') ON CONFLICT DO NOTHING`
      ], { discard: true })
    ),
    { count, record, spent: (limits: Limits) => sums(limits, "") }
  )
}
