import type * as FileSystem from "@effect/platform/FileSystem"
import type * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import { createHash, type Hash } from "node:crypto"
import type { Options } from "../FileSink.js"
import { Manifest } from "../Manifest.js"
import type { Plan } from "../Plan.js"
import type { Rejected, Row } from "../Row.js"
import { fresh, type Page, type Session, type Sink, SinkError, type WindowState } from "../Sink.js"
import { type Columns, jsonLines, ofPlan } from "./columns.js"
import * as directoryLock from "./directoryLock.js"
import * as exportDirectory from "./exportDirectory.js"
import { loadSql } from "./loadSql.js"
import { type Encoder, type Format, formatOf, idsInJson, partFormats } from "./partFormats.js"
import { io } from "./storageFault.js"

const encoder = new TextEncoder()

/** A file that is written beside its place. */
interface Output {
  readonly place: string
  readonly file: FileSystem.File
  bytes: number
  readonly hash: Hash
}

/** The files of a window that is being read. */
interface Writer {
  readonly scope: Scope.CloseableScope
  readonly rows: Output
  readonly encoder: Encoder
  readonly rejected: Output
  /** The IDs of the last two pages: a record that the service repeats at once is not written twice. */
  recent: readonly [ReadonlySet<string>, ReadonlySet<string>]
}

/** What the functions of a session share. */
interface Shared {
  readonly directory: exportDirectory.ExportDirectory
  readonly format: Format
  /** The columns in which the export began. */
  readonly columns: Columns
  readonly lock: directoryLock.Lock
  readonly recorded: Map<number, exportDirectory.Recorded>
  readonly writers: Map<number, Writer>
  /** How often the first pages of a window were lost. */
  readonly losses: Map<number, number>
  /** The lists of windows that ended and of files that were begun. */
  readonly ended: List
  readonly begun: List
}

/** A file with a JSON value a line. After a line that could not be written whole, no other is added behind its torn end. */
type List = Effect.Effect.Success<ReturnType<typeof openList>>

const openList = Effect.fnUntraced(function*(directory: exportDirectory.ExportDirectory, name: string) {
  const file = yield* io(directory.fs.open(directory.at(name), { flag: "a" }))
  const turn = yield* Effect.makeSemaphore(1)
  let torn: SinkError | undefined
  return {
    add: (value: unknown) =>
      turn.withPermits(1)(
        Effect.suspend(() =>
          torn ?? io(file.writeAll(encoder.encode(`${JSON.stringify(value)}\n`))).pipe(
            Effect.tapError((error) => Effect.sync(() => void (torn = error)))
          )
        )
      ).pipe(Effect.uninterruptible),
    sync: io(file.sync)
  }
})

/** Opens a file beside its place, after it was listed as begun. */
const makeOutput = Effect.fnUntraced(function*({ begun, directory }: Shared, place: string) {
  yield* begun.add(place)
  // It must not exist, and no link is followed.
  const file = yield* io(directory.fs.open(directory.at(`${place}.partial`), { flag: "wx" }))
  return { place, file, bytes: 0, hash: createHash("sha256") }
})

/** Opens the files of a window beside their places, under names that nothing has. */
const begin = Effect.fnUntraced(function*(shared: Shared, window: number) {
  const { columns, directory, format, recorded, writers } = shared
  // A window that is read again gets new names: the old files count until the new ones are recorded.
  const { part, rejected } = recorded.get(window) ?? {}
  const last = [part, rejected].map((name) => Number(/-(\d+)\./.exec(name ?? "")?.[1] ?? 0))
  for (let number = Math.max(...last) + 1;; number++) {
    const name = `${String(window).padStart(6, "0")}-${number}`
    const places = { rows: `parts/${name}.${format}`, rejected: `rejected/${name}.ndjson` }
    const taken = yield* Effect.forEach(
      Object.values(places).flatMap((place) => [place, `${place}.partial`]),
      (place) => directory.kindOf(place)
    )
    if (taken.some((kind) => kind !== undefined)) continue
    const scope = yield* Scope.make()
    const outputs = yield* Effect.all({
      rows: makeOutput(shared, places.rows),
      rejected: makeOutput(shared, places.rejected)
    }).pipe(Scope.extend(scope), Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause))))
    const writer: Writer = {
      scope,
      ...outputs,
      encoder: partFormats[format].encoder(columns),
      recent: [new Set(), new Set()]
    }
    writers.set(window, writer)
    return writer
  }
})

