import * as Testing from "@effect-klaytn/core/Testing"
import * as Range from "@effect-klaytn/history/Range"
import { assert, describe, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import * as records from "../../../drills/exports/records.js"
import { HistoryService } from "../../../drills/exports/service.js"
import * as Budget from "../src/Budget.js"
import * as Exports from "../src/Exports.js"
import * as Plan from "../src/Plan.js"
import * as Memory from "./support/memory.js"
import * as Service from "./support/service.js"

const accounts = [0, 1, 2].map(records.addressOf)
const history = records.make({ seed: "exports", transfers: 1_200, accounts: 4, misshapen: 0.01 })
const truth = records.expected(history, new Set(accounts))
const range = Either.getOrThrow(Range.time({ from: records.began, to: records.began + records.lasts }))

const planned = (more: Partial<Plan.Options> = {}) => Plan.make({ accounts, range, size: 50, ...more })

/** Everything that is missing or doubled in a memory sink. */
const audit = (memory: ReturnType<typeof Memory.make>) => ({
  rows: records.compare(truth.rows, records.tally([...memory.rows.values()].map((row) => records.exportedKey(row)))),
  rejected: records.compare(truth.rejected, records.tally([...memory.rejected.values()].map(({ raw }) => raw)))
})

const nothingWrong = { rows: { missing: 0, doubled: 0 }, rejected: { missing: 0, doubled: 0 } }

/** Lets answers that are on their way arrive. */
const turn = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))

/** Runs under the test clock, which moves on whenever the export waits. */
const inTime = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const fiber = yield* Effect.fork(effect)
    while ((yield* Fiber.poll(fiber))._tag === "None") {
      yield* TestClock.adjust(Duration.millis(200))
      yield* turn
    }
    return yield* Fiber.join(fiber)
  })

