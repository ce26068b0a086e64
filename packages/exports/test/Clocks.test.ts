/** Machines whose clock is wrong: the service's time counts, and the database's. */
import * as Range from "@effect-klaytn/history/Range"
import type { TransferHistory } from "@effect-klaytn/history/TransferHistory"
import { SqlClient } from "@effect/sql/SqlClient"
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as records from "../../../drills/exports/records.js"
import { HistoryService } from "../../../drills/exports/service.js"
import { databases } from "../../engine/test/support/databases.js"
import * as Exports from "../src/Exports.js"
import * as Plan from "../src/Plan.js"
import * as SqlSink from "../src/SqlSink.js"
import { clockFrom } from "./support/clock.js"
import * as Memory from "./support/memory.js"
import * as Service from "./support/service.js"

const day = 86_400
const history = records.make({ seed: "clocks", transfers: 400, accounts: 2 })
const account = records.addressOf(0)
const ofAccount = history.filter(({ from, to }) => from === account || to === account)

/** The history that is there at a second of the service, which says its time. */
const serviceAt = (second: number, isReal = true, says = second) => {
  const service = new HistoryService(history.filter(({ time }) => time <= second))
  const headers: Readonly<Record<string, string>> = isReal
    ? { date: new Date(says * 1000).toUTCString() }
    : { "x-sandbox-time": String(says) }
  return Service.layer(Service.wire((target) => {
    const answer = service.answer(target)
    return { ...answer, headers: { ...answer.headers, ...headers } }
  }))
}

/** A night of an export on a machine whose clock differs from the service's. */
const night = (memory: ReturnType<typeof Memory.make>, at: number, ahead: number, isReal = true) =>
  Exports.catchUp({ sink: memory.sink, recheck: "3 days" }).pipe(
    Stream.runCollect,
    Effect.map((events) => [...events].filter(({ _tag }) => _tag === "ClockDiffers")),
    Effect.provide(serviceAt(at, isReal)),
    Effect.withClock(clockFrom(at + ahead))
  )

/** An export of the first day, which was read on the second. */
const begun = Effect.gen(function*() {
  const memory = Memory.make()
  const range = yield* Range.time({ from: records.began, to: records.began + day })
  const plan = yield* Plan.make({ accounts: [account], range, windows: 1 })
  yield* Exports.run({ plan, sink: memory.sink })
  return memory
}).pipe(Effect.provide(serviceAt(records.began + 2 * day)), Effect.withClock(clockFrom(records.began + 2 * day)))

/** The first night after that. */
const firstNight = records.began + 20 * day

/** The transactions that are stored, and those that there are up to a second. */
const found = ({ rows }: ReturnType<typeof Memory.make>) =>
  new Set([...rows.values()].map((row) => row.transaction_hash))

const wanted = (second: number) =>
  new Set<string>(ofAccount.filter(({ time }) => time <= second).map(({ transaction }) => transaction))

/** The transactions up to a second that are not stored. */
const lacking = (memory: ReturnType<typeof Memory.make>, second: number) => {
  const stored = new Set<string>(found(memory))
  return [...wanted(second)].filter((one) => !stored.has(one))
}