/** Closes the files of a window and removes those that were not put into their places. */
const forget = Effect.fnUntraced(function*(
  { directory, lock, writers }: Shared,
  window: number,
  exit: Exit.Exit<unknown, unknown>
) {
  const writer = writers.get(window)
  if (writer === undefined) return
  writers.delete(window)
  yield* Scope.close(writer.scope, exit)
  // A process that has taken the lock over may have files with these names.
  if (!(yield* lock.isOwn())) return
  for (const { place } of [writer.rows, writer.rejected]) yield* directory.removePart(`${place}.partial`)
})

const write = (to: Output, bytes: Uint8Array): Effect.Effect<void, SinkError> =>
  Effect.suspend(() => {
    if (bytes.length === 0) return Effect.void
    to.bytes += bytes.length
    to.hash.update(bytes)
    return io(to.file.writeAll(bytes))
  })

/** Puts a file into its place, durably; a file without content has none. */
const place = (
  { directory }: Shared,
  { bytes, file, place: name }: Output
): Effect.Effect<string | null, SinkError> =>
  bytes === 0 ? Effect.succeed(null) : io(Effect.gen(function*() {
    yield* file.sync
    yield* directory.fs.rename(directory.at(`${name}.partial`), directory.at(name))
    yield* directory.syncDirectory(directory.at(name, ".."))
    return name
  }))

/** Records a window that ended. */
const end = Effect.fnUntraced(function*(shared: Shared, writer: Writer, state: WindowState) {
  const { directory, ended, lock, recorded } = shared
  yield* lock.check()
  if (state.rows > 0) yield* write(writer.rows, writer.encoder.end())
  const part = yield* place(shared, writer.rows)
  const rejected = yield* place(shared, writer.rejected)
  const record: exportDirectory.Recorded = {
    state,
    part,
    sha256: part === null ? null : writer.rows.hash.digest("hex"),
    bytes: writer.rows.bytes,
    rejected
  }
  yield* ended.add(Schema.encodeSync(exportDirectory.Recorded)(record))
  yield* ended.sync
  const old = recorded.get(state.window)
  recorded.set(state.window, record)
  for (const name of [old?.part, old?.rejected]) if (typeof name === "string") yield* directory.removePart(name)
})

/** A window is begun again this often after a commit of it failed. */
const maxLosses = 3

/** Writes what is new of a page, and records its window if it is the last. */
const append = Effect.fnUntraced(function*(shared: Shared, page: Page) {
  const { index } = page.window
  const open = shared.writers.get(index)
  // The pages before this one went with the commit that failed.
  if (open === undefined && page.before.checkpoint !== null) {
    const losses = (shared.losses.get(index) ?? 0) + 1
    shared.losses.set(index, losses)
    return yield* new SinkError({
      reason: losses > maxLosses ? "io" : "conflict",
      problem: `the store failed in the middle of window ${index}, ${losses} times; run the export again`
    })
  }
  const writer = open ?? (yield* begin(shared, index))
  const isNew = ({ id }: Row | Rejected): boolean => writer.recent.every((ids) => !ids.has(id))
  const rows = page.rows.filter(isNew)
  const rejected = page.rejected.filter(isNew)
  if (rows.length > 0) yield* write(writer.rows, writer.encoder.add(rows))
  yield* write(writer.rejected, encoder.encode(jsonLines(shared.columns.rejected, rejected)))
  writer.recent = [writer.recent[1], new Set([...page.rows, ...page.rejected].map(({ id }) => id))]
  const state = page.next(rows, rejected)
  if (state.status !== "open") {
    yield* end(shared, writer, state)
    yield* forget(shared, index, Exit.void)
  }
  return state
})

/** The IDs of a window that is recorded. */
const ids = Effect.fnUntraced(function*({ directory, recorded }: Shared, window: number) {
  const { part = null, rejected = null } = recorded.get(window) ?? {}
  const rows = part === null ? [] : yield* Effect.flatMap(directory.readPart(part), (bytes) =>
    Effect.tryPromise({
      try: () => partFormats[formatOf(part)].ids(bytes),
      catch: () => exportDirectory.foreign(`${directory.at(part)} is no part of an export`)
    }))
  const refused = rejected === null ? [] : idsInJson(new TextDecoder().decode(yield* directory.readPart(rejected)))
  return new Set([...rows, ...refused])
})

