import * as Address from "@effect-klaytn/core/Address"
import * as ServiceTime from "@effect-klaytn/core/ServiceTime"
import * as Database from "@effect-klaytn/engine/Database"
import type * as SpendPolicy from "@effect-klaytn/wallet/SpendPolicy"
import * as SqlClient from "@effect/sql/SqlClient"
import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { databases } from "../../engine/test/support/databases.js"
import * as SqlSpendPolicy from "../src/SqlSpendPolicy.js"
import { makeClock } from "./support/clock.js"

const day = 86_400_000

const spend = (value: bigint, fee = 0n, id?: string): SpendPolicy.Spend => ({
  chain: 1001,
  operation: "wallet.sendValue",
  from: Address.zero,
  to: Address.zero,
  value,
  fee,
  opaque: false,
  id
})

const rules: SpendPolicy.Rules = { window: { max: 10n, maxFees: 5n, duration: "1 day" } }

const refusal = (policy: SpendPolicy.Service, of: SpendPolicy.Spend) =>
  Effect.map(Effect.flip(policy.authorise(of)), ({ problem, rule }) => `${rule}: ${problem}`)

describe("a spend window in a file", () => {
  it.scopedLive("does not begin anew when a clock that was wrong is set right, if it is told the service's time", () => {
    const { move, use } = makeClock()
    const serviceTime = ServiceTime.agreed()
    const says = (offsetMillis: number) => {
      for (let answer = 0; answer < 2; answer++) serviceTime.observe({ offsetMillis, isReal: true })
    }
    return Effect.gen(function*() {
      says(2 * day)
      const policy = yield* SqlSpendPolicy.make(rules, { serviceTime })
      yield* policy.authorise(spend(10n))
      yield* move(2 * day)
      says(0)
      const left = "0.000000000000000001 KLAY is more than the 0 KLAY that are left"
      assert.strictEqual(yield* refusal(policy, spend(1n)), `window: a value of ${left}`)
    }).pipe(use, Effect.provide(Database.layerSqlite({ file: ":memory:" })))
  })
})