describe("an export", () => {
  it.effect("holds every record once: equal ones of a transaction, and those that accounts share", () =>
    Effect.gen(function*() {
      const memory = Memory.make()
      const manifest = yield* Exports.run({ plan: yield* planned(), sink: memory.sink })
      assert.deepStrictEqual(audit(memory), nothingWrong)
      assert.strictEqual(manifest.complete, "except-rejected")
      assert.strictEqual(manifest.rows, memory.rows.size)
      assert.isAbove(manifest.rejected, 0)
      assert.isAbove(manifest.left, 0)
      assert.isTrue([...memory.rows.values()].some(({ equal_index }) => equal_index > 3))
    }).pipe(Effect.provide(Service.of(new HistoryService(history)))))

  it.effect("names its newest row and its oldest, of all accounts", () =>
    Effect.gen(function*() {
      for (const order of [accounts, [...accounts].reverse()]) {
        const memory = Memory.make()
        const manifest = yield* Exports.run({ plan: yield* planned({ accounts: order }), sink: memory.sink })
        const times = [...memory.rows.values()].flatMap(({ unix }) => unix ?? [])
        assert.strictEqual(manifest.first?.unix, Math.max(...times))
        assert.strictEqual(manifest.last?.unix, Math.min(...times))
      }
    }).pipe(Effect.provide(Service.of(new HistoryService(history)))))

  it.effect("names its newest row also if that was indexed late", () =>
    Effect.gen(function*() {
      const own = history.filter(({ from, misshapen, to }) =>
        !misshapen && accounts.some((one) => one === from || one === to)
      )
      const newest = own.at(-1)
      const early = new HistoryService(history.filter(({ time }) => time !== newest?.time))
      const memory = Memory.make()
      yield* Exports.run({ plan: yield* planned(), sink: memory.sink }).pipe(Effect.provide(Service.of(early)))
      yield* Stream.runDrain(Exports.reconcile({ sink: memory.sink, repair: true })).pipe(
        Effect.provide(Service.of(new HistoryService(history)))
      )
      assert.strictEqual((yield* Exports.manifest(memory.sink)).first?.unix, newest?.time)
    }))

  it.effect("goes on where it was stopped, at any request, and requests nothing once it is complete", () =>
    Effect.gen(function*() {
      const memory = Memory.make()
      const service = new HistoryService(history)
      const plan = yield* planned({ windows: 3 })
      const budget = Budget.make({ perRun: 7 })
      let runs = 0
      for (;;) {
        runs++
        const done = yield* Exports.run({ plan, sink: memory.sink, budget: yield* budget, concurrency: 3 }).pipe(
          Effect.either,
          Effect.provide(Service.of(service))
        )
        if (Either.isRight(done)) break
        assert.strictEqual(done.left._tag, "BudgetExhausted")
        assert.isBelow(runs, 100)
      }
      assert.deepStrictEqual(audit(memory), nothingWrong)
      assert.isAbove(runs, 3)
      const before = service.requests
      const manifest = yield* Exports.run({ sink: memory.sink }).pipe(Effect.provide(Service.of(service)))
      assert.strictEqual(service.requests, before)
      assert.strictEqual(manifest.rows, memory.rows.size)
    }))

  it.effect("holds every record once when pages name cursors again, stopped at any request", () =>
    Effect.gen(function*() {
      const short = records.make({ seed: "again", transfers: 300, accounts: 4 })
      const memory = Memory.make()
      const service = new HistoryService(short, { repeating: 0.15, random: records.random("one") })
      const plan = yield* planned({ windows: 2, size: 8 })
      for (let runs = 0;; runs++) {
        const budget = yield* Budget.make({ perRun: 1 + runs % 9 })
        const done = yield* Exports.run({ plan, sink: memory.sink, budget, concurrency: 1 }).pipe(
          Effect.either,
          Effect.provide(Service.of(service))
        )
        if (Either.isRight(done)) break
        assert.include(["BudgetExhausted", "CursorLost"], done.left._tag)
        assert.isBelow(runs, 200)
      }
      assert.isAbove(service.struck.cursorsRepeated, 2)
      const found = records.tally([...memory.rows.values()].map((row) => records.exportedKey(row)))
      assert.deepStrictEqual(records.compare(records.expected(short, new Set(accounts)).rows, found), {
        missing: 0,
        doubled: 0
      })
    }))

  it.effect("stores a page that names its own cursor once, whatever happens between that and the next run", () =>
    Effect.gen(function*() {
      const memory = Memory.make()
      const service = new HistoryService(history)
      let own: string | undefined
      // The second page of each search names its own cursor, until another process asks.
      let repeats = true
      const wire = Service.wire((target) => {
        const answer = service.answer(target)
        const cursor = new URL(target, "http://service").searchParams.get("cursor")
        const place = cursor?.split("-")[0]
        if (!repeats || place === undefined || (own !== undefined && own !== place)) return answer
        own = place
        return { ...answer, body: JSON.stringify({ ...JSON.parse(answer.body), cursor }) }
      })
      const plan = yield* planned({ accounts: [records.addressOf(0)], windows: 1, size: 10 })
      const run = Exports.run({ plan, sink: memory.sink, concurrency: 1 }).pipe(Effect.provide(Service.layer(wire)))
      const failed = yield* Effect.flip(run)
      assert.strictEqual(failed._tag, "CursorLost")
      const open = [...memory.states.values()].filter(({ status }) => status === "open")
      assert.deepStrictEqual(open.map(({ checkpoint }) => checkpoint?.pages), [1])
      repeats = false
      yield* run
      const one = records.expected(history, new Set([records.addressOf(0)]))
      const found = records.tally([...memory.rows.values()].map((row) => records.exportedKey(row)))
      assert.deepStrictEqual(records.compare(one.rows, found), { missing: 0, doubled: 0 })
    }))

  it.effect("stores records once that the service repeats at the border of two pages, equal ones as often as there are", () =>
    Effect.gen(function*() {
      const memory = Memory.make()
      const service = new HistoryService(history, { overlapping: 0.5, random: records.random("overlaps") })
      const manifest = yield* Exports.run({ plan: yield* planned({ windows: 2, size: 10 }), sink: memory.sink }).pipe(
        Effect.provide(Service.of(service))
      )
      assert.isAbove(service.struck.recordsRepeated, 10)
      assert.deepStrictEqual(audit(memory).rows, nothingWrong.rows)
      assert.isTrue([...memory.rows.values()].some(({ equal_index }) => equal_index > 3))
      assert.strictEqual(manifest.overlaps, 0)
    }))

  it.effect("counts records at a border of which nothing says how many there are", () =>
    Effect.gen(function*() {
      const timeless = history.map((record) => {
        const { timestamp: _, ...wire } = record.wire
        const { timestamp: _time, ...transaction } = (wire["transaction"] ?? {}) as Record<string, unknown>
        return { ...record, wire: "transaction" in wire ? { ...wire, transaction } : wire }
      })
      const memory = Memory.make()
      const service = new HistoryService(timeless, { overlapping: 0.5, random: records.random("overlaps") })
      const manifest = yield* Exports.run({ plan: yield* planned({ windows: 2, size: 10 }), sink: memory.sink }).pipe(
        Effect.provide(Service.of(service))
      )
      const { doubled, missing } = audit(memory).rows
      assert.strictEqual(missing, 0)
      assert.isAbove(doubled, 0)
      assert.isAtLeast(manifest.overlaps, doubled)
      assert.strictEqual(manifest.overlaps, manifest.windows.reduce((sum, { overlaps }) => sum + overlaps, 0))
    }))

  it.effect("has the same checksum however it is split", () =>
    Effect.gen(function*() {
      const one = yield* Exports.run({ plan: yield* planned({ windows: 2 }), sink: Memory.make().sink })
      const other = yield* Exports.run({ plan: yield* planned({ windows: 40, size: 7 }), sink: Memory.make().sink })
      assert.strictEqual(one.checksum, other.checksum)
      assert.notStrictEqual(one.checksum, "0".repeat(32))
    }).pipe(Effect.provide(Service.of(new HistoryService(history)))))

  it.effect("slows down for a service that throttles, and fails for none of its troubles", () =>
    Effect.gen(function*() {
      const memory = Memory.make()
      const events = yield* inTime(Stream.runCollect(Exports.events({ plan: yield* planned(), sink: memory.sink })))
      assert.deepStrictEqual(audit(memory), nothingWrong)
      const tags = new Set(Chunk.toReadonlyArray(events).map(({ _tag }) => _tag))
      for (
        const tag of ["Started", "PageStored", "Throttled", "Retrying", "WindowRestarted", "WindowClosed"] as const
      ) {
        assert.isTrue(tags.has(tag), tag)
      }
      const last = Chunk.unsafeLast(events)
      assert.strictEqual(last._tag === "Finished" && last.manifest.complete, "except-rejected")
    }).pipe(
      Effect.provide(
        Service.of(
          new HistoryService(history, { throttled: 0.1, failing: 0.1, dying: 0.05, random: records.random("troubles") })
        )
      )
    ))

  it.effect("fails with the last error when no page comes for as long as it is patient", () =>
    Effect.gen(function*() {
      const memory = Memory.make()
      const failed = yield* inTime(Effect.flip(
        Exports.run({ plan: yield* planned({ windows: 1 }), sink: memory.sink, giveUpAfter: "20 seconds" })
      ))
      assert.strictEqual(failed._tag, "Unavailable")
    }).pipe(Effect.provide(Service.of(new HistoryService(history, { failing: 1, random: () => 0.5 })))))

  it.effect("asks for fewer records at once where a page is longer than the client reads, also after it was stopped", () =>
    Effect.gen(function*() {
      const memory = Memory.make()
      const plan = yield* planned({ windows: 2, size: 1000 })
      for (let perRun = 3;; perRun += 5) {
        const budget = yield* Budget.make({ perRun })
        if ((yield* Effect.exit(Exports.run({ plan, sink: memory.sink, budget })))._tag === "Success") break
      }
      assert.deepStrictEqual(audit(memory), nothingWrong)
      assert.deepStrictEqual([...yield* Stream.runCollect(Exports.reconcile({ sink: memory.sink }))], [])
    }).pipe(Effect.provide(Service.of(new HistoryService(history), { maxResponseBytes: 15_000 }))))

  it.effect("stores all other accounts before it fails for one that can't be read", () =>
    Effect.gen(function*() {
      const memory = Memory.make()
      const service = new HistoryService(history)
      const [, sick = ""] = accounts
      const wire = Service.wire((target) =>
        target.includes(sick) ? { status: 200, body: "{}" } : service.answer(target)
      )
      const failed = yield* inTime(
        Effect.flip(Exports.run({ plan: yield* planned({ windows: 4 }), sink: memory.sink })).pipe(
          Effect.provide(Service.layer(wire))
        )
      )
      assert.strictEqual(failed._tag, "MalformedResponse")
      const { sources, windows } = memory.manifest() ?? assert.fail()
      for (const { source, status } of windows) {
        const one = sources[source]
        assert.strictEqual(status === "closed", one?._tag === "Account" && one.address !== sick)
      }
      assert.isAbove(memory.rows.size, 20)
    }))

  it.effect("fails after a minute if nothing ever answers at its address", () =>
    Effect.gen(function*() {
      const memory = Memory.make()
      const began = yield* Clock.currentTimeMillis
      const wire = Testing.wire(() => Effect.fail("connection refused"))
      const failed = yield* inTime(
        Effect.flip(Exports.run({ plan: yield* planned({ windows: 4 }), sink: memory.sink })).pipe(
          Effect.provide(Service.layer(wire)),
          Effect.zipLeft(Effect.tap(Clock.currentTimeMillis, (now) => assert.isAtMost(now - began, 60_000)))
        )
      )
      assert.strictEqual(failed._tag, "TransportFailed")
    }))

  it.effect("is as patient after a sink that took longer than that", () =>
    Effect.gen(function*() {
      const memory = Memory.make()
      const service = new HistoryService(history)
      let failing = false
      const answers = Service.wire((target) => {
        if (!failing) return service.answer(target)
        failing = false
        return { status: 503, body: "" }
      })
      let commits = 0
      const slow: typeof memory.sink = {
        open: (plan) =>
          Effect.map(memory.sink.open(plan), (session) => ({
            ...session,
            commit: (page) =>
              ++commits === 3
                ? Effect.zipRight(
                  Effect.sleep("1 minute"),
                  Effect.suspend(() => {
                    failing = true
                    return session.commit(page)
                  })
                )
                : session.commit(page)
          }))
      }
      yield* inTime(
        Exports.run({ plan: yield* planned(), sink: slow, concurrency: 1, giveUpAfter: "10 seconds" }).pipe(
          Effect.provide(Service.layer(answers))
        )
      )
      assert.isFalse(failing)
      assert.deepStrictEqual(audit(memory), nothingWrong)
    }))

  it.effect("fails typed when the cursors of a window always die at the same page", () =>
    Effect.gen(function*() {
      const service = new HistoryService(history)
      let count = 0
      const dying = Service.wire((target) => {
        count = /cursor=/.test(target) ? count + 1 : 0
        return count >= 2
          ? { status: 400, body: JSON.stringify({ code: 1040010, message: "cursor" }) }
          : service.answer(target)
      })
      const plan = yield* planned({ accounts: [records.addressOf(0)], windows: 2 })
      const failed = yield* Effect.flip(
        Exports.run({ plan, sink: Memory.make().sink, concurrency: 1 }).pipe(Effect.provide(Service.layer(dying)))
      )
      assert.strictEqual(failed._tag, "CursorLost")
      assert.include(failed.message, "plan more windows")
    }))

  it.effect("marks windows that the service refuses as out of reach, and says beforehand which", () =>
    Effect.gen(function*() {
      const memory = Memory.make()
      const plan = yield* planned({ windows: 10 })
      const refused = yield* Exports.unreachable(plan)
      const manifest = yield* Exports.run({ plan, sink: memory.sink })
      const marked = manifest.windows.filter(({ status }) => status === "unreachable").map(({ window }) => window)
      assert.deepStrictEqual(marked, refused.map(({ index }) => index))
      assert.strictEqual(marked.length, 9)
      assert.strictEqual(manifest.complete, "no")
    }).pipe(
      Effect.provide(Service.of(new HistoryService(history, { reach: records.began + records.lasts * 0.25 })))
    ))

  it.effect("asks again for windows that the service refused, each time it runs, and is whole once they are served", () =>
    Effect.gen(function*() {
      const memory = Memory.make()
      const plan = yield* planned({ windows: 10 })
      const half = new HistoryService(history, { reach: records.began + records.lasts * 0.55 })
      const first = yield* Exports.run({ plan, sink: memory.sink }).pipe(Effect.provide(Service.of(half)))
      const holes = first.windows.filter(({ status }) => status === "unreachable")
      assert.isAbove(holes.length, 9)
      const before = half.requests
      const again = yield* Stream.runCollect(Exports.events({ sink: memory.sink })).pipe(
        Effect.provide(Service.of(half))
      )
      assert.strictEqual(half.requests - before, holes.length)
      const refused = Chunk.toReadonlyArray(again).filter(({ _tag }) => _tag === "WindowUnreachable")
      assert.strictEqual(refused.length, holes.length)
      const reported = yield* Stream.runCollect(Exports.reconcile({ sink: memory.sink, repair: true })).pipe(
        Effect.provide(Service.of(half))
      )
      assert.deepStrictEqual(
        Chunk.toReadonlyArray(reported).map(({ problem, status }) => [status, problem?.includes("out of range")]),
        holes.map(({ status }) => [status, true])
      )
      const manifest = yield* Exports.run({ sink: memory.sink }).pipe(
        Effect.provide(Service.of(new HistoryService(history)))
      )
      assert.strictEqual(manifest.complete, "except-rejected")
      assert.deepStrictEqual(audit(memory), nothingWrong)
    }))

  it.effect("is repaired by reconcile if the service serves a window again that it refused", () =>
    Effect.gen(function*() {
      const memory = Memory.make()
      const half = new HistoryService(history, { reach: records.began + records.lasts * 0.55 })
      yield* Exports.run({ plan: yield* planned({ windows: 10 }), sink: memory.sink }).pipe(
        Effect.provide(Service.of(half))
      )
      const reported = yield* Stream.runCollect(Exports.reconcile({ sink: memory.sink, repair: true })).pipe(
        Effect.provide(Service.of(new HistoryService(history)))
      )
      assert.isTrue(Chunk.every(reported, ({ repaired, status }) => repaired && status === "closed"))
      assert.isAbove(Chunk.size(reported), 9)
      assert.deepStrictEqual(audit(memory), nothingWrong)
    }))

  it.effect("is refused on another chain or host than it was begun on", () =>
    Effect.gen(function*() {
      const memory = Memory.make()
      const service = new HistoryService(history)
      const plan = yield* planned()
      const budget = yield* Budget.make({ perRun: 4 })
      yield* Effect.flip(Exports.run({ plan, sink: memory.sink, budget, concurrency: 1 })).pipe(
        Effect.provide(Service.of(service))
      )
      const failed = yield* Effect.flip(Exports.run({ plan, sink: memory.sink })).pipe(
        Effect.provide(Service.of(service, { chain: 8217 }))
      )
      assert.include(["ServiceMismatch", "InvalidInput"], failed._tag)
    }))

  it.effect("goes on through another address of the same index, and of no other one", () =>
    Effect.gen(function*() {
      const id = (chain: string, index: string) => `${chain.repeat(32)}-${index.repeat(32)}`
      /** The history at an address, of an index. */
      const at = (host: string, index?: string, chain: 1001 | 8217 = 1001) => {
        const service = new HistoryService(history)
        const headers = index === undefined ? {} : { "x-index-id": index }
        const wire = Service.wire((target) => ({ ...service.answer(target), headers }))
        return Service.layer(wire, { chain, endpoints: { history: `http://127.0.0.1:${host}` } })
      }
      const one = id("a", "1")
      const plan = yield* planned({ windows: 3 })
      /** An export that stopped in the middle of a list. */
      const begin = (index?: string) =>
        Effect.gen(function*() {
          const memory = Memory.make()
          const budget = yield* Budget.make({ perRun: 4 })
          yield* Effect.flip(Exports.run({ plan, sink: memory.sink, budget, concurrency: 1 })).pipe(
            Effect.provide(at("1001", index))
          )
          return memory
        })
      const memory = yield* begin(one)
      yield* Exports.run({ sink: memory.sink }).pipe(Effect.provide(at("1002", one)))
      assert.deepStrictEqual(audit(memory), nothingWrong)

      for (
        const [begun, other] of [
          // Another index, another chain with the same number, and services that say no index.
          [one, at("1002", id("a", "2"))],
          [one, at("1001", id("b", "1"))],
          [one, at("1002")],
          [undefined, at("1002", one)],
          [one, at("1002", one, 8217)]
        ] as const
      ) {
        const failed = yield* Effect.flip(
          Exports.run({ sink: (yield* begin(begun)).sink }).pipe(Effect.provide(other))
        )
        assert.include(["ServiceMismatch", "InvalidInput"], failed._tag)
      }
      // An index that was made again at the same address, of the same chain.
      const again = yield* begin(one)
      yield* Exports.run({ sink: again.sink }).pipe(Effect.provide(at("1001", id("a", "2"))))
      assert.deepStrictEqual(audit(again), nothingWrong)
      // Both indexes are the export's now, wherever they answer.
      for (const index of [one, id("a", "2")]) {
        const found = yield* Stream.runCollect(Exports.reconcile({ sink: again.sink })).pipe(
          Effect.provide(at("1002", index))
        )
        assert.strictEqual(found.length, 0)
      }
    }))

  it.effect("keeps no more pages in flight than windows, so a slow sink stops the fetching", () =>
    Effect.gen(function*() {
      const memory = Memory.make()
      // Without equal records, of which the number at a border is asked for.
      const service = new HistoryService(history.filter(({ kind }) => kind === "coin"))
      let committed = 0
      let most = 0
      const slow: typeof memory.sink = {
        open: (plan) =>
          Effect.map(memory.sink.open(plan), (session) => ({
            ...session,
            commit: (page) =>
              Effect.gen(function*() {
                most = Math.max(most, service.answered - committed)
                yield* Effect.sleep("1 second")
                const state = yield* session.commit(page)
                committed++
                return state
              })
          }))
      }
      yield* inTime(
        Exports.run({ plan: yield* planned(), sink: slow, concurrency: 4 }).pipe(Effect.provide(Service.of(service)))
      )
      assert.strictEqual(most, 4)
    }))
})

