/** Exports with very many windows, as the tails of older programs have left them: they are joined once. */
import * as Database from "@effect-klaytn/engine/Database"
import * as Range from "@effect-klaytn/history/Range"
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as FileSystem from "@effect/platform/FileSystem"
import { SqlClient } from "@effect/sql/SqlClient"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { fileTallies, sqlTallies, type Tallies } from "../../../drills/exports/audit.js"
import * as records from "../../../drills/exports/records.js"
import { HistoryService } from "../../../drills/exports/service.js"
import { onPostgres, stranger } from "../../engine/test/support/databases.js"
import * as Exports from "../src/Exports.js"
import * as FileSink from "../src/FileSink.js"
import { Many } from "../src/internal/joining.js"
import type { Manifest } from "../src/Manifest.js"
import * as Plan from "../src/Plan.js"
import type { Sink } from "../src/Sink.js"
import * as SqlSink from "../src/SqlSink.js"
import { clockFrom } from "./support/clock.js"
import * as Killed from "./support/killed.js"
import * as Service from "./support/service.js"

const accounts = [records.addressOf(0)]
const history = records.make({ seed: "joining", transfers: 200, accounts: 2, misshapen: 0.02 })
const end = records.began + 50 * 86_400
const range = Either.getOrThrow(Range.time({ from: records.began, to: end }))
const planned = Plan.make({ accounts, range, windows: 60, size: 40 })
const service = new HistoryService(history)
const History = Service.of(service)

/** As if fewer windows were many, after all records have come. */
const few = <A, E, R>(test: Effect.Effect<A, E, R>) =>
  test.pipe(Effect.provideService(Many, 20), Effect.withClock(clockFrom(end + 30 * 86_400)))

const truthUntil = (second: number) => records.expected(history.filter(({ time }) => time <= second), new Set(accounts))

interface Store {
  readonly sink: Sink
  readonly found: Effect.Effect<Tallies, unknown>
}

const compare = (store: Store, second: number) =>
  Effect.map(store.found, ({ rejected, rows }) => {
    const truth = truthUntil(second)
    assert.deepStrictEqual(records.compare(truth.rows, rows), { missing: 0, doubled: 0 })
    assert.deepStrictEqual(records.compare(truth.rejected, rejected), { missing: 0, doubled: 0 })
  })

/** What a manifest says, whatever its windows. */
const saidBy = ({ windows: _windows, ...all }: Manifest) => all

const goesOn = (store: Store, first: Manifest) =>
  Effect.gen(function*() {
    assert.strictEqual(first.windows.length, 60)
    const joined = yield* Exports.manifest(store.sink)
    assert.isBelow(joined.windows.length, 20)
    assert.deepStrictEqual(saidBy(joined), saidBy(first))
    yield* compare(store, end)
    const requests = service.requests
    assert.deepStrictEqual(
      yield* Stream.runCollect(Exports.reconcile({ sink: store.sink })).pipe(Effect.map((all) => [...all])),
      []
    )
    assert.isBelow(service.requests - requests, 60)
    // The plan of the first run is still that of the export.
    assert.strictEqual((yield* Exports.run({ plan: yield* planned, sink: store.sink })).complete, first.complete)
    yield* Stream.runDrain(Exports.catchUp({ sink: store.sink, to: end + 20 * 86_400, recheck: "20 days" }))
    yield* compare(store, end + 20 * 86_400)
    assert.strictEqual((yield* Exports.manifest(store.sink)).windows.length, joined.windows.length)
  })

const inDirectory = Effect.gen(function*() {
  const fs = yield* FileSystem.FileSystem
  const directory = yield* fs.makeTempDirectoryScoped()
  const store: Store = {
    sink: yield* FileSink.make({ directory }),
    found: Effect.sync(() => fileTallies(directory))
  }
  return { directory, fs, store }
})

const inDatabase: Effect.Effect<Store, unknown, SqlClient> = Effect.gen(function*() {
  return { sink: yield* SqlSink.make(), found: sqlTallies(yield* SqlClient) }
})

