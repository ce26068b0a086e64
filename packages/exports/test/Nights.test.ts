/** Nightly runs: exports that are extended again and again, with records that are indexed late and runs that are killed. */
import * as Range from "@effect-klaytn/history/Range"
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as FileSystem from "@effect/platform/FileSystem"
import { SqlClient } from "@effect/sql/SqlClient"
import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { fileTallies, parquetTallies, sqlTallies, type Tallies } from "../../../drills/exports/audit.js"
import * as records from "../../../drills/exports/records.js"
import { HistoryService } from "../../../drills/exports/service.js"
import { databases } from "../../engine/test/support/databases.js"
import * as Exports from "../src/Exports.js"
import * as FileSink from "../src/FileSink.js"
import * as Plan from "../src/Plan.js"
import { type Sink, SinkError } from "../src/Sink.js"
import * as SqlSink from "../src/SqlSink.js"
import { clockFrom } from "./support/clock.js"
import * as Killed from "./support/killed.js"
import * as Memory from "./support/memory.js"
import * as Service from "./support/service.js"

const two = [0, 1].map(records.addressOf)
const one = two.slice(0, 1)
const indexLag = 60

/** A store that outlives the processes that export to it. */
interface Store {
  /** A process that exports, and dies at a step of its store. */
  readonly process: <A, E>(
    life: Killed.Life,
    use: (sink: Sink) => Effect.Effect<A, E>
  ) => Effect.Effect<A, unknown>
  readonly found: Effect.Effect<Tallies, unknown>
}

interface Case {
  readonly name: string
  /** Whether its steps differ from those of a case before it. */
  readonly isOwn: boolean
  readonly make: Effect.Effect<Store, never, Scope.Scope>
}

const files = (format: "ndjson" | "csv" | "parquet"): Case => ({
  name: format,
  isOwn: format === "ndjson",
  make: Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const directory = `${yield* Effect.orDie(fs.makeTempDirectoryScoped())}/export`
    const store: Store = {
      found: format === "parquet"
        ? Effect.promise(() => parquetTallies(directory))
        : Effect.sync(() => fileTallies(directory)),
      process: (life, use) =>
        Effect.gen(function*() {
          // The process of this test lives, so nobody else takes over the lock of one that was killed.
          yield* fs.remove(`${directory}/export.lock`, { force: true })
          const mortal = FileSystem.FileSystem.of(Killed.fileSystem(fs, life))
          const sink = yield* Effect.provideService(FileSink.make({ directory, format }), FileSystem.FileSystem, mortal)
          return yield* use(sink)
        }).pipe(Effect.provide(NodeContext.layer))
    }
    return store
  }).pipe(Effect.provide(NodeContext.layer))
})

const database = ([name, open]: (typeof databases)[number], moment: "before" | "after"): Case => ({
  name: `a step that is killed ${moment} its commit on ${name}`,
  isOwn: true,
  make: Effect.map(open, ({ layer }) => ({
    found: Effect.flatMap(SqlClient, sqlTallies).pipe(Effect.provide(layer)),
    process: (life, use) =>
      Effect.flatMap(SqlSink.make(), (sink) => use(Killed.sink(sink, life, moment))).pipe(Effect.provide(layer))
  }))
})

const cases: ReadonlyArray<Case> = [
  files("ndjson"),
  files("csv"),
  files("parquet"),
  ...databases.flatMap((one) => [database(one, "before"), database(one, "after")])
]

