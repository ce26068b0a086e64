/** Exports that the code of older commits has begun, continued by this one, and by one with more columns and tables. */
import * as Range from "@effect-klaytn/history/Range"
import * as NodeContext from "@effect/platform-node/NodeContext"
import { assert, describe, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Stream from "effect/Stream"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileTallies } from "../../../drills/exports/audit.js"
import * as records from "../../../drills/exports/records.js"
import { HistoryService } from "../../../drills/exports/service.js"
import * as Exports from "../src/Exports.js"
import * as FileSink from "../src/FileSink.js"
import { at, newest } from "../src/internal/columns.js"
import * as Plan from "../src/Plan.js"
import type { Sink } from "../src/Sink.js"
import * as Service from "./support/service.js"
import * as stores from "./support/stores.js"
import * as trial from "./support/trial.js"

const accounts = [0, 1].map(records.addressOf)
const end = records.began + records.lasts
const middle = records.began + Math.floor(records.lasts / 2)

/** The plan of the script, made by the code of today. */
const planOf = (state: stores.State) =>
  Effect.gen(function*() {
    const range = yield* Range.time({ from: records.began, to: state === "half" ? end : middle })
    return yield* Plan.make({ accounts, range, windows: 4, size: 4 })
  })

/** Brings an export to its end, as the program that began it would. */
const goOn = (state: stores.State, sink: Sink, plan?: Plan.Plan) =>
  Stream.runCollect(
    state === "half" ? Exports.events({ sink, plan }) : Exports.catchUp({ sink, plan, to: end })
  ).pipe(Effect.map(Chunk.toReadonlyArray), Effect.provide(Service.of(new HistoryService(stores.readHistory()))))

const manifestOf = (events: ReadonlyArray<Exports.Event>) => {
  const last = events.at(-1)
  return last?._tag === "Finished" ? last.manifest : assert.fail("the export has no end")
}

const nameOf = ({ version }: { readonly version: number }) => at(newest, version).transfers.map(({ name }) => name)

/**
 * What is in a store, whatever windows it was read in: older programs made a window for each night. A cursor of this service names
 * the request that it was made for.
 */
const contentOf = (store: stores.Store) =>
  Effect.all({
    rows: Effect.map(store.rows, (all) => all.map((row) => ({ ...row, window: null }))),
    rejected: Effect.map(store.rejected, (all) =>
      all.map((one) => ({ ...one, id: String(one["id"]).replace(/^\d+/, ""), window: null, cursor: null }))
        .sort((one, other) =>
          one.id < other.id ? -1 : 1
        ))
  })

/** A program that continues an export. */
interface Program {
  readonly name: string
  readonly newest: number
  readonly run: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
}

const programs: ReadonlyArray<Program> = [
  { name: "this program", newest: newest.version, run: identity },
  { name: "a program with more columns", newest: trial.columns.version, run: trial.withColumns }
]

const moreTables: Program = { name: "a program with more tables", newest: newest.version, run: trial.withMigrations }

for (const commit of stores.commits) {
  for (const kind of stores.kinds) {
    describe.each(["half", "night"] as const)(`an export of ${commit}, ${kind.name}, %s`, (state) => {
      it.scopedLive.each(kind.hasTables ? [...programs, moreTables] : programs)(
        "is continued by $name in its columns, with the rows of a run without it",
        (program) =>
          Effect.gen(function*() {
            const whole = yield* kind.open(undefined, state)
            const plan = yield* planOf(state)
            if (state === "night") {
              yield* Stream.runDrain(Exports.catchUp({ plan, sink: whole.sink, to: middle + 5 * 86_400 })).pipe(
                Effect.provide(Service.of(new HistoryService(stores.readHistory())))
              )
            }
            const expected = manifestOf(yield* goOn(state, whole.sink, plan))

            const old = yield* kind.open(commit, state)
            const events = yield* program.run(goOn(state, old.sink))
            const [started] = events
            assert.strictEqual(started?._tag, "Started")
            if (started?._tag === "Started") {
              assert.deepStrictEqual(started.columns, { version: 1, newest: program.newest })
              assert.isAbove(started.rows, 0)
              assert.isBelow(started.rows, expected.rows)
            }
            const manifest = manifestOf(events)
            assert.strictEqual(manifest.complete, "except-rejected")
            assert.deepStrictEqual(manifest.columns, { version: 1, names: nameOf({ version: 1 }) })
            assert.strictEqual(manifest.checksum, expected.checksum)
            assert.deepStrictEqual(yield* contentOf(old), yield* contentOf(whole))
            for (const header of yield* old.headers) assert.deepStrictEqual(header, nameOf({ version: 1 }))

            // Complete: nothing more is asked for, and nothing changes.
            const again = manifestOf(yield* program.run(goOn(state, old.sink)))
            assert.deepStrictEqual([again.rows, again.checksum], [expected.rows, expected.checksum])
          })
      )
    })
  }
}

it.scopedLive("a directory of 100 nights of an older program is read, found whole, and continued", () =>
  Effect.gen(function*() {
    const directory = yield* stores.nights("953ea670")
    const sink = yield* FileSink.make({ directory })
    const { rows, windows } = yield* Exports.manifest(sink)
    assert.isAbove(windows.length, 100)
    assert.isTrue(windows.every(({ status }) => status === "closed"))
    const history = Service.of(new HistoryService(stores.readHistory()))
    const read = yield* Stream.runCollect(Exports.catchUp({ sink, to: end })).pipe(Effect.provide(history))
    const manifest = manifestOf(Chunk.toReadonlyArray(read))
    assert.isAbove(manifest.rows, rows)
    // One more window for each account at most: the last ones have grown.
    assert.isAtMost(manifest.windows.length, windows.length + accounts.length)
    const truth = records.expected(stores.readHistory(), new Set(accounts))
    const found = fileTallies(directory)
    assert.deepStrictEqual(records.compare(truth.rows, found.rows), { missing: 0, doubled: 0 })
    assert.deepStrictEqual(records.compare(truth.rejected, found.rejected), { missing: 0, doubled: 0 })
    const differences = yield* Stream.runCollect(Exports.reconcile({ sink, repair: true })).pipe(
      Effect.provide(history)
    )
    assert.deepStrictEqual(Chunk.toReadonlyArray(differences), [])
    // A part of the older program that is damaged is found by its checksum, too.
    const [part = ""] = readdirSync(join(directory, "parts"))
    writeFileSync(
      join(directory, "parts", part),
      readFileSync(join(directory, "parts", part), "utf8").replace("1", "2")
    )
    const events = yield* Stream.runCollect(Exports.events({ sink })).pipe(Effect.provide(history))
    const damaged = Chunk.toReadonlyArray(events).filter(({ _tag }) => _tag === "WindowDamaged")
    assert.strictEqual(damaged.length, 1)
  }).pipe(Effect.provide(NodeContext.layer)))