/** The format of the parts that are there, which is that of all parts. Without any, the one that is asked for. */
const agreedFormat = (
  { path }: exportDirectory.ExportDirectory,
  recorded: ReadonlyMap<number, exportDirectory.Recorded>,
  asked: Format | undefined
): Effect.Effect<Format, SinkError> => {
  const [part] = [...recorded.values()].flatMap(({ part }) => part ?? [])
  if (part === undefined) return Effect.succeed(asked ?? "ndjson")
  const format = formatOf(part)
  return asked === undefined || asked === format
    ? Effect.succeed(format)
    : exportDirectory.stored(
      `the parts in ${path} are ${format}, not ${asked}; name another directory, or leave the format out`
    )
}

/** Stores the manifest, and for CSV how the parts are loaded. */
const finish = Effect.fnUntraced(function*({ columns, directory, format, lock, recorded }: Shared, manifest: Manifest) {
  yield* lock.check()
  if (format === "csv") {
    const parts = [...recorded.values()].flatMap(({ part }) => part === null ? [] : [part])
    yield* directory.replace("load.sql", loadSql(parts.sort(), columns))
  }
  yield* directory.replace("manifest.json", `${JSON.stringify(Schema.encodeSync(Manifest)(manifest), null, 2)}\n`)
})

const open = Effect.fnUntraced(function*(
  directory: exportDirectory.ExportDirectory,
  asked: Format | undefined,
  newPlan: Plan | undefined
) {
  const { fs } = directory
  // Nothing is written into a directory of something else, not even the lock.
  const needed = (yield* directory.inspect(newPlan)) ?? newPlan
  if (needed === undefined) return yield* directory.none
  yield* ofPlan(needed)
  yield* io(fs.makeDirectory(directory.path, { recursive: true }))
  const lock = yield* directoryLock.acquire(fs, directory.path, directory.at(directoryLock.lockName))
  const found = yield* directory.inspect(newPlan)
  let plan = found ?? newPlan ?? (yield* directory.none)
  const columns = yield* ofPlan(plan)
  if (found === undefined) yield* directory.storePlan(plan)
  for (const folder of exportDirectory.folders) yield* io(fs.makeDirectory(directory.at(folder), { recursive: true }))
  const recorded = yield* directory.recover()
  const format = yield* agreedFormat(directory, recorded, asked)
  const shared: Shared = {
    directory,
    format,
    columns,
    lock,
    recorded,
    writers: new Map(),
    losses: new Map(),
    ended: yield* openList(directory, "windows.ndjson"),
    begun: yield* openList(directory, "begun.ndjson")
  }
  yield* directory.syncDirectory(directory.path)
  yield* Effect.addFinalizer((exit) =>
    Effect.forEach([...shared.writers.keys()], (window) => Effect.ignore(forget(shared, window, exit)), {
      discard: true
    })
  )
  const session: Session = {
    plan: Effect.sync(() => plan),
    states: Effect.sync(() => [...recorded.values()].map(({ state }) => state)),
    extend: (longer) => Effect.map(Effect.zipRight(lock.check(), directory.storePlan(longer)), () => plan = longer),
    commit: (page) =>
      Effect.tapErrorCause(
        append(shared, page),
        (cause) => Effect.ignore(forget(shared, page.window.index, Exit.failCause(cause)))
      ),
    restart: (before) =>
      Effect.as(forget(shared, before.window, Exit.void), {
        ...fresh({ index: before.window }),
        pages: before.pages
      }),
    ids: ({ index }) => ids(shared, index),
    finish: (manifest) => finish(shared, manifest)
  }
  return session
})

export const make = (
  { directory, format }: Options
): Effect.Effect<Sink, never, FileSystem.FileSystem | Path.Path> =>
  Effect.map(exportDirectory.make(directory), (opened) => ({
    open: (plan) =>
      Effect.gen(function*() {
        const scope = yield* Scope.fork(yield* Effect.scope, ExecutionStrategy.sequential)
        // The lock of an attempt that fails would be in the way of the next one.
        return yield* open(opened, format, plan).pipe(
          Scope.extend(scope),
          Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
        )
      })
  }))