describe("a machine whose clock is wrong", () => {
  it.effect("extends an export up to the service's now, says by how much it differs, and later nights lack nothing", () =>
    Effect.gen(function*() {
      const memory = yield* begun
      assert.deepStrictEqual(yield* night(memory, firstNight, 10 * day), [{ _tag: "ClockDiffers", seconds: -10 * day }])
      const { to } = memory.manifest() ?? { to: 0 }
      assert.isAtMost(Math.abs(to - (firstNight - 60)), 2)
      for (const later of [1, 5, 30]) {
        assert.deepStrictEqual(yield* night(memory, firstNight + later * day, 0), [])
        assert.deepStrictEqual<ReadonlySet<string>>(found(memory), wanted(firstNight + later * day - 60))
      }
    }))

  it.effect("reads up to the service's now also if it is behind", () =>
    Effect.gen(function*() {
      const memory = yield* begun
      assert.deepStrictEqual(yield* night(memory, firstNight, -10 * day), [{ _tag: "ClockDiffers", seconds: 10 * day }])
      assert.deepStrictEqual<ReadonlySet<string>>(found(memory), wanted(firstNight - 60))
    }))

  it.effect("believes a record that is newer than the service's time, up to its own", () =>
    Effect.gen(function*() {
      const memory = yield* begun
      yield* Stream.runDrain(Exports.catchUp({ sink: memory.sink })).pipe(
        Effect.provide(serviceAt(firstNight, true, firstNight - 5 * day)),
        Effect.withClock(clockFrom(firstNight))
      )
      assert.isAbove(wanted(firstNight - 60).size, wanted(firstNight - 5 * day).size)
      assert.deepStrictEqual(lacking(memory, firstNight - 60), [])
    }))

  it.effect("works with the time of a sandbox that has a clock of its own, and says nothing of it", () =>
    Effect.gen(function*() {
      const memory = yield* begun
      assert.deepStrictEqual(yield* night(memory, firstNight, 1000 * day, false), [])
      assert.deepStrictEqual<ReadonlySet<string>>(found(memory), wanted(firstNight - 60))
    }))

  it.effect("goes on with a plan that a clock ahead has stored: what came in the meantime is found", () =>
    Effect.gen(function*() {
      const memory = yield* begun
      // A program of the version before took its own time for the end.
      const stored = yield* Effect.scoped(Effect.flatMap(memory.sink.open(), (session) => session.plan))
      const ahead = yield* Plan.extend(stored, firstNight + 10 * day)
      yield* Effect.scoped(Effect.flatMap(memory.sink.open(), (session) => session.extend(ahead)))
      yield* Exports.run({ sink: memory.sink }).pipe(Effect.provide(serviceAt(firstNight)))
      for (const later of [1, 3, 5, 7, 9, 11]) {
        yield* night(memory, firstNight + later * day, 0)
        assert.deepStrictEqual(lacking(memory, firstNight + later * day - 60), [])
      }
    }))
})

/** A service whose answers say what `date` makes of the request's number, and that may refuse what lies in the future. */
const saying = (date: (request: number, now: number) => number, refusesFuture: boolean) => {
  const time = { now: records.began + 2 * day, requests: 0 }
  let service = { at: 0, history: new HistoryService([]) }
  const real = Clock.make()
  const clock: Clock.Clock = {
    ...clockFrom(0),
    unsafeCurrentTimeMillis: () => time.now * 1000,
    currentTimeMillis: Effect.sync(() => time.now * 1000),
    sleep: () => real.sleep(Duration.millis(1))
  }
  const over = Service.layer(Service.wire((target) => {
    if (service.at !== time.now) {
      service = { at: time.now, history: new HistoryService(history.filter((one) => one.time <= time.now)) }
    }
    const range = new URL(target, "http://service").searchParams.get("range") ?? ""
    const to = Number(range.split(",")[1])
    const headers = { date: new Date(date(time.requests++, time.now) * 1000).toUTCString() }
    return refusesFuture && to > time.now + 60
      ? { status: 400, body: JSON.stringify({ code: 1040011, message: "out of range", requestId: "r" }), headers }
      : { ...service.history.answer(target), headers }
  }))
  return {
    time,
    run: <A, E>(use: Effect.Effect<A, E, TransferHistory>) => use.pipe(Effect.provide(over), Effect.withClock(clock))
  }
}

const in2040 = Date.UTC(2040, 0, 1) / 1000

/** When a service says 2040: once, or in all answers of the first night. */
const wrongDates = {
  once: (request: number, now: number) => request === 1 ? in2040 : now,
  "for a night": (_: number, now: number) => now < records.began + 12 * day ? in2040 : now
}