describe("kinds and blocks", () => {
  it.effect("exports only the kinds that were asked for, by blocks as well", () =>
    Effect.gen(function*() {
      const memory = Memory.make()
      const blocks = Either.getOrThrow(Range.blocks({ from: 0, to: 20_000 }))
      yield* Exports.run({ plan: yield* planned({ range: blocks, kinds: ["ft"] }), sink: memory.sink })
      const wanted = records.expected(history.filter(({ kind }) => kind === "ft"), new Set(accounts))
      assert.deepStrictEqual(
        records.compare(wanted.rows, records.tally([...memory.rows.values()].map((row) => records.exportedKey(row)))),
        { missing: 0, doubled: 0 }
      )
    }).pipe(Effect.provide(Service.of(new HistoryService(history)))))
})

describe("a budget", () => {
  it.effect("spaces requests and stops for the day, and goes on the next day", () =>
    Effect.gen(function*() {
      const memory = Memory.make()
      const plan = yield* planned({ windows: 2 })
      const budget = yield* Budget.make({ perSecond: 2, perDay: 12 })
      const run = Exports.run({ plan, sink: memory.sink, budget })
      const began = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
      const failed = yield* inTime(Effect.flip(run))
      assert.strictEqual(failed._tag, "BudgetExhausted")
      const took = (yield* Effect.clockWith((clock) => clock.currentTimeMillis)) - began
      assert.isAtLeast(took, 5_400)
      for (let day = 0; day < 5; day++) {
        yield* TestClock.adjust("1 day")
        if (Either.isRight(yield* inTime(Effect.either(run)))) break
      }
      assert.deepStrictEqual(audit(memory), nothingWrong)
    }).pipe(Effect.provide(Service.of(new HistoryService(history)))))

  it.effect("is refused if it is no number above 0", () =>
    Effect.gen(function*() {
      const failed = yield* Effect.flip(Budget.make({ perDay: 1.5 }))
      assert.deepStrictEqual(failed.path, ["perDay"])
    }))
})