/** A history of so many nights, of which a share of the records is indexed late. */
const world = (
  { accounts, late, nights, recheckNights, transfers }: {
    readonly accounts: ReadonlyArray<string>
    readonly transfers: number
    readonly late: number
    readonly nights: number
    readonly recheckNights: number
  }
) => {
  const seed = "nights"
  const history = records.make({ seed, transfers, accounts: 3, misshapen: 0.01 })
  const next = records.random(`${seed} late`)
  const interval = Math.floor(records.lasts / nights)
  const recheck = Math.round(interval * recheckNights)
  const indexedAt = new Map(
    history.map((record) => [record, record.time + (next() < late ? Math.floor(next() * recheck) : 0)])
  )
  /** When a night's run begins. */
  const nightAt = (night: number): number => records.began + (night + 1) * interval
  const shownAt = (second: number) => history.filter((record) => (indexedAt.get(record) ?? 0) <= second)
  const range = Range.time({ from: records.began })
  return {
    lateByNights: [...indexedAt].filter(([record, at]) => at > record.time + interval).length,
    nightAt,
    /** The command of every night: the plan is made anew each time. */
    run: (store: Store, night: number, life = new Killed.Life(Number.POSITIVE_INFINITY)) => {
      const now = nightAt(night)
      return store.process(life, (sink) =>
        Effect.gen(function*() {
          const plan = yield* Plan.make({ accounts, range: yield* range, size: 40, windows: 1, indexLag: "1 minute" })
          let rows = 0
          yield* Exports.catchUp({ plan, sink, recheck: `${recheck} seconds`, indexLag: "1 minute" }).pipe(
            Stream.runForEach((event) =>
              Effect.sync(() => {
                if (event._tag === "Finished") rows = event.manifest.rows
              })
            )
          )
          return rows
        }).pipe(Effect.provide(Service.of(new HistoryService(shownAt(now)))), Effect.withClock(clockFrom(now))))
    },
    /** What is missing and doubled in a store after the run of a night. */
    audit: (store: Store, night: number) =>
      Effect.gen(function*() {
        const now = nightAt(night)
        const truth = records.expected(
          shownAt(now).filter(({ time }) => time <= now - indexLag),
          new Set(accounts)
        )
        const found = yield* store.found
        return {
          rows: records.compare(truth.rows, found.rows),
          rejected: records.compare(truth.rejected, found.rejected)
        }
      })
  }
}

const nothingWrong = { rows: { missing: 0, doubled: 0 }, rejected: { missing: 0, doubled: 0 } }

/** More make each store's test longer and find no more: a sandbox has thirty in another test. */
const nights = 12

/** The nights whose runs are killed, and at which step. */
const killedAt = new Map([[4, 3], [7, 2]])

const wasKilled = (exit: Exit.Exit<unknown, unknown>): boolean =>
  Exit.isFailure(exit) && Cause.pretty(exit.cause).includes("killed")

for (const { isOwn, make, name } of cases) {
  describe(`an export that is extended each night, into ${name}`, () => {
    it.scopedLive(
      `holds everything that the service shows once, over ${nights} nights of which two are killed`,
      () =>
        Effect.gen(function*() {
          const { audit, lateByNights, run } = world({
            accounts: two,
            transfers: 750,
            late: 0.1,
            nights,
            recheckNights: 2.5
          })
          assert.isAbove(lateByNights, 15)
          const store = yield* make
          for (let night = 0; night < nights; night++) {
            const last = killedAt.get(night)
            const exit = yield* Effect.exit(run(store, night, new Killed.Life(last ?? Number.POSITIVE_INFINITY)))
            if (last !== undefined) assert.isTrue(wasKilled(exit), `night ${night} is killed`)
            else {
              assert.isTrue(Exit.isSuccess(exit), String(exit))
              // A record that was lost or stored twice stays so.
              if (night % 3 === 2) assert.deepStrictEqual(yield* audit(store, night), nothingWrong, `night ${night}`)
            }
          }
        }),
      120_000
    )

    if (!isOwn) return
    it.scopedLive("may be killed between any two writes of a night", () =>
      Effect.gen(function*() {
        const { audit, run } = world({ accounts: one, transfers: 100, late: 0.25, nights: 3, recheckNights: 1.5 })
        let kills = 0
        for (let last = 1;; last++) {
          const store = yield* make
          // The first night is killed too, at the same step, and run again.
          const first = yield* Effect.exit(run(store, 0, new Killed.Life(last)))
          if (!Exit.isSuccess(first)) yield* run(store, 0)
          assert.deepStrictEqual(yield* audit(store, 0), nothingWrong, `first night, step ${last}`)
          const second = yield* Effect.exit(run(store, 1, new Killed.Life(last)))
          if (Exit.isSuccess(second) && Exit.isSuccess(first)) break
          for (const exit of [first, second]) if (wasKilled(exit)) kills++
          yield* run(store, 2)
          assert.deepStrictEqual(yield* audit(store, 2), nothingWrong, `second night, step ${last}`)
        }
        assert.isAbove(kills, 8)
      }), 300_000)
  })
}

