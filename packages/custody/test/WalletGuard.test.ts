import { CurrentCaller, unlimited } from "@effect-klaytn/custody/WalletCaller"
import * as WalletGuard from "@effect-klaytn/custody/WalletGuard"
import * as SqlClient from "@effect/sql/SqlClient"
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { databases } from "../../engine/test/support/databases.js"
import { chain, make, makeTables } from "./support/guardedWallet.js"
import { happeningBefore } from "./support/statements.js"

const from = `0x${"ab".repeat(20)}` as const
const request = {
  caller: { ...unlimited("shop"), limits: { dailySum: 25n } },
  operation: "wallet.sendValue",
  requestId: "1"
}
const asShop = Effect.provideService(CurrentCaller, request)

/** What is to be signed: a payment. */
const payment = (value: bigint): WalletGuard.Signature => ({
  role: "sender",
  pool: "default",
  address: from,
  subject: from,
  digest: "0x01",
  transaction: { type: "ValueTransfer", nonce: 0n, gas: 21_000n, gasPrice: 25n, from, to: from, value, signatures: [] }
})

/** Whether it may be signed. */
const isSigned = ({ sign }: WalletGuard.WalletGuard, value: bigint) => Effect.isSuccess(asShop(sign(payment(value))))

/** Runs as a machine does whose clock shows so many hours since 1970. */
const atHour = <A, E, R>(hours: number, effect: Effect.Effect<A, E, R>) => {
  const millis = hours * 3_600_000
  const clock = Object.assign(Clock.make(), {
    currentTimeMillis: Effect.succeed(millis),
    unsafeCurrentTimeMillis: () => millis
  })
  return Effect.withClock(effect, clock)
}

describe.each(databases.filter(([name]) => name !== "SQLite"))("the sum of a day on %s", (_, open) => {
  it.scoped("is that of the server's day for all processes, whatever their clocks show", () =>
    Effect.gen(function*() {
      const { layer } = yield* open
      const sql = Context.get(yield* Layer.build(layer), SqlClient.SqlClient)
      yield* makeTables(sql)
      const { audit } = yield* make()
      const guard = WalletGuard.make({ sql, chain, audit })
      assert.isTrue(yield* atHour(0, isSigned(guard, 25n)))
      assert.isFalse(yield* atHour(480_000, isSigned(guard, 1n)))
      assert.deepStrictEqual((yield* atHour(960_000, guard.spent())).map(({ amount }) => amount), [25n])
    }))
})

describe("the sum of a day", () => {
  it.scoped("begins anew with each day", () =>
    Effect.gen(function*() {
      const { guard } = yield* make()
      const at = (hours: number, value: bigint) => atHour(hours, isSigned(guard, value))
      assert.deepStrictEqual([yield* at(0, 25n), yield* at(23, 1n), yield* at(24, 25n)], [true, false, true])
    }))

  it.scoped("counts what another process adds at the same time", () =>
    Effect.gen(function*() {
      const { audit, guard, sql } = yield* make()
      const late = happeningBefore(sql, "UPDATE ? SET amount", asShop(guard.sign(payment(10n))))
      const other = WalletGuard.make({ sql: late, chain, audit })
      assert.isTrue(yield* isSigned(guard, 5n))
      assert.isFalse(yield* isSigned(other, 11n))
      assert.deepStrictEqual((yield* guard.spent()).map(({ amount }) => amount), [15n])
    }))
})

describe("a check before anything is signed", () => {
  it.scoped("refuses what would be refused then, and counts nothing", () =>
    Effect.gen(function*() {
      const { guard } = yield* make()
      const isRefused = (value: bigint) => Effect.isFailure(asShop(guard.check(payment(value))))
      assert.deepStrictEqual([yield* isRefused(25n), yield* isRefused(26n)], [false, true])
      assert.deepStrictEqual(yield* guard.spent(), [])
      yield* guard.freeze("test")
      assert.isTrue(yield* isRefused(1n))
    }))
})

describe("a line of the audit log", () => {
  it.scoped("names the caller whose request did what it tells", () =>
    Effect.gen(function*() {
      const { audit, guard } = yield* make()
      yield* asShop(guard.note({ event: "created", what: "account" }))
      const [line] = yield* audit.after(0)
      assert.deepInclude(JSON.parse(line?.line ?? ""), { caller: "shop", operation: request.operation, requestId: "1" })
    }))
})
