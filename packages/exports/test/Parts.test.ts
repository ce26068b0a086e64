/** The parts of a directory: how many a window has, and that none is read whole. */
import * as Range from "@effect-klaytn/history/Range"
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as FileSystem from "@effect/platform/FileSystem"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import { createHash } from "node:crypto"
import { duckRows, fileTallies, parquetTallies, type Tallies } from "../../../drills/exports/audit.js"
import * as records from "../../../drills/exports/records.js"
import { HistoryService } from "../../../drills/exports/service.js"
import * as Exports from "../src/Exports.js"
import * as FileSink from "../src/FileSink.js"
import { newest } from "../src/internal/columns.js"
import { PartLength } from "../src/internal/FileSeries.js"
import * as parquet from "../src/internal/parquet.js"
import * as Plan from "../src/Plan.js"
import * as Memory from "./support/memory.js"
import * as Service from "./support/service.js"

const accounts = [0, 1].map(records.addressOf)
const history = records.make({ seed: "parts", transfers: 300, accounts: 3, misshapen: 0.05 })
const truth = records.expected(history, new Set(accounts))
const range = Either.getOrThrow(Range.time({ from: records.began, to: records.began + records.lasts }))
const planned = Plan.make({ accounts, range, size: 20, windows: 2 })

const memory = Memory.make()

/** Every other block: equal records of a transaction stay together. */
const everyOther = (rest: number) => new HistoryService(history.filter(({ block }) => block % 2 === rest))

const found = (directory: string, format: string): Effect.Effect<Tallies> =>
  format === "parquet" ? Effect.promise(() => parquetTallies(directory)) : Effect.sync(() => fileTallies(directory))

/** The parts of a directory, with what is in them. */
const partsOf = (directory: string) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const names = yield* fs.readDirectory(`${directory}/parts`)
    const sums = yield* Effect.forEach(names, (name) =>
      Effect.map(fs.readFile(`${directory}/parts/${name}`), (bytes) =>
        createHash("sha256").update(bytes).digest("hex")))
    return new Map(names.map((name, index) => [name, sums[index]]))
  })

/** The seconds of the rows of a part, in their order. */
const timesOf = (format: "ndjson" | "csv" | "parquet", file: string) =>
  Effect.map(
    Effect.promise(() =>
      duckRows(
        format === "parquet"
          ? `SELECT unix FROM read_parquet('${file}')`
          : format === "csv"
          ? `SELECT unix FROM read_csv('${file}', all_varchar = true)`
          : `SELECT unix FROM read_ndjson('${file}')`
      )
    ),
    (rows) => rows.map(({ unix }) => Number(unix))
  )

/** Exports what a service returns, and repairs that with what another one returns. The parts before and after. */
const repaired = (format: "ndjson" | "csv" | "parquet") =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const directory = yield* fs.makeTempDirectoryScoped()
    const sink = yield* FileSink.make({ directory, format })
    yield* Exports.run({ plan: yield* planned, sink }).pipe(Effect.provide(Service.of(everyOther(0))))
    const before = yield* partsOf(directory)
    // The service leaves out now what it returned before.
    yield* Stream.runDrain(Exports.reconcile({ sink, repair: true })).pipe(Effect.provide(Service.of(everyOther(1))))
    const { rejected, rows } = yield* found(directory, format)
    assert.deepStrictEqual(records.compare(truth.rows, rows), { missing: 0, doubled: 0 })
    assert.deepStrictEqual(records.compare(truth.rejected, rejected), { missing: 0, doubled: 0 })
    const times = yield* Effect.forEach(
      yield* fs.readDirectory(`${directory}/parts`),
      (name) => timesOf(format, `${directory}/parts/${name}`)
    )
    return { before, after: yield* partsOf(directory), times }
  }).pipe(Effect.scoped, Effect.provide(NodeContext.layer))

it.effect("a text of Parquet keeps U+FEFF at its beginning, which is a mark of the encoding elsewhere", () =>
  Effect.gen(function*() {
    const { rows } = yield* Exports.run({ plan: yield* planned, sink: memory.sink }).pipe(
      Effect.provide(Service.of(new HistoryService(history))),
      Effect.as(memory)
    )
    const named = [...rows.values()].slice(0, 3).map((row, index) => ({
      ...row,
      token_name: ["\ufeffname", "\ufeff", "a\ufeff"][index] ?? ""
    }))
    const encoder = parquet.encoder(newest)
    const bytes = Buffer.concat([encoder.add(named), encoder.end()])
    const read = yield* Stream.runCollect(
      parquet.rows({
        bytes: bytes.length,
        read: (from = 0, length = bytes.length) => Stream.make(bytes.subarray(from, from + length))
      }, newest)
    )
    assert.deepStrictEqual(
      [...read].flat().map(({ token_name }) => token_name),
      named.map(({ token_name }) => token_name)
    )
  }))

for (const format of ["ndjson", "csv", "parquet"] as const) {
  describe(`a window in ${format}`, () => {
    it.effect("that is read again keeps its parts and gets another one with what it lacked", () =>
      Effect.gen(function*() {
        const { after, before } = yield* repaired(format)
        assert.isAbove(before.size, 2)
        for (const [name, sum] of before) assert.strictEqual(after.get(name), sum)
        assert.isAbove(after.size, before.size)
      }).pipe(Effect.provideService(PartLength, 2000)))

    it.effect("has one part as long as that is small, with what was added where it belongs", () =>
      Effect.gen(function*() {
        const { after, before, times } = yield* repaired(format)
        assert.strictEqual(after.size, before.size)
        for (const some of times) assert.deepStrictEqual(some, [...some].sort((one, other) => other - one))
        assert.isAbove(times.flat().length, 100)
      }))
  })
}
