import * as Range from "@effect-klaytn/history/Range"
import * as NodeContext from "@effect/platform-node/NodeContext"
import { SystemError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as Layer from "effect/Layer"
import { spawnSync } from "node:child_process"
import { fileTallies } from "../drills/audit.js"
import * as records from "../drills/records.js"
import { HistoryService } from "../drills/service.js"
import * as Exports from "../src/Exports.js"
import * as FileSink from "../src/FileSink.js"
import * as Plan from "../src/Plan.js"
import { fresh, type SinkError } from "../src/Sink.js"
import * as Service from "./support/service.js"

const accounts = [0, 1].map(records.addressOf)
const history = records.make({ seed: "directory", transfers: 200, accounts: 3 })
const truth = records.expected(history, new Set(accounts))
const range = Either.getOrThrow(Range.time({ from: records.began, to: records.began + records.lasts }))
const planned = Plan.make({ accounts, range, size: 40, windows: 2 })

const inDirectory = <A, E>(
  use: (
    directory: string,
    fs: FileSystem.FileSystem
  ) => Effect.Effect<A, E, FileSystem.FileSystem | NodeContext.NodeContext | Layer.Layer.Success<typeof Wire>>
) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    return yield* use(yield* fs.makeTempDirectoryScoped(), fs)
  }).pipe(Effect.scoped, Effect.provide([NodeContext.layer, Wire]))

const Wire = Service.of(new HistoryService(history))

const run = (directory: string, format: "ndjson" | "csv" = "ndjson") =>
  Effect.gen(function*() {
    return yield* Exports.run({ plan: yield* planned, sink: yield* FileSink.make({ directory, format }) })
  })

/** The reason and the text with which an export is refused. */
const refused = (directory: string) =>
  Effect.flatMap(Effect.flip(run(directory)), (error) => {
    assert.strictEqual(error._tag, "SinkError")
    return Effect.succeed(error as SinkError)
  })

const isWhole = (directory: string): void => {
  assert.deepStrictEqual(records.compare(truth.rows, fileTallies(directory).rows), { missing: 0, doubled: 0 })
}

describe("a directory of something else", () => {
  it.effect.each(["parts/photo.jpg", "rejected/a", "notes.txt", "windows.ndjson", "plan.json.tmp"])(
    "is refused before anything is written to it, with what was found: %s",
    (name) =>
      inDirectory((directory, fs) =>
        Effect.gen(function*() {
          const folder = /^(.+)\//.exec(name)?.[1]
          if (folder !== undefined) yield* fs.makeDirectory(`${directory}/${folder}`)
          yield* fs.writeFileString(`${directory}/${name}`, "precious")
          const error = yield* refused(directory)
          assert.strictEqual(error.reason, "foreign")
          assert.include(error.message, `"${folder ?? name}"`)
          assert.strictEqual(yield* fs.readFileString(`${directory}/${name}`), "precious")
          assert.strictEqual(
            (yield* fs.readDirectory(directory, { recursive: true })).length,
            folder === undefined ? 1 : 2
          )
        })
      )
  )

  it.effect("is refused if its plan.json is not the plan of an export", () =>
    inDirectory((directory, fs) =>
      Effect.gen(function*() {
        yield* fs.writeFileString(`${directory}/plan.json`, "{\"holiday\":\"Rome\"}")
        assert.strictEqual((yield* refused(directory)).reason, "foreign")
        assert.deepStrictEqual(yield* fs.readDirectory(directory), ["plan.json"])
      })
    ))

  it.effect("is refused if it is a file", () =>
    inDirectory((directory, fs) =>
      Effect.gen(function*() {
        yield* fs.writeFileString(`${directory}/file`, "precious")
        assert.strictEqual((yield* refused(`${directory}/file`)).reason, "foreign")
        assert.strictEqual(yield* fs.readFileString(`${directory}/file`), "precious")
      })
    ))

  it.effect("is not made where only an export that is stored is asked for", () =>
    inDirectory((directory, fs) =>
      Effect.gen(function*() {
        const sink = yield* FileSink.make({ directory: `${directory}/none` })
        const error = yield* Effect.flip(Exports.manifest(sink))
        assert.strictEqual(error.reason, "stored")
        assert.deepStrictEqual(yield* fs.readDirectory(directory), [])
      })
    ))
})