describe.each(Object.entries(wrongDates))("an export of a service that says 2040 %s", (_, date) => {
  const started = (time: { now: number }, memory: ReturnType<typeof Memory.make>) =>
    Effect.gen(function*() {
      const range = yield* Range.time({ from: records.began })
      const plan = yield* Plan.make({ accounts: [account], range, windows: 1 })
      yield* Exports.run({ plan, sink: memory.sink })
      time.now = records.began + 10 * day
    })

  for (const refusesFuture of [false, true]) {
    it.live(
      `lacks nothing in later nights, is complete, and asks as often as ever${
        refusesFuture ? ", also of an index that refuses the future" : ""
      }`,
      () =>
        Effect.gen(function*() {
          const memory = Memory.make()
          const { run, time } = saying(date, refusesFuture)
          yield* run(started(time, memory))
          const requests: Array<number> = []
          let complete: unknown
          for (const passed of [0, 5, 1, 1, 30, 1]) {
            time.now += passed * day
            const before = time.requests
            yield* run(Stream.runForEach(Exports.catchUp({ sink: memory.sink, recheck: "3 days" }), (event) =>
              Effect.sync(() => {
                if (event._tag === "Finished") complete = event.manifest.complete
              })))
            requests.push(time.requests - before)
            if (passed > 0) {
              assert.deepStrictEqual(lacking(memory, time.now - 120), [], `after ${passed} days`)
            }
          }
          assert.strictEqual(complete, "yes")
          assert.isBelow(requests.at(-1) ?? 0, 8)
        })
    )

    it.live(`goes on in a tail${refusesFuture ? " of an index that refuses the future" : ""}`, () =>
      Effect.gen(function*() {
        const memory = Memory.make()
        const { run, time } = saying(date, refusesFuture)
        yield* run(started(time, memory))
        const requests: Array<number> = []
        let complete: unknown
        yield* run(
          Exports.tail({ sink: memory.sink }).pipe(
            Stream.filterMap((event) => event._tag === "Finished" ? Option.some(event.manifest) : Option.none()),
            Stream.tap((manifest) =>
              Effect.sync(() => {
                complete = manifest.complete
                requests.push(time.requests)
                time.now += 2 * day
              })
            ),
            Stream.take(8),
            Stream.runDrain
          )
        )
        assert.deepStrictEqual(lacking(memory, time.now - 5 * day), [])
        assert.strictEqual(complete, "yes")
        assert.isBelow((requests.at(-1) ?? 0) - (requests.at(-2) ?? 0), 4)
      }))
  }
})

for (const [name, open] of databases) {
  describe(`a budget on ${name}`, () => {
    it.scoped("stores no place in time where no rate was asked for, and believes none that is far ahead", () =>
      Effect.gen(function*() {
        const { layer } = yield* open
        yield* Effect.gen(function*() {
          const sql = yield* SqlClient
          const unlimited = yield* SqlSink.budget({ perDay: 100 })
          yield* unlimited.take
          assert.deepStrictEqual(
            (yield* sql<{ readonly free_at: unknown }>`SELECT free_at FROM export_budget`).map(({ free_at }) =>
              Number(free_at)
            ),
            [0]
          )
          // What a clock that is ten days ahead has left.
          const ahead = (Date.now() + 10 * day * 1000) * 1000
          yield* sql.unsafe(`UPDATE export_budget SET free_at = ${ahead}`)
          yield* unlimited.take
          const limited = yield* SqlSink.budget({ perSecond: 1000 })
          yield* limited.take
          yield* limited.take
          const [{ free_at } = { free_at: 0 }] = yield* sql<
            { readonly free_at: unknown }
          >`SELECT free_at FROM export_budget`
          assert.isBelow(Number(free_at), ahead - day * 1_000_000)
        }).pipe(Effect.provide(layer), Effect.withClock(clockFrom(Date.now() / 1000)))
      }))
  })
}
