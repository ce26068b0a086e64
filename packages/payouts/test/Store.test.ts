import { Address } from "@effect-klaytn/core/Address"
import * as Hash from "@effect-klaytn/core/Hash"
import * as ServiceTime from "@effect-klaytn/core/ServiceTime"
import * as Database from "@effect-klaytn/engine/Database"
import * as FeeDelegation from "@effect-klaytn/wallet/FeeDelegation"
import * as SqlClient from "@effect/sql/SqlClient"
import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { databases } from "../../engine/test/support/databases.js"
import * as clocks from "../src/internal/clock.js"
import { orFailed } from "../src/internal/databaseErrors.js"
import * as health from "../src/internal/health.js"
import * as limitRows from "../src/internal/limitRows.js"
import * as stores from "../src/internal/store.js"
import { Content } from "../src/Payout.js"
import type { DatabaseFailed } from "../src/PayoutError.js"
import type * as PayoutState from "../src/PayoutState.js"
import * as SqlSpendPolicy from "../src/SqlSpendPolicy.js"
import { makeClock } from "./support/clock.js"

const address = Schema.decodeSync(Address)
const from = address("0x71c7656ec7ab88b098defb751b7401b5f6d8976f")
const to = "0x2222222222222222222222222222222222222222"
const hash = Either.getOrThrow(Hash.make(`0x${"ab".repeat(32)}`))

const content = (value: bigint): Content =>
  Schema.decodeSync(Content)({
    chain: 1001,
    request: { _tag: "Value", from, to, value: String(value) },
    payer: FeeDelegation.service
  })

/** A store as a process has it. */
const open = SqlClient.SqlClient.pipe(
  Effect.flatMap((sql) => stores.make(sql.withoutTransforms(), "klaytn", limits)),
  Effect.map((operations) => stores.failing<DatabaseFailed>(operations, orFailed))
)

type Store = stores.Store<DatabaseFailed>

const insert = (store: Store, key: string, value = 1n) => store.insert(key, content(value), null)

const hour = 3_600_000
const limits = { max: 10n, maxFees: undefined, millis: hour }

const spent = (store: Store) => Effect.map(store.window(), (window) => Option.getOrThrow(window).spent)

const reserve = (store: Store, key: string, value: bigint) =>
  Effect.map(
    store.reserve(key, { value, fee: 1n }),
    (made) => made._tag === "Changed" ? made.payout.state._tag : made._tag
  )

const apply = (store: Store, key: string, event: PayoutState.PayoutEvent) =>
  Effect.flatMap(
    store.apply(key, event),
    Either.match({
      onLeft: (reason) => Effect.dieMessage(reason),
      onRight: Effect.succeed
    })
  )

const found = { _tag: "Found", attempt: 1, nonce: 1, transactionHash: hash, block: 7, succeeded: true } as const

