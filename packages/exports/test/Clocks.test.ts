/** Machines whose clock is wrong: the service's time counts, and the database's. */
import * as Range from "@effect-klaytn/history/Range"
import { SqlClient } from "@effect/sql/SqlClient"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
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
const serviceAt = (second: number, isReal = true) => {
  const service = new HistoryService(history.filter(({ time }) => time <= second))
  const headers: Readonly<Record<string, string>> = isReal
    ? { date: new Date(second * 1000).toUTCString() }
    : { "x-sandbox-time": String(second) }
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

const begin = (memory: ReturnType<typeof Memory.make>) =>
  Effect.gen(function*() {
    const range = yield* Range.time({ from: records.began, to: records.began + day })
    const plan = yield* Plan.make({ accounts: [account], range, windows: 1 })
    yield* Exports.run({ plan, sink: memory.sink })
  }).pipe(Effect.provide(serviceAt(records.began + 2 * day)), Effect.withClock(clockFrom(records.began + 2 * day)))

/** The transactions that are stored, and those that there are up to a second. */
const found = ({ rows }: ReturnType<typeof Memory.make>) =>
  new Set([...rows.values()].map((row) => row.transaction_hash))

const wanted = (second: number) =>
  new Set<string>(ofAccount.filter(({ time }) => time <= second).map(({ transaction }) => transaction))

describe("a machine whose clock is wrong", () => {
  it.effect("extends an export up to the service's now, says by how much it differs, and later nights lack nothing", () =>
    Effect.gen(function*() {
      const memory = Memory.make()
      yield* begin(memory)
      const at = records.began + 20 * day
      assert.deepStrictEqual(yield* night(memory, at, 10 * day), [{ _tag: "ClockDiffers", seconds: -10 * day }])
      const { to } = memory.manifest() ?? { to: 0 }
      assert.isAtMost(Math.abs(to - (at - 60)), 2)
      for (const later of [1, 5, 30]) {
        assert.deepStrictEqual(yield* night(memory, at + later * day, 0), [])
        assert.deepStrictEqual<ReadonlySet<string>>(found(memory), wanted(at + later * day - 60))
      }
    }))

  it.effect("reads up to the service's now also if it is behind", () =>
    Effect.gen(function*() {
      const memory = Memory.make()
      yield* begin(memory)
      const at = records.began + 20 * day
      assert.deepStrictEqual(yield* night(memory, at, -10 * day), [{ _tag: "ClockDiffers", seconds: 10 * day }])
      assert.deepStrictEqual<ReadonlySet<string>>(found(memory), wanted(at - 60))
    }))

  it.effect("works with the time of a sandbox that has a clock of its own, and says nothing of it", () =>
    Effect.gen(function*() {
      const memory = Memory.make()
      yield* begin(memory)
      const at = records.began + 20 * day
      assert.deepStrictEqual(yield* night(memory, at, 1000 * day, false), [])
      assert.deepStrictEqual<ReadonlySet<string>>(found(memory), wanted(at - 60))
    }))

  it.effect("goes on with a plan that a clock ahead has stored: what came in the meantime is found", () =>
    Effect.gen(function*() {
      const memory = Memory.make()
      yield* begin(memory)
      const at = records.began + 20 * day
      // A program of the version before took its own time for the end.
      const stored = yield* Effect.scoped(Effect.flatMap(memory.sink.open(), (session) => session.plan))
      const ahead = yield* Plan.extend(stored, at + 10 * day)
      yield* Effect.scoped(Effect.flatMap(memory.sink.open(), (session) => session.extend(ahead)))
      yield* Exports.run({ sink: memory.sink }).pipe(Effect.provide(serviceAt(at)))
      for (const later of [1, 3, 5, 7, 9, 11]) {
        yield* night(memory, at + later * day, 0)
        assert.deepStrictEqual<ReadonlySet<string>>(found(memory), wanted(at + later * day))
      }
    }))
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