describe.each(databases)("a spend window on %s", (_, database) => {
  it.scopedLive("holds over restarts, value and fees, and ends with its period", () =>
    Effect.flatMap(database, ({ layer }) => {
      const { move, use } = makeClock()
      return Effect.gen(function*() {
        for (const value of [4n, 6n]) yield* (yield* SqlSpendPolicy.make(rules)).authorise(spend(value, 2n))
        const policy = yield* SqlSpendPolicy.make(rules)
        assert.strictEqual(
          yield* refusal(policy, spend(1n)),
          "window: a value of 0.000000000000000001 KLAY is more than the 0 KLAY that are left"
        )
        assert.strictEqual(
          yield* refusal(policy, spend(0n, 2n)),
          "window: a fee of 0.000000000000000002 KLAY is more than the 0.000000000000000001 KLAY that are left"
        )
        const other = yield* SqlSpendPolicy.make(rules, { namespace: "other" })
        yield* other.authorise(spend(10n))
        yield* move(day - 1)
        yield* refusal(policy, spend(1n))
        yield* move(1)
        yield* policy.authorise(spend(10n, 5n))
      }).pipe(use, Effect.provide(layer))
    }))

  it.scopedLive("lets in no more than it holds, however many processes spend at the same time", () =>
    Effect.flatMap(database, ({ layer }) =>
      Effect.gen(function*() {
        const policies = yield* Effect.replicateEffect(SqlSpendPolicy.make(rules), 4)
        const spends = Array.from({ length: 12 }, (_, i) => policies[i % 4]?.authorise(spend(3n)) ?? Effect.never)
        const all = yield* Effect.forEach(spends, Effect.either, { concurrency: "unbounded" })
        assert.strictEqual(all.filter(({ _tag }) => _tag === "Right").length, 3)
      }).pipe(Effect.provide(layer))))

  it.scopedLive("counts a spend with an id once, until it was released as often as it was counted", () =>
    Effect.flatMap(database, ({ layer }) =>
      Effect.gen(function*() {
        const policy = yield* SqlSpendPolicy.make(rules)
        const once = yield* policy.authorise(spend(9n, 0n, "a"))
        const again = yield* policy.authorise(spend(9n, 0n, "a"))
        yield* once.release
        yield* once.release
        assert.include(yield* refusal(policy, spend(2n)), "the 0.000000000000000001 KLAY that are left")
        yield* again.release
        const { release } = yield* policy.authorise(spend(10n))
        yield* release
        yield* policy.authorise(spend(10n))
      }).pipe(Effect.provide(layer))))

  it.scopedLive("counts a spend with an id from the last time that it was counted: it may have been sent then", () =>
    Effect.flatMap(database, ({ layer }) => {
      const { move, use } = makeClock()
      return Effect.gen(function*() {
        const policy = yield* SqlSpendPolicy.make(rules)
        yield* policy.authorise(spend(10n, 0n, "a"))
        yield* move(day - 1)
        yield* policy.authorise(spend(10n, 0n, "a"))
        yield* move(day - 1)
        assert.include(yield* refusal(policy, spend(1n)), "more than the 0 KLAY that are left")
        yield* move(1)
        yield* policy.authorise(spend(10n))
      }).pipe(use, Effect.provide(layer))
    }))

  it.scopedLive("may have a length that is no whole number of milliseconds", () =>
    Effect.flatMap(database, ({ layer }) =>
      Effect.gen(function*() {
        const policy = yield* SqlSpendPolicy.make({ window: { max: 10n, duration: Duration.hours(1 / 7) } })
        yield* policy.authorise(spend(6n, 0n, "a"))
        yield* policy.authorise(spend(6n, 0n, "a"))
        assert.include(yield* refusal(policy, spend(5n)), "KLAY that are left")
      }).pipe(Effect.provide(layer))))

  it.scopedLive("counts what policies without a window have allowed", () =>
    Effect.flatMap(database, ({ layer }) =>
      Effect.gen(function*() {
        const loose = yield* SqlSpendPolicy.make({ maxPerTransaction: 9n })
        const policy = yield* SqlSpendPolicy.make({ window: { max: 20n, duration: "1 day" } })
        yield* loose.authorise(spend(9n, 0n, "a"))
        yield* loose.authorise(spend(9n, 0n, "a"))
        const { release } = yield* loose.authorise(spend(9n))
        assert.include(yield* refusal(policy, spend(3n)), "the 0.000000000000000002 KLAY that are left")
        yield* release
        yield* policy.authorise(spend(11n))
      }).pipe(Effect.provide(layer))))

  it.scopedLive("goes on counting beside an amount that no account has", () =>
    Effect.flatMap(database, ({ layer }) =>
      Effect.gen(function*() {
        const loose = yield* SqlSpendPolicy.make({})
        const policy = yield* SqlSpendPolicy.make({ window: { max: 20n, duration: "1 day" } })
        const { release } = yield* loose.authorise(spend(2n ** 255n, 0n))
        yield* loose.authorise(spend(1n, 0n))
        assert.include(yield* refusal(policy, spend(3n)), "that are left")
        yield* release
        yield* policy.authorise(spend(19n))
      }).pipe(Effect.provide(layer))))

  it.scopedLive("may have no end", () =>
    Effect.flatMap(database, ({ layer }) => {
      const { move, use } = makeClock()
      return Effect.gen(function*() {
        const policy = yield* SqlSpendPolicy.make({ window: { max: 10n, duration: Duration.infinity } })
        yield* policy.authorise(spend(6n, 0n, "a"))
        yield* policy.authorise(spend(6n, 0n, "a"))
        yield* move(1000 * day)
        assert.include(yield* refusal(policy, spend(5n)), "KLAY that are left")
        yield* policy.authorise(spend(4n))
      }).pipe(use, Effect.provide(layer))
    }))

  it.scopedLive("of a database that does not answer refuses, and one that can't take a spend back keeps it", () =>
    Effect.flatMap(database, ({ layer }) => {
      const warnings: Array<unknown> = []
      return Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const policy = yield* SqlSpendPolicy.make(rules)
        const { release } = yield* policy.authorise(spend(10n))
        yield* sql`ALTER TABLE klaytn_spends RENAME TO gone`
        yield* release
        assert.include(String(warnings), "a spend that was not made stays counted")
        assert.include(yield* refusal(policy, spend(1n)), "unavailable: the spend could not be counted")
        yield* sql`ALTER TABLE gone RENAME TO klaytn_spends`
        assert.include(yield* refusal(policy, spend(1n)), "the 0 KLAY that are left")
      }).pipe(
        Effect.provide(Logger.replace(Logger.defaultLogger, Logger.make(({ message }) => warnings.push(message)))),
        Effect.provide(layer)
      )
    }))
})