describe("a catch-up", () => {
  const history = records.make({ seed: "catch-up", transfers: 200, accounts: 1 })
  const half = records.began + records.lasts / 2
  const days = (count: number): number => count * 86_400
  const open = Range.time({ from: records.began })
  const planAt = (now: number, more: Partial<Plan.Options> = {}) =>
    Effect.flatMap(open, (range) => Plan.make({ accounts: one, range, windows: 2, ...more })).pipe(
      Effect.withClock(clockFrom(now))
    )

  const catchUp = (options: Exports.CatchUpOptions, now: number, shown = history) =>
    Stream.runCollect(Exports.catchUp(options)).pipe(
      Effect.map((events) => [...events]),
      Effect.provide(Service.of(new HistoryService(shown))),
      Effect.withClock(clockFrom(now))
    )

  const held = (memory: ReturnType<typeof Memory.make>) =>
    records.tally([...memory.rows.values()].map(records.exportedKey))

  const truthAt = (second: number) => records.expected(history.filter(({ time }) => time <= second), new Set(one)).rows

  /** Nothing up to a second is missing or there twice. */
  const assertWhole = (memory: ReturnType<typeof Memory.make>, second: number): void =>
    assert.deepStrictEqual(records.compare(truthAt(second), held(memory)), { missing: 0, doubled: 0 })

  /** An export that was read before a record of its middle was indexed. */
  const begunBefore = Effect.gen(function*() {
    const memory = Memory.make()
    const late = history.findLast(({ time }) => time < half - days(6))
    const early = history.filter((record) => record !== late)
    const plan = yield* planAt(half)
    yield* Exports.run({ plan, sink: memory.sink }).pipe(Effect.provide(Service.of(new HistoryService(early))))
    return memory
  })

  it.live("finds what was indexed late also when the run that should have found it was killed", () =>
    Effect.gen(function*() {
      const memory = yield* begunBefore
      const dying = Killed.sink(memory.sink, new Killed.Life(1), "after")
      const killed = yield* Effect.exit(catchUp({ sink: dying, recheck: "12 days" }, half + days(20)))
      assert.isTrue(wasKilled(killed))
      assert.strictEqual((yield* Exports.manifest(memory.sink)).to, half + days(20) - indexLag)
      const events = yield* catchUp({ sink: memory.sink, recheck: "12 days" }, half + days(40))
      assert.deepStrictEqual(
        events.flatMap((event) => event._tag === "WindowRechecked" && event.rows > 0 ? [event.rows] : []),
        [1]
      )
      assertWhole(memory, half + days(40) - indexLag)
    }))

  it.live("finds what was indexed late also when the service refused to be asked for it in the night that should have", () =>
    Effect.gen(function*() {
      const memory = yield* begunBefore
      const refusing = new HistoryService(history, { reach: half - days(1) })
      const refused = yield* Stream.runCollect(Exports.catchUp({ sink: memory.sink, recheck: "12 days" })).pipe(
        Effect.provide(Service.of(refusing)),
        Effect.withClock(clockFrom(half + days(8)))
      )
      const tags = [...refused].map(({ _tag }) => _tag)
      assert.isTrue(tags.includes("WindowClosed") && tags.includes("WindowUnreachable"))
      // By then the time of the record is further back than a recheck goes.
      yield* catchUp({ sink: memory.sink, recheck: "12 days" }, half + days(30))
      assertWhole(memory, half + days(30) - indexLag)
    }))

  it.live("finds what was indexed late also when another process had the window and died", () =>
    Effect.gen(function*() {
      const memory = yield* begunBefore
      const closed = new Set([...memory.states.values()].map(({ window }) => window))
      let conflicts = 0
      const shared: Sink = {
        open: (given) =>
          Effect.map(memory.sink.open(given), (session) => ({
            ...session,
            commit: (page) =>
              closed.has(page.window.index) && conflicts++ === 0
                ? new SinkError({ reason: "conflict", problem: "another process" })
                : session.commit(page)
          }))
      }
      yield* catchUp({ sink: shared, recheck: "12 days" }, half + days(1))
      assert.isAbove(conflicts, 1)
      assertWhole(memory, half + days(1) - indexLag)
    }))

  it.live("does not read beyond the end that it is given, nor what the index has not settled", () =>
    Effect.gen(function*() {
      const memory = Memory.make()
      yield* catchUp({ plan: yield* planAt(half), sink: memory.sink, to: half + days(5) }, half)
      assert.strictEqual((yield* Exports.manifest(memory.sink)).to, half - indexLag)
      yield* catchUp({ sink: memory.sink, to: half + days(5) }, half + days(10))
      assert.strictEqual((yield* Exports.manifest(memory.sink)).to, half + days(5))
      assertWhole(memory, half + days(5))
    }))

  it.live("is refused for another selection, and in blocks without an end", () =>
    Effect.gen(function*() {
      const memory = Memory.make()
      yield* catchUp({ plan: yield* planAt(half), sink: memory.sink }, half)
      const other = yield* planAt(half, { kinds: ["ft"] })
      const refused = yield* Effect.flip(catchUp({ plan: other, sink: memory.sink }, half))
      assert.strictEqual(refused._tag === "SinkError" && refused.reason, "stored")
      const inBlocks = Memory.make()
      const range = yield* Range.blocks({ from: 0, to: 1_100 })
      const plan = yield* Plan.make({ accounts: one, range, windows: 1 })
      assert.strictEqual((yield* Effect.flip(catchUp({ plan, sink: inBlocks.sink }, half)))._tag, "InvalidInput")
      yield* catchUp({ plan, sink: inBlocks.sink, to: 20_000 }, half)
      assertWhole(inBlocks, Number.POSITIVE_INFINITY)
    }))
})