describe("the directory of an export", () => {
  it.effect("keeps the files that others put into it", () =>
    inDirectory((directory, fs) =>
      Effect.gen(function*() {
        yield* run(directory)
        const own = ["notes.txt", "parts/photo.jpg", "parts/000001-7.ndjson", "rejected/000000-9.ndjson.partial"]
        for (const name of own) yield* fs.writeFileString(`${directory}/${name}`, "precious")
        // A window is read again, and meets with names that are taken.
        const journal = yield* fs.readFileString(`${directory}/windows.ndjson`)
        yield* fs.writeFileString(`${directory}/windows.ndjson`, journal.slice(0, journal.indexOf("\n") + 1))
        yield* run(directory)
        for (const name of own) assert.strictEqual(yield* fs.readFileString(`${directory}/${name}`), "precious", name)
        isWhole(directory)
      })
    ))

  it.effect("is left as it is if a name of the export in it is a link", () =>
    inDirectory((directory, fs) =>
      Effect.gen(function*() {
        const elsewhere = yield* fs.makeTempDirectory()
        yield* fs.writeFileString(`${elsewhere}/000000-1.ndjson`, "precious")
        for (
          const name of ["parts", "rejected", "windows.ndjson", "begun.ndjson", "manifest.json.tmp", "export.lock"]
        ) {
          const place = `${directory}/${name.replace(".", "-")}`
          yield* run(place)
          yield* fs.remove(`${place}/${name}`, { recursive: true, force: true })
          yield* fs.symlink(name.includes(".") ? `${elsewhere}/000000-1.ndjson` : elsewhere, `${place}/${name}`)
          const error = yield* refused(place)
          assert.strictEqual(error.reason, "foreign", name)
          assert.include(error.message, `${name} is a link`)
        }
        assert.deepStrictEqual(yield* fs.readDirectory(elsewhere), ["000000-1.ndjson"])
        assert.strictEqual(yield* fs.readFileString(`${elsewhere}/000000-1.ndjson`), "precious")
        yield* fs.remove(elsewhere, { recursive: true })
      })
    ))

  it.effect("goes on where the plan was being written when its process died", () =>
    inDirectory((directory, fs) =>
      Effect.gen(function*() {
        yield* run(`${directory}/one`)
        const plan = yield* fs.readFileString(`${directory}/one/plan.json`)
        for (const length of [0, 20, plan.length]) {
          const place = `${directory}/${length}`
          yield* fs.makeDirectory(place)
          yield* fs.writeFileString(`${place}/plan.json.tmp`, plan.slice(0, length))
          yield* run(place)
          isWhole(place)
        }
      })
    ))
})

/** A file system on which half of one write to a file fits, the others in full. */
const fullOnce = (fs: FileSystem.FileSystem, name: string, failing: number): FileSystem.FileSystem => ({
  ...fs,
  open: (path, options) =>
    Effect.map(fs.open(path, options), (file) => {
      if (!path.endsWith(name)) return file
      let writes = 0
      return new Proxy(file, {
        get: (target, key) =>
          key !== "writeAll" ?
            Reflect.get(target, key) as unknown :
            (bytes: Uint8Array) =>
              ++writes !== failing ? target.writeAll(bytes) : Effect.zipRight(
                target.writeAll(bytes.subarray(0, bytes.length / 2)),
                new SystemError({ reason: "Unknown", module: "FileSystem", method: "writeAll", description: "ENOSPC" })
              )
      })
    })
})