describe.each(databases)("the store of payouts on %s", (_, database) => {
  it.scopedLive("applies an event once, however many processes apply it at the same time", () =>
    Effect.flatMap(database, ({ layer }) =>
      Effect.gen(function*() {
        const store = yield* open
        yield* insert(store, "a")
        yield* store.advance(1001, from, 1)
        assert.strictEqual(yield* reserve(store, "a", 1n), "Reserved")
        const processes = Array.from({ length: 12 }, () => store.apply("a", { _tag: "SendBegun" }))
        const all = yield* Effect.all(processes, { concurrency: "unbounded" })
        assert.strictEqual(all.filter(Either.isRight).length, 1)
        assert.deepStrictEqual((yield* store.history("a")).map(({ event }) => event._tag), ["Reserved", "SendBegun"])
      }).pipe(Effect.provide(layer))))

  it.scopedLive("finds the payouts of a day by their blocks and by their last change", () =>
    Effect.flatMap(database, ({ layer }) => {
      const { move, use } = makeClock()
      return Effect.gen(function*() {
        const store = yield* open
        yield* store.advance(1001, from, 1)
        const start = yield* store.now()
        for (const key of ["a", "b"]) yield* insert(store, key)
        for (const key of ["a", "b"]) {
          yield* reserve(store, key, 1n)
          yield* apply(store, key, { _tag: "SendBegun" })
        }
        yield* apply(store, "a", found)
        // What a node says is no field of the state.
        yield* apply(store, "b", { _tag: "Unclear", attempt: 1, send: 1, problem: "\u0000 \"block\":7," })
        yield* move(hour)
        yield* insert(store, "c")
        const keys = (day: { readonly start: number; readonly end: number }, first: number, last: number) =>
          Effect.map(store.ofDay(day, { first, last }, ""), ([page]) => Array.from(page, ({ key }) => key))
        assert.deepStrictEqual(yield* keys({ start, end: start + hour }, 8, 9), ["a", "b"])
        assert.deepStrictEqual(yield* keys({ start: start + hour, end: start + 2 * hour }, 8, 9), ["c"])
        assert.deepStrictEqual(yield* keys({ start: start + hour, end: start + 2 * hour }, 1, 7), ["a", "c"])
        assert.deepStrictEqual(yield* keys({ start: 0, end: 1 }, 7, 6), [])
      }).pipe(use, Effect.provide(layer))
    }))

  it.scopedLive("fills a nonce that another program left, and none that a payout holds or had", () =>
    Effect.flatMap(database, ({ layer }) =>
      Effect.gen(function*() {
        const store = yield* open
        const mayFill = (nonce: number, isGone: boolean) =>
          store.countGap(1001, from, nonce, isGone, { value: 0n, fee: 0n })
        // Another program's transactions have the nonces 1 and 2.
        yield* store.advance(1001, from, 3)
        yield* insert(store, "a")
        yield* reserve(store, "a", 1n)
        assert.deepStrictEqual([yield* mayFill(1, false), yield* mayFill(1, true), yield* mayFill(3, true)], [
          false,
          true,
          false
        ])
        yield* apply(store, "a", { _tag: "SendBegun" })
        yield* apply(store, "a", { ...found, nonce: 3 })
        yield* insert(store, "b")
        yield* reserve(store, "b", 1n)
        // As a node that lags says.
        assert.isFalse(yield* mayFill(3, true))
      }).pipe(Effect.provide(layer))))

  it.scopedLive("knows the highest nonce that a block settled, whatever became of the payout, and also of earlier versions", () =>
    Effect.flatMap(database, ({ layer }) =>
      Effect.gen(function*() {
        const store = yield* open
        const sql = yield* SqlClient.SqlClient
        const book = Effect.map(store.book(1001, from), Option.getOrThrow)
        const mined = store.mined(1001, from)
        const send = (key: string) =>
          insert(store, key).pipe(
            Effect.zipRight(reserve(store, key, 0n)),
            Effect.zipRight(apply(store, key, { _tag: "SendBegun" }))
          )
        yield* store.advance(1001, from, 1)
        yield* send("a")
        assert.deepStrictEqual(yield* mined, Option.none())
        yield* apply(store, "a", found)
        yield* sql`DELETE FROM klaytn_values WHERE id LIKE 'mined %'`
        assert.deepStrictEqual(yield* mined, Option.some(1))
        yield* send("b")
        yield* apply(store, "b", { ...found, nonce: 2, succeeded: false })
        assert.deepStrictEqual(yield* mined, Option.some(2))
        yield* send("c")
        yield* apply(store, "c", { _tag: "CancelRequested", problem: "" })
        yield* apply(store, "c", { _tag: "Overtaken", attempt: 1, by: hash })
        assert.deepStrictEqual(yield* mined, Option.some(3))
        yield* send("d")
        yield* send("e")
        yield* apply(store, "e", { ...found, nonce: 5 })
        yield* apply(store, "d", { ...found, nonce: 4 })
        assert.deepStrictEqual(yield* mined, Option.some(5))
        yield* store.advance(1001, from, 50)
        yield* store.retreat(1001, from, 5)
        assert.strictEqual((yield* book).next, 50)
        yield* store.retreat(1001, from, 6)
        assert.strictEqual((yield* book).next, 6)
      }).pipe(Effect.provide(layer))))

  it.scopedLive("hands each nonce to one payout, and nonce 0 to none", () =>
    Effect.flatMap(database, ({ layer }) =>
      Effect.gen(function*() {
        const store = yield* open
        const keys = Array.from({ length: 20 }, (_, i) => `key ${i}`)
        yield* Effect.forEach(keys, (key) => insert(store, key))
        assert.strictEqual(yield* reserve(store, "key 0", 0n), "NoBook")
        yield* store.advance(1001, from, 0)
        assert.strictEqual(yield* reserve(store, "key 0", 0n), "Fresh")
        yield* store.opened(1001, from, 1)
        yield* Effect.forEach(keys, (key) => reserve(store, key, 0n), { concurrency: "unbounded" })
        const nonces = yield* Effect.forEach(keys, (key) =>
          Effect.map(store.find(key), (payout) => {
            const { state } = Option.getOrThrow(payout)
            return state._tag === "Reserved" ? state.nonce : -1
          }))
        assert.deepStrictEqual(nonces.sort((left, right) => left - right), keys.map((_, i) => i + 1))
      }).pipe(Effect.provide(layer))))

  it.scopedLive("counts the opening of an account once, however often it is sent", () =>
    Effect.flatMap(database, ({ layer }) =>
      Effect.gen(function*() {
        const store = yield* open
        for (let time = 0; time < 3; time++) {
          const { _tag } = yield* store.beginOpening(1001, from, { value: 0n, fee: 10n }, 0)
          assert.strictEqual(_tag, "Granted")
        }
        assert.deepStrictEqual(yield* spent(store), { value: 0n, fee: 10n })
      }).pipe(Effect.provide(layer))))

  it.scopedLive("lets no more into the window than it holds, however many ask at the same time", () =>
    Effect.flatMap(database, ({ layer }) =>
      Effect.gen(function*() {
        const store = yield* open
        const keys = Array.from({ length: 12 }, (_, i) => `key ${i}`)
        yield* Effect.forEach(keys, (key) => insert(store, key, 2n))
        yield* store.advance(1001, from, 1)
        const states = yield* Effect.forEach(keys, (key) => reserve(store, key, 2n), { concurrency: "unbounded" })
        assert.strictEqual(states.filter((state) => state === "Reserved").length, 5)
        assert.strictEqual(states.filter((state) => state === "Refused").length, 7)
        assert.deepStrictEqual((yield* spent(store)).value, 10n)
      }).pipe(Effect.provide(layer))))

  it.scopedLive("grants the opening of an account to one process, and again when that one took too long", () =>
    Effect.flatMap(database, ({ layer }) => {
      const { move, use } = makeClock()
      return Effect.gen(function*() {
        const store = yield* open
        yield* store.advance(1001, from, 0)
        const begin = Effect.map(
          store.beginOpening(1001, from, { value: 0n, fee: 1n }, 10_000),
          ({ _tag }) => _tag
        )
        const all = yield* Effect.all(Array.from({ length: 8 }, () => begin), { concurrency: "unbounded" })
        assert.deepStrictEqual(all.sort(), [...Array.from({ length: 7 }, () => "Busy"), "Granted"])
        yield* move(10_000)
        assert.strictEqual(yield* begin, "Granted")
        assert.strictEqual(yield* begin, "Busy")
        assert.strictEqual((yield* spent(store)).fee, 1n)
        yield* store.endOpening(1001, from)
        assert.strictEqual(yield* begin, "Granted")
      }).pipe(use, Effect.provide(layer))
    }))

  it.scopedLive("counts what is not final however old it is, and what is final since its last request", () =>
    Effect.flatMap(database, ({ layer }) => {
      const { move, use } = makeClock()
      return Effect.gen(function*() {
        const store = yield* open
        const value = Effect.map(spent(store), ({ value }) => value)
        for (const key of ["a", "b", "c"]) yield* insert(store, key, 10n)
        yield* store.advance(1001, from, 1)
        assert.strictEqual(yield* reserve(store, "a", 10n), "Reserved")
        // An outage that is longer than the window.
        yield* move(5 * hour)
        assert.strictEqual(yield* reserve(store, "b", 10n), "Refused")
        yield* apply(store, "a", { _tag: "SendBegun" })
        yield* move(hour / 2)
        yield* apply(store, "a", found)
        assert.strictEqual(yield* value, 10n)
        yield* move(hour / 2 - 1)
        assert.strictEqual(yield* value, 10n)
        yield* move(1)
        assert.strictEqual(yield* value, 0n)
        assert.strictEqual(yield* reserve(store, "c", 10n), "Reserved")
      }).pipe(use, Effect.provide(layer))
    }))

  it.scopedLive("counts a payout beside another spend, whatever its key is", () =>
    Effect.flatMap(database, ({ layer }) =>
      Effect.gen(function*() {
        const store = yield* open
        const policy = yield* SqlSpendPolicy.make({ window: { max: 10n, duration: "1 hour" } })
        const spend = { chain: 1001, operation: "a", from, to: undefined, fee: 0n, opaque: false } as const
        yield* policy.authorise({ ...spend, value: 4n, id: "a" })
        yield* store.advance(1001, from, 1)
        yield* store.countGap(1001, from, 1, false, { value: 3n, fee: 0n })
        for (const key of ["spend a", `gap 1001 ${from} 1`]) {
          yield* insert(store, key)
          assert.strictEqual(yield* reserve(store, key, 1n), "Reserved")
        }
        assert.strictEqual((yield* spent(store)).value, 9n)
      }).pipe(Effect.provide(layer))))

  it.scopedLive("gives back what can't execute any more, and keeps the fee of a cancellation", () =>
    Effect.flatMap(database, ({ layer }) =>
      Effect.gen(function*() {
        const store = yield* open
        for (const key of ["a", "b"]) yield* insert(store, key, 5n)
        yield* store.advance(1001, from, 1)
        yield* reserve(store, "a", 5n)
        yield* apply(store, "a", { _tag: "SendBegun" })
        yield* apply(store, "a", { _tag: "Overtaken", attempt: 1, by: hash })
        assert.deepStrictEqual(yield* spent(store), { value: 0n, fee: 0n })
        // Another attempt counts again.
        yield* reserve(store, "a", 5n)
        assert.deepStrictEqual(yield* spent(store), { value: 5n, fee: 1n })
        yield* apply(store, "a", { _tag: "SendBegun" })
        yield* apply(store, "a", { _tag: "CancelRequested", problem: "no" })
        yield* apply(store, "a", { _tag: "Overtaken", attempt: 2, by: hash })
        assert.deepStrictEqual(yield* spent(store), { value: 0n, fee: 1n })
        yield* reserve(store, "b", 5n)
        yield* apply(store, "b", { _tag: "CancelRequested", problem: "no" })
        assert.deepStrictEqual(yield* spent(store), { value: 0n, fee: 1n })
      }).pipe(Effect.provide(layer))))

  it.scopedLive("counts what failed in its block, as it used its fee and can't be told for certain from what moved a value", () =>
    Effect.flatMap(database, ({ layer }) =>
      Effect.gen(function*() {
        const store = yield* open
        yield* insert(store, "a", 5n)
        yield* store.advance(1001, from, 1)
        yield* reserve(store, "a", 5n)
        yield* apply(store, "a", { _tag: "SendBegun" })
        const failed = yield* apply(store, "a", { ...found, succeeded: false })
        assert.strictEqual(failed.state._tag, "Refused")
        assert.deepStrictEqual(yield* spent(store), { value: 5n, fee: 1n })
      }).pipe(Effect.provide(layer))))

  it.scopedLive("reports its health with any time after which a payout counts as stuck", () =>
    Effect.flatMap(database, ({ layer }) =>
      Effect.gen(function*() {
        const store = yield* open
        yield* insert(store, "a")
        for (const stuckAfter of [Duration.millis(0.5), Duration.infinity]) {
          assert.deepStrictEqual((yield* health.read(store, stuckAfter)).open, { Planned: 1 })
        }
      }).pipe(Effect.provide(layer))))

  it.scopedLive("finds all payouts on which no process works, also when there are more than one query returns", () =>
    Effect.flatMap(database, ({ layer }) => {
      const { move, use } = makeClock()
      return Effect.gen(function*() {
        const store = yield* open
        const keys = Array.from({ length: 1003 }, (_, i) => `key ${i}`)
        const sql = yield* SqlClient.SqlClient
        yield* sql.withTransaction(Effect.forEach(keys, (key) => insert(store, key), { discard: true }))
        yield* move(hour)
        yield* store.touch(["key 0"])
        const [idle, never] = [Duration.minutes(1), Duration.infinity]
        assert.deepStrictEqual((yield* store.countOpen(never, idle)).map(({ unattended }) => unattended), [1002])
        const first = (yield* store.findIdle(idle)).map(({ key }) => key)
        yield* move(1)
        const second = (yield* store.findIdle(idle)).map(({ key }) => key)
        assert.strictEqual(new Set([...first, ...second]).size, 1002)
        assert.notInclude([...first, ...second], "key 0")
      }).pipe(use, Effect.provide(layer))
    }))

  it.scopedLive("finds idle payouts in every state that asks for work, and in no other", () =>
    Effect.flatMap(database, ({ layer }) => {
      const { move, use } = makeClock()
      return Effect.gen(function*() {
        const store = yield* open
        const begun = { _tag: "SendBegun" } as const
        const unclear = { _tag: "Unclear", attempt: 1, send: 1, problem: "no answer" } as const
        const later: Readonly<Record<string, ReadonlyArray<PayoutState.PayoutEvent>>> = {
          // First, as `found` has the first nonce.
          Executed: [begun, found],
          Reserved: [],
          Sending: [begun],
          Unknown: [begun, unclear],
          Superseded: [begun, { _tag: "Overtaken", attempt: 1, by: hash }]
        }
        for (const key of ["Planned", "WaitingForApproval", ...Object.keys(later)]) yield* insert(store, key, 0n)
        yield* apply(store, "WaitingForApproval", { _tag: "ApprovalNeeded", problem: "too much" })
        yield* store.advance(1001, from, 1)
        for (const [key, events] of Object.entries(later)) {
          yield* reserve(store, key, 0n)
          for (const event of events) {
            yield* apply(store, key, event)
          }
        }
        for (const key of ["Planned", "WaitingForApproval", ...Object.keys(later)]) {
          assert.strictEqual(Option.getOrThrow(yield* store.find(key)).state._tag, key)
        }
        yield* move(hour)
        assert.deepStrictEqual((yield* store.findIdle(Duration.minutes(1))).map(({ key }) => key).sort(), [
          "Planned",
          "Reserved",
          "Sending",
          "Superseded",
          "Unknown"
        ])
      }).pipe(use, Effect.provide(layer))
    }))

  it.scopedLive("gives what a process with other limits left to one process with its limits, again if that one dies", () =>
    Effect.flatMap(database, ({ layer }) => {
      const { move, use } = makeClock()
      return Effect.gen(function*() {
        const sql = (yield* SqlClient.SqlClient).withoutTransforms()
        const store = yield* open
        const other = stores.failing<DatabaseFailed>(
          yield* stores.make(sql, "klaytn", limits, yield* limitRows.of({ approveAbove: 5n })),
          orFailed
        )
        yield* insert(store, "a", 0n)
        yield* store.advance(1001, from, 1)
        assert.strictEqual(yield* reserve(other, "a", 0n), "Stale")
        yield* apply(other, "a", { _tag: "LimitsDiffer", problem: "other limits" })
        yield* move(hour)
        const keysOf = (taken: ReadonlyArray<stores.Stored>) => taken.map(({ key }) => key)
        const idle = (of: Store) => Effect.map(of.findIdle(Duration.minutes(1)), keysOf)
        assert.deepStrictEqual([yield* idle(store), yield* idle(other), yield* other.takeLeft(1001)], [[], [], []])
        const taken = yield* Effect.all([store.takeLeft(1001), store.takeLeft(1001), store.takeLeft(8217)])
        assert.deepStrictEqual(taken.map(keysOf), [["a"], [], []])
        yield* move(hour)
        const [died] = yield* store.findIdle(Duration.minutes(1))
        if (died === undefined) return assert.fail("it is not found")
        yield* store.leaveAgain(died)
        assert.deepStrictEqual(keysOf(yield* store.takeLeft(1001)), ["a"])
        assert.strictEqual(yield* reserve(store, "a", 0n), "Reserved")
        yield* store.leaveAgain(died)
        assert.deepStrictEqual(yield* store.takeLeft(1001), [])
      }).pipe(use, Effect.provide(layer))
    }))

  it.scopedLive("lets no process wait for what one with a clock ahead has stored", () =>
    Effect.flatMap(database, ({ layer }) => {
      const { move, use } = makeClock()
      const spend = { value: 1n, fee: 0n }
      const minute = 60_000
      return Effect.gen(function*() {
        const store = yield* open
        yield* store.advance(1001, from, 0)
        yield* move(24 * hour)
        yield* insert(store, "a")
        assert.strictEqual((yield* store.beginOpening(1001, from, spend, 10_000))._tag, "Granted")
        assert.strictEqual((yield* store.beginOpening(1001, from, spend, 10_000))._tag, "Busy")
        yield* move(-24 * hour)
        assert.strictEqual((yield* store.beginOpening(1001, from, spend, 10_000))._tag, "Granted")
        assert.strictEqual((yield* store.beginOpening(1001, from, spend, 10_000))._tag, "Busy")
        assert.deepStrictEqual((yield* store.findIdle(Duration.minutes(1))).map(({ key }) => key), ["a"])
        assert.strictEqual((yield* health.read(store, Duration.minutes(1))).unattended, 1)
        // The spend counts from now on, and not for a day and an hour.
        assert.strictEqual((yield* spent(store)).value, 1n)
        yield* move(hour + minute)
        assert.strictEqual((yield* spent(store)).value, 0n)
      }).pipe(use, Effect.provide(layer))
    }))

  it.scopedLive("counts a defect of the run that is under way, and of no other", () =>
    Effect.flatMap(database, ({ layer }) =>
      Effect.gen(function*() {
        const store = yield* open
        yield* insert(store, "a")
        const fault = { _tag: "Faulted", run: 0, problem: "a mistake" } as const
        assert.strictEqual((yield* apply(store, "a", fault)).run, 1)
        assert.isTrue(Either.isLeft(yield* store.apply("a", fault)))
        assert.strictEqual((yield* apply(store, "a", { ...fault, run: 1 })).run, 2)
      }).pipe(Effect.provide(layer))))
})