describe.each(databases)("two processes that extend one export on %s", (_, open) => {
  it.scopedLive("agree on its windows", () =>
    Effect.gen(function*() {
      const { layer } = yield* open
      const { audit, nightAt, run } = world({ accounts: two, transfers: 300, late: 0.1, nights: 3, recheckNights: 1 })
      const store: Store = {
        found: Effect.flatMap(SqlClient, sqlTallies).pipe(Effect.provide(layer)),
        process: (_, use) => Effect.flatMap(SqlSink.make(), use).pipe(Effect.provide(layer))
      }
      yield* run(store, 0)
      // The clock of one is ahead, so that each would end its new windows elsewhere.
      const session = (to: number) =>
        Effect.scoped(Effect.gen(function*() {
          const opened = yield* (yield* SqlSink.make()).open()
          const plan = yield* opened.plan
          return { opened, longer: yield* Plan.extend(plan, to) }
        })).pipe(Effect.provide(layer))
      yield* Effect.gen(function*() {
        const sink = yield* SqlSink.make()
        const [first, second] = [yield* session(nightAt(1)), yield* session(nightAt(1) + 100)]
        const opened = yield* sink.open()
        assert.strictEqual((yield* opened.extend(first.longer)).to, nightAt(1))
        assert.strictEqual((yield* opened.extend(second.longer)).to, nightAt(1) + 100)
        assert.strictEqual((yield* opened.extend(first.longer)).to, nightAt(1) + 100)
      }).pipe(Effect.scoped, Effect.provide(layer))
      yield* Effect.all([run(store, 2), run(store, 2)], { concurrency: 2 })
      assert.deepStrictEqual(yield* audit(store, 2), nothingWrong)
    }))
})