describe("a tail", () => {
  it.effect("follows new transfers up to the settle delay, also over restarts, without a gap", () =>
    Effect.gen(function*() {
      const memory = Memory.make()
      const until = records.began + records.lasts
      yield* TestClock.setTime((until - 100_000) * 1000)
      const open = Either.getOrThrow(Range.time({ from: records.began }))
      const plan = yield* planned({ range: open, indexLag: "1 minute" })
      const settings = { sink: memory.sink, pollInterval: "1 hour", indexLag: "1 minute" } as const
      for (let restart = 0; restart < 3; restart++) {
        const fiber = yield* Effect.fork(Stream.runDrain(Exports.tail({ ...settings, plan })))
        for (let hour = 0; hour < 12; hour++) {
          yield* TestClock.adjust("1 hour")
          yield* turn
        }
        yield* Fiber.interrupt(fiber)
      }
      yield* inTime(Exports.run({ sink: memory.sink }))
      assert.deepStrictEqual(audit(memory), nothingWrong)
    }).pipe(Effect.provide(Service.of(new HistoryService(history)))))

  it.effect("leaves a late record to reconcile, which reports it and repairs the window", () =>
    Effect.gen(function*() {
      const memory = Memory.make()
      const late = history.filter(({ misshapen, time }) => !misshapen && time > records.began + 1000)[300]
      const early = new HistoryService(history.filter((record) => record !== late))
      const whole = new HistoryService(history)
      yield* Exports.run({ plan: yield* planned(), sink: memory.sink }).pipe(Effect.provide(Service.of(early)))
      const wrong = audit(memory).rows.missing
      assert.isAbove(wrong, 0)
      const reported = yield* Stream.runCollect(Exports.reconcile({ sink: memory.sink })).pipe(
        Effect.provide(Service.of(whole))
      )
      assert.deepStrictEqual(
        Chunk.toReadonlyArray(reported).map(({ extra, missing, repaired }) => [missing.length, extra.length, repaired]),
        [[wrong, 0, false]]
      )
      yield* Stream.runDrain(Exports.reconcile({ sink: memory.sink, repair: true })).pipe(
        Effect.provide(Service.of(whole))
      )
      assert.deepStrictEqual(audit(memory), nothingWrong)
      const again = yield* Stream.runCollect(Exports.reconcile({ sink: memory.sink })).pipe(
        Effect.provide(Service.of(whole))
      )
      assert.strictEqual(Chunk.size(again), 0)
    }))
})