describe("the time of payouts in a file", () => {
  const reading = (offsetMillis: number, isReal = true) => ({ offsetMillis, isReal })
  const day = 24 * hour

  it.scoped("is the service's where the clock of this machine is far from it, and this is logged once", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const service = ServiceTime.agreed()
      const lines: Array<string> = []
      const logger = Logger.replace(Logger.defaultLogger, Logger.make(({ message }) => lines.push(String(message))))
      yield* Effect.gen(function*() {
        const now = clocks.make(sql, service)
        assert.strictEqual(yield* now, 0)
        service.observe(reading(-day))
        // One answer alone may be of a machine that is wrong itself.
        assert.strictEqual(yield* now, 0)
        service.observe(reading(-day + 900))
        assert.strictEqual(Math.round((yield* now) / 1000), Math.round((-day + 900) / 1000))
        yield* now
        assert.deepStrictEqual(lines, [
          "payouts: this machine's clock is 86399 s ahead of the service's, whose time is used; set the clock"
        ])
        for (const near of [reading(59_000), reading(59_000)]) service.observe(near)
        assert.strictEqual(yield* now, 0)
      }).pipe(Effect.provide(logger))
    }).pipe(Effect.provide(Database.layerSqlite({ file: ":memory:" }))))

  it.scoped("is this machine's with a sandbox whose time is not real", () =>
    Effect.gen(function*() {
      const service = ServiceTime.agreed()
      for (const own of [reading(-day, false), reading(-day, false)]) service.observe(own)
      assert.strictEqual(yield* clocks.make(yield* SqlClient.SqlClient, service), 0)
    }).pipe(Effect.provide(Database.layerSqlite({ file: ":memory:" }))))
})