/** What is marked before windows are joined keeps its mark, and loses it when the service returns it again. */
const keepsMarks = (store: Store) =>
  Effect.gen(function*() {
    const { sink } = store
    const many = Effect.provideService(Many, 1000)
    yield* many(Exports.run({ plan: yield* planned, sink }))
    const half = Service.of(new HistoryService(history.filter((_, index) => index % 2 === 0)))
    yield* many(Stream.runDrain(Exports.reconcile({ sink }))).pipe(Effect.provide(half))
    const { extra } = yield* many(Exports.manifest(sink))
    assert.isAbove(extra, 10)
    assert.strictEqual((yield* Exports.manifest(sink)).extra, extra)
    yield* Stream.runDrain(Exports.reconcile({ sink })).pipe(Effect.provide(half))
    assert.strictEqual((yield* Exports.manifest(sink)).extra, extra)
    yield* Stream.runDrain(Exports.reconcile({ sink }))
    assert.strictEqual((yield* Exports.manifest(sink)).extra, 0)
  })

const ofDatabase = (store: Effect.Effect<Store, unknown, SqlClient>) =>
  Effect.gen(function*() {
    const opened = yield* store
    yield* goesOn(opened, yield* Exports.run({ plan: yield* planned, sink: opened.sink }))
  })

describe("an export with very many windows", () => {
  it.effect("has few of them in a directory once it is opened, and goes on", () =>
    Effect.gen(function*() {
      const { store } = yield* inDirectory
      yield* goesOn(store, yield* Exports.run({ plan: yield* planned, sink: store.sink }))
    }).pipe(Effect.scoped, Effect.provide([NodeContext.layer, History]), few))

  it.effect("keeps what is marked as extra in a directory", () =>
    Effect.flatMap(inDirectory, ({ store }) => keepsMarks(store)).pipe(
      Effect.scoped,
      Effect.provide([NodeContext.layer, History]),
      few
    ))

  it.effect("keeps what is marked as extra in SQLite", () =>
    Effect.flatMap(inDatabase, keepsMarks).pipe(
      Effect.provide([Database.layerSqlite({ file: ":memory:" }), History]),
      few
    ))

  it.effect("goes on in a directory whichever of the writes that join its windows is the last", () =>
    Effect.gen(function*() {
      const { directory, fs, store } = yield* inDirectory
      const first = yield* Exports.run({ plan: yield* planned, sink: store.sink })
      const copy = `${directory}-copy`
      const tried = (
        last: number
      ): Effect.Effect<void, unknown, FileSystem.FileSystem | NodeContext.NodeContext | Scope.Scope> =>
        Effect.gen(function*() {
          yield* fs.remove(copy, { recursive: true, force: true })
          yield* fs.copy(directory, copy)
          const life = new Killed.Life(last)
          const mortal = FileSystem.FileSystem.of(Killed.fileSystem(fs, life))
          const dying = yield* Effect.provideService(FileSink.make({ directory: copy }), FileSystem.FileSystem, mortal)
          yield* Effect.exit(Exports.manifest(dying))
          yield* fs.remove(`${copy}/export.lock`, { force: true })
          const manifest = yield* Exports.manifest(yield* FileSink.make({ directory: copy }))
          assert.isBelow(manifest.windows.length, 20)
          assert.deepStrictEqual(saidBy(manifest), saidBy(first))
          assert.deepStrictEqual(fileTallies(copy), fileTallies(directory))
          if (life.isOver) yield* tried(last + 1)
        })
      yield* tried(1)
      yield* fs.remove(copy, { recursive: true })
    }).pipe(Effect.scoped, Effect.provide([NodeContext.layer, History]), few))

  it.effect("has few of them in SQLite once it is opened, and goes on", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const file = `${yield* fs.makeTempDirectoryScoped()}/export.db`
      yield* Effect.provide(ofDatabase(inDatabase), Database.layerSqlite({ file }))
    }).pipe(Effect.scoped, Effect.provide([NodeContext.layer, History]), few))

  for (const [name, open] of onPostgres) {
    it.scopedLive(`has few of them on ${name} once it is opened, and goes on`, () =>
      Effect.gen(function*() {
        const database = yield* open
        // Nobody waits for a lock of whoever may connect.
        yield* stranger(database, "SELECT pg_advisory_lock(hashtext('effect-klaytn exports'))")
        yield* Effect.provide(ofDatabase(inDatabase), database.layer)
      }).pipe(Effect.provide(History), few))
  }
})
