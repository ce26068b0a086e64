/**
 * What was spent in a sliding period. The database has a row for each spend, because a payout may be superseded or cancelled
 * after thousands of others.
 */
import * as Amount from "@effect-klaytn/core/Amount"
import type { WindowLimits } from "@effect-klaytn/wallet/SpendPolicy"
import type * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type * as Statement from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { spendAfter } from "../PayoutState.js"
import * as clocks from "./clock.js"

export interface Amounts {
  readonly value: bigint
  readonly fee: bigint
}

/** Each amount has two columns: it does not fit into 64 bits, and sums of its two parts do. */
const unit = 10n ** 12n

/** More peb than all coins that there are; of what is more, no more is counted, since it can't be paid. */
const most = 2n ** 53n * unit

/** The two parts of an amount. */
const parts = (amount: bigint) => {
  const counted = amount > most ? most : amount
  return { high: String(counted / unit), low: String(counted % unit) }
}

type Sums = Readonly<Record<"value_high" | "value_low" | "fee_high" | "fee_low", string | null>>

const whole = (high: string | null | undefined, low: string | null | undefined): bigint =>
  BigInt(high ?? 0) * unit + BigInt(low ?? 0)

/** The window of a namespace, as a program with these limits sees it. All programs count in it, whatever their limits. */
export class SpendWindow {
  readonly #spends

  constructor(
    private readonly sql: SqlClient.SqlClient,
    private readonly namespace: string,
    private readonly limits: WindowLimits | undefined,
    private readonly now: Effect.Effect<number, SqlError>
  ) {
    this.#spends = sql(`${namespace}_spends`)
  }

  /**
   * Inside a transaction: waits for other transactions that have counted a spend and not committed. A spend that a clock counted too
   * far ahead counts from now on: it would count for longer than the window.
   */
  #lock() {
    const { sql } = this
    return Effect.gen(this, function*() {
      yield* sql`UPDATE ${sql(`${this.namespace}_values`)} SET value = value WHERE id = 'spends'`
      const now = yield* this.now
      yield* sql`UPDATE ${this.#spends} SET at = ${now} WHERE at > ${now + clocks.believed}`
      return now
    })
  }

  /**
   * What counts, apart from one spend, and what is left. Spends that are not final count however old they are: they may
   * execute at any time.
   */
  #readWithin({ max, maxFees, millis }: WindowLimits, except = "") {
    return Effect.flatMap(this.now, (now) =>
      Effect.map(
        this.sql<Sums>`
          SELECT CAST(SUM(value_high) AS TEXT) AS value_high, CAST(SUM(value_low) AS TEXT) AS value_low,
            CAST(SUM(fee_high) AS TEXT) AS fee_high, CAST(SUM(fee_low) AS TEXT) AS fee_low
          FROM ${this.#spends} WHERE (is_final = 0 OR at > ${clocks.before(now, millis)}) AND id <> ${except}`,
        ([row]) => {
          const value = whole(row?.value_high, row?.value_low)
          const fee = whole(row?.fee_high, row?.fee_low)
          return {
            spent: { value, fee },
            left: { value: max - value, fee: maxFees === undefined ? undefined : maxFees - fee }
          }
        }
      ))
  }

  /** What counts now, and what is left, if there are limits. */
  get read() {
    return Effect.transposeMapOption(Option.fromNullable(this.limits), (limits) => this.#readWithin(limits))
  }

  /** Which limit a spend would exceed. */
  #problem(limits: WindowLimits, key: string, { fee, value }: Amounts) {
    return Effect.map(this.#readWithin(limits, key), ({ left }) => {
      if (value > left.value) {
        return `a value of ${Amount.format(value)} is more than the ${Amount.format(left.value)} that are left`
      }
      return left.fee !== undefined && fee > left.fee
        ? `a fee of ${Amount.format(fee)} is more than the ${Amount.format(left.fee)} that are left`
        : undefined
    })
  }

  /**
   * Inside a transaction: counts a spend, or says which limit it would exceed. Without limits it is counted too: other programs of the
   * namespace have some.
   */
  count(key: string, amounts: Amounts): Effect.Effect<string | undefined, SqlError> {
    return Effect.gen(this, function*() {
      const [value, fee] = [parts(amounts.value), parts(amounts.fee)]
      const { limits } = this
      const now = yield* limits === undefined ? this.now : this.#lock()
      const problem = limits === undefined ? undefined : yield* this.#problem(limits, key, amounts)
      if (problem !== undefined) return problem
      yield* this.sql`
        INSERT INTO ${this.#spends} (id, at, is_final, holders, value_high, value_low, fee_high, fee_low)
        VALUES (${key}, ${now}, 0, 1, ${value.high}, ${value.low}, ${fee.high}, ${fee.low})
        ON CONFLICT (id) DO UPDATE SET at = excluded.at, is_final = 0, holders = 1, value_high = excluded.value_high,
          value_low = excluded.value_low, fee_high = excluded.fee_high, fee_low = excluded.fee_low`
      return undefined
    })
  }

  /** Inside a transaction: counts a spend that is final at once. */
  countFinal(key: string, amounts: Amounts): Effect.Effect<string | undefined, SqlError> {
    return Effect.tap(
      this.count(key, amounts),
      (problem) => problem === undefined ? this.record(key, "final") : Effect.void
    )
  }

  /**
   * Inside a transaction: counts a spend whose end will not be recorded. It counts once for its key, until the window has
   * passed since it was last counted; without limits there is no window that passes.
   */
  countOnce(key: string, amounts: Amounts): Effect.Effect<string | undefined, SqlError> {
    return Effect.gen(this, function*() {
      const now = yield* this.#lock()
      const held = yield* this.sql`
        UPDATE ${this.#spends} SET holders = holders + 1, at = ${now}
        WHERE id = ${key} AND at > ${clocks.before(now, this.limits?.millis ?? Infinity)} RETURNING id`
      return held.length > 0 ? undefined : yield* this.countFinal(key, amounts)
    })
  }

  /** Inside a transaction: takes back a spend of `countOnce` when it was released as often as it was counted. */
  release(key: string): Effect.Effect<void, SqlError> {
    return Effect.zipRight(
      this.sql`UPDATE ${this.#spends} SET holders = holders - 1 WHERE id = ${key}`,
      Effect.asVoid(this.sql`DELETE FROM ${this.#spends} WHERE id = ${key} AND holders = 0`)
    )
  }

  /** Records what became of a spend; see `PayoutState.spendAfter`. */
  record(key: string, what: ReturnType<typeof spendAfter>): Effect.Effect<void, SqlError> {
    const { sql } = this
    const spends = this.#spends
    const set = (columns: Statement.Fragment) => Effect.asVoid(sql`UPDATE ${spends} SET ${columns} WHERE id = ${key}`)
    switch (what) {
      case "stamped":
        return Effect.flatMap(this.now, (at) => set(sql`at = ${at}`))
      case "final":
        return set(sql`is_final = 1`)
      case "feeOnly":
        return set(sql`is_final = 1, value_high = 0, value_low = 0`)
      case "released":
        return Effect.asVoid(sql`DELETE FROM ${spends} WHERE id = ${key}`)
      case undefined:
        return Effect.void
    }
  }
}