describe("a disk that is full for a moment", () => {
  for (const name of ["windows.ndjson", "begun.ndjson"]) {
    it.effect(`ends the export, which goes on when there is room: ${name}`, () =>
      inDirectory((directory, fs) =>
        Effect.gen(function*() {
          for (const failing of [1, 2, 3]) {
            const place = `${directory}/${failing}`
            const full = FileSystem.FileSystem.of(fullOnce(fs, name, failing))
            const error = yield* Effect.flip(Effect.provideService(run(place), FileSystem.FileSystem, full))
            assert.strictEqual(error._tag, "SinkError")
            yield* run(place)
            isWhole(place)
          }
        })
      ))
  }

  it.effect("leaves no line behind one that is torn", () =>
    inDirectory((directory, fs) =>
      Effect.gen(function*() {
        const plan = yield* planned
        const full = FileSystem.FileSystem.of(fullOnce(fs, "windows.ndjson", 1))
        const sink = yield* Effect.provideService(FileSink.make({ directory }), FileSystem.FileSystem, full)
        yield* Effect.scoped(Effect.gen(function*() {
          const session = yield* sink.open(plan)
          const ended = (index: number) => {
            const window = { index, source: 0, from: 0, to: 0 }
            return session.commit({
              window,
              before: fresh(window),
              rows: [],
              rejected: [],
              next: () => ({ ...fresh(window), status: "closed" })
            })
          }
          const errors = [yield* Effect.flip(ended(0)), yield* Effect.flip(ended(1))]
          assert.deepStrictEqual(errors.map(({ reason }) => reason), ["io", "io"])
        }))
        assert.notInclude(yield* fs.readFileString(`${directory}/windows.ndjson`), "\n")
      })
    ))
})

describe("the lock of a directory", () => {
  const lockOf = (directory: string) => `${directory}/export.lock`

  it.effect("refuses a second exporter, which changes nothing, and goes with the first", () =>
    inDirectory((directory, fs) =>
      Effect.gen(function*() {
        const plan = yield* planned
        const sink = yield* FileSink.make({ directory })
        yield* Effect.scoped(Effect.gen(function*() {
          yield* sink.open(plan)
          const before = yield* fs.readDirectory(directory, { recursive: true })
          const error = yield* refused(directory)
          assert.strictEqual(error.reason, "locked")
          assert.include(error.message, `process ${process.pid}`)
          assert.deepStrictEqual(yield* fs.readDirectory(directory, { recursive: true }), before)
        }))
        assert.isFalse(yield* fs.exists(lockOf(directory)))
        yield* run(directory)
        isWhole(directory)
      })
    ))

  /** The lock that this process would have, with other fields. */
  const written = (directory: string, more: object) =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const sink = yield* FileSink.make({ directory })
      const own = yield* Effect.scoped(
        Effect.zipRight(
          Effect.flatMap(planned, (plan) => sink.open(plan)),
          fs.readFileString(lockOf(directory))
        )
      )
      const { token: _, ...rest } = JSON.parse(own) as { readonly token: string }
      yield* fs.writeFileString(lockOf(directory), JSON.stringify({ ...rest, token: "other", ...more }))
    })

  it.effect("is taken over from a process that is gone, also if another one has its number now", () =>
    inDirectory((directory, fs) =>
      Effect.gen(function*() {
        const { pid } = spawnSync(process.execPath, ["--version"])
        for (const more of [{ pid }, { started: "1" }]) {
          yield* written(directory, more)
          yield* run(directory)
          assert.isFalse(yield* fs.exists(lockOf(directory)))
        }
        isWhole(directory)
      })
    ))

  it.effect("holds against a process that lives, and against what is no lock", () =>
    inDirectory((directory, fs) =>
      Effect.gen(function*() {
        yield* written(directory, {})
        assert.strictEqual((yield* refused(directory)).reason, "locked")
        yield* fs.writeFileString(lockOf(directory), "mine")
        assert.include((yield* refused(directory)).message, "remove it")
        assert.strictEqual(yield* fs.readFileString(lockOf(directory)), "mine")
      })
    ))

  it.effect("that was taken over ends the export that had it before it records anything", () =>
    inDirectory((directory) =>
      Effect.gen(function*() {
        const plan = yield* planned
        const sink = yield* FileSink.make({ directory })
        const error = yield* Effect.scoped(Effect.gen(function*() {
          const session = yield* sink.open(plan)
          const fs = yield* FileSystem.FileSystem
          yield* fs.remove(lockOf(directory))
          return yield* Effect.flip(session.extend(plan))
        }))
        assert.strictEqual(error.reason, "locked")
      })
    ))
})
