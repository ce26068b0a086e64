import * as Address from "@effect-klaytn/core/Address"
import * as Range from "@effect-klaytn/history/Range"
import * as NodeContext from "@effect/platform-node/NodeContext"
import { SystemError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import { spawnSync } from "node:child_process"
import { fileTallies } from "../../../drills/exports/audit.js"
import * as records from "../../../drills/exports/records.js"
import { HistoryService } from "../../../drills/exports/service.js"
import * as Exports from "../src/Exports.js"
import * as FileSink from "../src/FileSink.js"
import * as exportDirectory from "../src/internal/exportDirectory.js"
import { openList } from "../src/internal/LineList.js"
import * as Plan from "../src/Plan.js"
import type { Rejected, Row } from "../src/Row.js"
import { fresh, type SinkError } from "../src/Sink.js"
import { clockFrom } from "./support/clock.js"
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
  it.effect("is continued after a last line that is no JSON, as after a torn one", () =>
    inDirectory((directory, fs) =>
      Effect.gen(function*() {
        yield* run(directory)
        const journal = yield* fs.readFileString(`${directory}/windows.ndjson`)
        yield* fs.writeFileString(`${directory}/windows.ndjson`, `${journal}{\n`)
        yield* run(directory)
        isWhole(directory)
        assert.strictEqual(yield* fs.readFileString(`${directory}/windows.ndjson`), journal)
      })
    ))

  it.effect("is continued though a name of a file that was begun can't be read", () =>
    inDirectory((directory, fs) =>
      Effect.gen(function*() {
        yield* run(directory)
        yield* fs.writeFileString(`${directory}/parts/000000-9.ndjson.partial`, "torn")
        yield* fs.writeFileString(`${directory}/begun.ndjson`, `"parts/0\0\0\0\n"parts/000000-9.ndjson"\n`)
        yield* run(directory)
        isWhole(directory)
        assert.isFalse(yield* fs.exists(`${directory}/parts/000000-9.ndjson.partial`))
      })
    ))

  it.effect("has a list of windows that is written anew once it is long, with what is added meanwhile", () =>
    inDirectory((path, fs) =>
      Effect.scoped(Effect.gen(function*() {
        const directory = yield* exportDirectory.make(path)
        const list = yield* openList(directory, "windows.ndjson", 100)
        const recorded: Array<string> = []
        yield* Effect.forEach(
          Array.from({ length: 60 }, (_, index) => index),
          (index) =>
            index % 3 === 2
              ? list.replace(() => recorded)
              : list.add(JSON.stringify(index), () => recorded.push(JSON.stringify(index))),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(recorded.length, 40)
        const lines = (yield* fs.readFileString(`${path}/windows.ndjson`)).trimEnd().split("\n")
        assert.deepStrictEqual(lines.sort(), [...recorded].sort())
        assert.isBelow(list.added(), 10)
      }))
    ))

  it.effect("has a list of windows that later runs shorten, too", () =>
    inDirectory((directory, fs) =>
      Effect.gen(function*() {
        const list = `${directory}/windows.ndjson`
        yield* run(directory)
        const lines = yield* fs.readFileString(list)
        yield* fs.writeFileString(list, lines.repeat(Math.ceil(1.2 * 2 ** 20 / lines.length)))
        const end = records.began + records.lasts + 100
        yield* Stream.runDrain(Exports.catchUp({ sink: yield* FileSink.make({ directory }), to: end })).pipe(
          Effect.withClock(clockFrom(end + 86_400))
        )
        assert.isBelow(Number((yield* fs.stat(list)).size), 2 * lines.length)
        isWhole(directory)
      })
    ))

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

it.effect("records that the service can no longer be searched for stay, also when windows are repaired", () =>
  inDirectory((directory) =>
    Effect.gen(function*() {
      yield* run(directory)
      const sink = yield* FileSink.make({ directory })
      const reach = records.began + records.lasts
      const differences = yield* Stream.runCollect(Exports.reconcile({ sink, repair: true })).pipe(
        Effect.provide(Service.of(new HistoryService(history, { reach })))
      )
      assert.isTrue([...differences].every(({ missing, problem, repaired, status }) =>
        status === "closed" && problem !== undefined && missing.length === 0 && !repaired
      ))
      assert.isAbove([...differences].length, 0)
      isWhole(directory)
      assert.strictEqual((yield* Exports.manifest(sink)).complete, "yes")
    })
  ))

it.effect("a window whose range is refused between the comparison and the repair stays as it was", () =>
  inDirectory((directory, fs) =>
    Effect.gen(function*() {
      const late = new HistoryService(history.filter((_, index) => index !== 100 && index !== 101))
      yield* run(directory).pipe(Effect.provide(Service.of(late)))
      const parts = yield* fs.readDirectory(`${directory}/parts`)
      const sink = yield* FileSink.make({ directory })
      const whole = new HistoryService(history)
      const asked = new Set<string>()
      const wire = Service.wire((target) => {
        if (asked.has(target)) return { status: 400, body: JSON.stringify({ code: 1040011, message: "out of range" }) }
        asked.add(target)
        return whole.answer(target)
      })
      const differences = yield* Stream.runCollect(Exports.reconcile({ sink, repair: true })).pipe(
        Effect.provide(Service.layer(wire))
      )
      assert.isAbove(differences.length, 0)
      assert.isTrue([...differences].every(({ repaired }) => !repaired))
      assert.deepStrictEqual(yield* fs.readDirectory(`${directory}/parts`), parts)
      assert.strictEqual((yield* Exports.manifest(sink)).complete, "yes")
      yield* Stream.runDrain(Exports.reconcile({ sink, repair: true }))
      isWhole(directory)
    })
  ))

/** What a file system on a network says when it does not answer. */
const noAnswer = new SystemError({
  reason: "TimedOut",
  module: "FileSystem",
  method: "any",
  cause: Object.assign(new Error("connection timed out"), { code: "ETIMEDOUT" })
})

describe("a directory that does not answer for a moment", () => {
  it.live("loses no page of a window that was written before", () =>
    inDirectory((directory, fs) =>
      Effect.gen(function*() {
        let writes = 0
        const failing = FileSystem.FileSystem.of({
          ...fs,
          open: (path, options) =>
            Effect.map(fs.open(path, options), (file) =>
              new Proxy(file, {
                get: (target, key): unknown =>
                  key === "writeAll" && path.endsWith(".ndjson.partial")
                    ? (bytes: Uint8Array) => ++writes === 4 ? noAnswer : target.writeAll(bytes)
                    : Reflect.get(target, key)
              }))
        })
        const plan = yield* Plan.make({ accounts, range, size: 10, windows: 1 })
        yield* Effect.gen(function*() {
          const sink = yield* FileSink.make({ directory })
          return yield* Exports.run({ plan, sink, concurrency: 1 })
        }).pipe(Effect.provideService(FileSystem.FileSystem, failing))
        assert.isAbove(writes, 4)
        isWhole(directory)
      })
    ))

  it.live(
    "ends the export if it never gets through a window",
    () =>
      inDirectory((directory, fs) =>
        Effect.gen(function*() {
          const failing = FileSystem.FileSystem.of({
            ...fs,
            open: (path, options) =>
              Effect.map(fs.open(path, options), (file) => {
                let writes = 0
                return new Proxy(file, {
                  get: (target, key): unknown =>
                    key === "writeAll" && path.endsWith(".ndjson.partial")
                      ? (bytes: Uint8Array) => ++writes === 3 ? noAnswer : target.writeAll(bytes)
                      : Reflect.get(target, key)
                })
              })
          })
          const plan = yield* Plan.make({ accounts, range, size: 10, windows: 1 })
          const error = yield* Effect.gen(function*() {
            const sink = yield* FileSink.make({ directory })
            return yield* Effect.flip(Exports.run({ plan, sink, concurrency: 1 }))
          }).pipe(Effect.provideService(FileSystem.FileSystem, failing))
          assert.deepInclude(error, { _tag: "SinkError", reason: "io" })
        })
      ),
    30_000
  )

  it.live("is opened again, though the first attempt had taken the lock", () =>
    inDirectory((directory, fs) =>
      Effect.gen(function*() {
        let failed = false
        const failing = FileSystem.FileSystem.of({
          ...fs,
          makeDirectory: (path, options) =>
            Effect.suspend(() => {
              if (failed || !path.endsWith("rejected")) return fs.makeDirectory(path, options)
              failed = true
              return noAnswer
            })
        })
        yield* Effect.provideService(run(directory), FileSystem.FileSystem, failing)
        assert.isTrue(failed)
        isWhole(directory)
      })
    ))
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

/** A row, and a record that can't be one. */
const row: Row = {
  id: "a-0-0",
  kind: "coin",
  block_number: 1,
  transaction_index: 0,
  transaction_hash: `0x${"a".repeat(64)}` as Row["transaction_hash"], // a hash
  equal_index: 0,
  part: 0,
  timestamp: null,
  unix: null,
  from_address: Address.zero,
  to_address: Address.zero,
  contract: null,
  token_name: null,
  token_symbol: null,
  token_decimals: null,
  token_id: null,
  amount: "1",
  amount_decimal: null,
  status: "success",
  operator: null,
  sender: Address.zero,
  transaction_type: 8,
  fee: "0",
  fee_payer: null,
  fee_ratio: 0,
  account: null,
  window: 0
}
const unread: Rejected = { id: "0-b-0", window: 0, cursor: null, position: 0, reason: "no record", raw: "{}" }

it.effect("a window of which one file can't be opened leaves no other one open", () =>
  inDirectory((directory, fs) =>
    Effect.gen(function*() {
      const plan = yield* planned
      const opened = new Set<string>()
      const limited = FileSystem.FileSystem.of({
        ...fs,
        open: (path, options) => {
          if (path.includes("/rejected/")) {
            return new SystemError({ reason: "Unknown", module: "FileSystem", method: "open", description: "EMFILE" })
          }
          return Effect.tap(fs.open(path, options), () =>
            Effect.acquireRelease(
              Effect.sync(() => opened.add(path)),
              () => Effect.sync(() => opened.delete(path))
            ))
        }
      })
      const sink = yield* Effect.provideService(FileSink.make({ directory }), FileSystem.FileSystem, limited)
      yield* Effect.scoped(Effect.gen(function*() {
        const session = yield* sink.open(plan)
        const before = [...opened]
        const window = { index: 0, source: 0, from: 0, to: 0 }
        const page = { window, before: fresh(window), rows: [row], rejected: [unread], next: () => fresh(window) }
        assert.strictEqual((yield* Effect.flip(session.commit(page))).reason, "io")
        assert.deepStrictEqual([...opened], before)
      }))
      assert.deepStrictEqual([...opened], [])
    })
  ))

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

  it.effect("is taken over if it is as empty as a power failure leaves it, and nobody touches it", () =>
    inDirectory((directory, fs) =>
      Effect.gen(function*() {
        let now = 0
        const clock: Clock.Clock = {
          ...Clock.make(),
          sleep: (duration) => Effect.sync(() => void (now += Duration.toMillis(duration))),
          unsafeCurrentTimeMillis: () => now,
          currentTimeMillis: Effect.sync(() => now)
        }
        for (const text of ["", "\0".repeat(200)]) {
          yield* fs.writeFileString(lockOf(directory), text)
          yield* Effect.flatMap(FileSink.make({ directory }), (sink) =>
            Effect.scoped(Effect.flatMap(planned, (plan) =>
              sink.open(plan))).pipe(
                // The lock is renewed all the time, as that clock goes.
                Effect.withClock(clock)
              ))
          assert.isFalse(yield* fs.exists(lockOf(directory)))
        }
        assert.isAtLeast(now, 60_000)
        yield* run(directory)
        isWhole(directory)
      })
    ))

  it.effect("that was taken over is not renewed by the one that had it", () =>
    inDirectory((directory, fs) =>
      Effect.gen(function*() {
        const plan = yield* planned
        const sink = yield* FileSink.make({ directory })
        yield* Effect.scoped(Effect.gen(function*() {
          yield* sink.open(plan)
          const settled = Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 100)))
          yield* settled
          const own = JSON.parse(yield* fs.readFileString(lockOf(directory))) as object
          yield* fs.writeFileString(lockOf(directory), JSON.stringify({ ...own, token: "other" }))
          yield* fs.utimes(lockOf(directory), 1000, 1000)
          yield* TestClock.adjust("5 seconds")
          yield* settled
          const { mtime } = yield* fs.stat(lockOf(directory))
          assert.strictEqual(Number(Option.getOrThrow(mtime)), 1_000_000)
        }))
      })
    ))

  it.effect("that was taken over leaves the files of the export that has it now", () =>
    inDirectory((directory, fs) =>
      Effect.gen(function*() {
        const plan = yield* planned
        const sink = yield* FileSink.make({ directory })
        const window = plan.windows[0] ?? assert.fail()
        const partial = `${directory}/parts/000000-1.ndjson.partial`
        yield* Effect.scoped(Effect.gen(function*() {
          const session = yield* sink.open(plan)
          const before = fresh(window)
          yield* session.commit({ window, before, rows: [row], rejected: [], next: () => ({ ...before, pages: 1 }) })
          const own = JSON.parse(yield* fs.readFileString(lockOf(directory))) as object
          yield* fs.writeFileString(lockOf(directory), JSON.stringify({ ...own, token: "other" }))
          yield* fs.remove(partial)
          yield* fs.writeFileString(partial, "theirs")
        }))
        assert.strictEqual(yield* fs.readFileString(partial), "theirs")
      })
    ))

  it.effect("leaves nothing behind if there is no room for it", () =>
    inDirectory((directory, fs) =>
      Effect.gen(function*() {
        const full = FileSystem.FileSystem.of({
          ...fs,
          open: (path, options) =>
            Effect.map(fs.open(path, options), (file) =>
              new Proxy(file, {
                get: (target, key): unknown =>
                  key === "writeAll"
                    ? (bytes: Uint8Array) =>
                      Effect.zipRight(
                        target.writeAll(bytes.subarray(0, 5)),
                        new SystemError({
                          reason: "Unknown",
                          module: "FileSystem",
                          method: "write",
                          description: "ENOSPC"
                        })
                      )
                    : Reflect.get(target, key)
              }))
        })
        const error = yield* Effect.flip(Effect.provideService(run(directory), FileSystem.FileSystem, full))
        assert.strictEqual(error._tag, "SinkError")
        assert.deepStrictEqual(yield* fs.readDirectory(directory), [])
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
