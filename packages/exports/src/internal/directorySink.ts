import type * as FileSystem from "@effect/platform/FileSystem"
import type * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { Manifest } from "../Manifest.js"
import type { Plan, Window } from "../Plan.js"
import type { Rejected, Row } from "../Row.js"
import { fresh, type Id, type Page, type Part, type Session, type Sink, SinkError, type WindowState } from "../Sink.js"
import { type Columns, jsonLines, ofPlan } from "./columns.js"
import * as contents from "./directoryContents.js"
import * as directoryLock from "./directoryLock.js"
import * as exportDirectory from "./exportDirectory.js"
import { FileSeries, PartLength } from "./FileSeries.js"
import { type LineList, openList } from "./LineList.js"
import { loadSql } from "./loadSql.js"
import { type Format, formatOf, linesEncoder, partFormats } from "./partFormats.js"
import { putTogether } from "./putTogether.js"
import { siblingsOf } from "./siblings.js"
import { again } from "./state.js"
import { io } from "./storageFault.js"

/** A window that is being read. */
interface Writer {
  readonly rows: FileSeries<Row>
  readonly rejected: FileSeries<Rejected>
  /** The IDs that the window has already where it is read again. */
  readonly known: ReadonlySet<string>
  /** The IDs of the rows that were written and that other windows may return too. */
  readonly claimed: Set<string>
  /** The IDs of the last two pages: a record that the service repeats at once is not written twice. */
  recent: readonly [ReadonlySet<string>, ReadonlySet<string>]
}

/** What the functions of a session share. */
interface Shared {
  readonly directory: exportDirectory.ExportDirectory
  readonly format: Format
  /** The columns in which the export began. */
  readonly columns: Columns
  readonly unit: Plan["unit"]
  readonly lock: directoryLock.Lock
  readonly recorded: Map<number, exportDirectory.Recorded>
  readonly writers: Map<number, Writer>
  readonly plan: () => Plan
  /** By ID, the window of this session that wrote a row which other windows may return too. */
  readonly claims: Map<string, number>
  /** Damaged windows that are read again. */
  readonly rewritten: Set<number>
  /** The names of parts that are damaged. */
  readonly damaged: Set<string>
  /** What is marked as extra. */
  readonly marks: contents.Marks
  /** How often the first pages of a window were lost. */
  readonly losses: Map<number, number>
  /** The lists of windows that ended and of files that were begun. */
  readonly ended: LineList
  readonly begun: LineList
}

const everywhere: Part = { from: 0, to: Number.MAX_SAFE_INTEGER }

/** Whether a file may have rows of a part of its window. */
const isIn = ({ from, to }: Part) => (file: exportDirectory.File): boolean =>
  file.from === null || file.to === null || file.from <= to && file.to >= from

/** The IDs of a window that is recorded, of the files that may have rows of a part of it. Damaged files are left out. */
const ids = (
  { columns, damaged, directory, recorded }: Shared,
  window: number,
  part: Part
): Stream.Stream<ReadonlyArray<Id>, SinkError> => {
  const { parts = [], rejected = [] } = recorded.get(window) ?? {}
  const isWhole = ({ name }: exportDirectory.File): boolean => !damaged.has(name)
  return Stream.concat(
    Stream.flatMap(Stream.fromIterable(parts.filter(isIn(part)).filter(isWhole)), (file) =>
      Stream.map(
        contents.rowsOf(directory, columns, file),
        (rows) => rows.map((row) => ({ id: row.id, unix: row.unix, block: row.block_number }))
      )),
    Stream.flatMap(Stream.fromIterable(rejected.filter(isWhole)), (file) =>
      Stream.map(
        contents.rejectedOf(directory, file),
        (some) => some.map(({ id }) => ({ id, unix: null, block: null }))
      ))
  )
}

/** The second or block of a row. */
const placeIn = ({ unit }: Shared) => (row: Row): number | null => unit === "second" ? row.unix : row.block_number

/** What writes parts of a window, beside those that it has. */
const makeParts = (shared: Shared, index: number, used: ReadonlyArray<exportDirectory.File>) => {
  const { begun, columns, directory, format } = shared
  return Effect.map(PartLength, (longest) =>
    new FileSeries<Row>({
      directory,
      begun,
      window: index,
      longest,
      used,
      place: (name) => `parts/${name}.${format}`,
      encoder: () => partFormats[format].encoder(columns),
      at: placeIn(shared)
    }))
}

/** What writes the files that a window gets. */
const makeWriter = Effect.fnUntraced(function*(shared: Shared, index: number, known: ReadonlySet<string>) {
  const { begun, columns, directory, recorded, writers } = shared
  const { parts = [], rejected = [] } = recorded.get(index) ?? {}
  const longest = yield* PartLength
  const writer: Writer = {
    rows: yield* makeParts(shared, index, parts),
    rejected: new FileSeries<Rejected>({
      directory,
      begun,
      window: index,
      longest,
      used: rejected,
      place: (name) => `rejected/${name}.ndjson`,
      encoder: () => linesEncoder("", (some: ReadonlyArray<Rejected>) => jsonLines(columns.rejected, some)),
      at: () => null
    }),
    known,
    claimed: new Set(),
    recent: [new Set(), new Set()]
  }
  writers.set(index, writer)
  return writer
})

/** Begins to write what a window gets. Its files that count stay: it gets others beside them. */
const begin = Effect.fnUntraced(function*(shared: Shared, { before, window }: Page) {
  const known = new Set<string>()
  const windows = [window, ...siblingsOf(shared.plan(), window)].filter(({ index }) => shared.recorded.has(index))
  yield* Stream.runForEach(
    Stream.flatMap(Stream.fromIterable(windows), ({ index }) => ids(shared, index, before.reading ?? everywhere)),
    (some) =>
      Effect.sync(() => {
        for (const { id } of some) known.add(id)
      })
  )
  return yield* makeWriter(shared, window.index, known)
})

/** The rows that no other window has written. Of two windows that return a row, the first one to store it has it. */
const claim = (
  { claims, plan }: Shared,
  { claimed }: Writer,
  window: Window,
  rows: ReadonlyArray<Row>
): ReadonlyArray<Row> => {
  if (siblingsOf(plan(), window).length === 0) return rows
  return rows.filter(({ id }) => {
    const owner = claims.get(id)
    if (owner !== undefined && owner !== window.index) return false
    claims.set(id, window.index)
    claimed.add(id)
    return true
  })
}

/** Closes the files of a window and removes those that are not recorded. */
const forget = Effect.fnUntraced(
  function*({ claims, lock, writers }: Shared, window: number, exit: Exit.Exit<unknown, unknown>) {
    const writer = writers.get(window)
    if (writer === undefined) return
    writers.delete(window)
    for (const id of writer.claimed) claims.delete(id)
    // A process that has taken the lock over may have files with these names.
    const isOwn = yield* lock.isOwn()
    for (const series of [writer.rows, writer.rejected]) yield* series.forget(exit, isOwn)
  }
)

/** So many characters may be added to the list of windows before it is written anew. */
const longestList = 2 ** 20

/** So many names of files that were begun may be listed while none is being written. */
const longestBegun = 2 ** 16

/** Keeps the damaged files of a window that was read again aside, and sums up what the others hold. */
const rewritten = Effect.fnUntraced(function*(shared: Shared, record: exportDirectory.Recorded) {
  const { columns, damaged, directory } = shared
  const isWhole = ({ name }: exportDirectory.File): boolean => !damaged.has(name)
  const [parts, rejected] = [record.parts.filter(isWhole), record.rejected.filter(isWhole)]
  for (const { name } of [...record.parts, ...record.rejected]) if (damaged.has(name)) yield* directory.setAside(name)
  return {
    state: { ...record.state, ...yield* contents.contentOf(directory, columns, parts, rejected) },
    parts,
    rejected
  }
})

/** Records a window that ended. Returns its state. */
const end = Effect.fnUntraced(function*(shared: Shared, writer: Writer, state: WindowState) {
  const { columns, directory, ended, lock, recorded } = shared
  yield* lock.check()
  const before = recorded.get(state.window)
  const read: exportDirectory.Recorded = {
    state,
    parts: yield* writer.rows.end(before?.parts ?? []),
    rejected: yield* writer.rejected.end(before?.rejected ?? [])
  }
  const isRewritten = shared.rewritten.delete(state.window)
  const series = yield* makeParts(shared, state.window, read.parts)
  const { parts, replaced } = isRewritten || read.parts.some(({ name }) => shared.damaged.has(name))
    ? { parts: read.parts, replaced: [] }
    : yield* putTogether(
      before?.parts ?? [],
      read.parts,
      {
        isWhole: (file) => contents.isWhole(directory, file),
        rows: (file) => contents.rowsOf(directory, columns, file),
        at: placeIn(shared)
      },
      series,
      lock
    )
  const record = isRewritten ? yield* rewritten(shared, read) : { ...read, parts }
  // From here on the line may be there: the files stay.
  writer.rows.keep()
  writer.rejected.keep()
  writer.claimed.clear()
  yield* ended.add(exportDirectory.lineOf(record, before), () => recorded.set(state.window, record))
  yield* ended.sync
  for (const { name } of replaced) yield* directory.removePart(name)
  return record.state
})

/** Writes the lists of the directory anew once they are long: the newest line of a window is enough. */
const shorten = Effect.fnUntraced(function*({ begun, ended, lock, recorded, writers }: Shared) {
  const isLong = ended.added() > longestList
  if (!isLong && !(begun.added() > longestBegun && writers.size === 0)) return
  yield* lock.check()
  if (isLong) yield* ended.replace(() => [...recorded.values()].map((one) => exportDirectory.lineOf(one, undefined)))
  // A window that is begun meanwhile is a writer before its files are listed.
  yield* begun.replace(() => writers.size === 0 ? [] : undefined)
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
  const writer = open ?? (yield* begin(shared, page))
  const isNew = ({ id }: Row | Rejected): boolean => !writer.known.has(id) && writer.recent.every((ids) => !ids.has(id))
  const rows = claim(shared, writer, page.window, page.rows.filter(isNew))
  const rejected = page.rejected.filter(isNew)
  yield* writer.rows.add(rows)
  yield* writer.rejected.add(rejected)
  writer.recent = [writer.recent[1], new Set([...page.rows, ...page.rejected].map(({ id }) => id))]
  const state = page.next(rows, rejected)
  if (state.status === "open") return state
  const recorded = yield* end(shared, writer, state)
  yield* forget(shared, index, Exit.void)
  yield* shorten(shared)
  return recorded
})

/** Removes rows and rejected records of a window: the files that hold them are written again without them. */
const remove = Effect.fnUntraced(
  function*(shared: Shared, before: WindowState, gone: ReadonlySet<string>) {
    const { columns, directory, ended, lock, marks, recorded } = shared
    const old = recorded.get(before.window) ?? { parts: [], rejected: [] }
    const writer = yield* makeWriter(shared, before.window, new Set())
    const rows = yield* contents.without(
      old.parts,
      (file) => contents.rowsOf(directory, columns, file),
      writer.rows,
      gone
    )
    const refused = yield* contents.without(
      old.rejected,
      (file) => contents.rejectedOf(directory, file),
      writer.rejected,
      gone
    )
    const content = yield* contents.contentOf(directory, columns, rows.kept, refused.kept)
    const state = { ...before, ...content, pages: before.pages + 1 }
    yield* lock.check()
    writer.rows.keep()
    writer.rejected.keep()
    const record = { state, parts: rows.kept, rejected: refused.kept }
    yield* ended.add(exportDirectory.lineOf(record, undefined), () => recorded.set(before.window, record))
    yield* ended.sync
    yield* forget(shared, before.window, Exit.void)
    for (const { name } of [...rows.replaced, ...refused.replaced]) yield* directory.removePart(name)
    yield* marks.replace(before.window, (marked) => marked.filter(({ id }) => !gone.has(id)))
    return state
  },
  (effect, shared, before) =>
    Effect.tapErrorCause(effect, (cause) => Effect.ignore(forget(shared, before.window, Exit.failCause(cause))))
)

/** The format of the parts that are there, which is that of all parts. Without any, the one that is asked for. */
const agreedFormat = (
  { path }: exportDirectory.ExportDirectory,
  recorded: ReadonlyMap<number, exportDirectory.Recorded>,
  asked: Format | undefined
): Effect.Effect<Format, SinkError> => {
  const [part] = [...recorded.values()].flatMap(({ parts }) => parts)
  if (part === undefined) return Effect.succeed(asked ?? "ndjson")
  const format = formatOf(part.name)
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
    const parts = [...recorded.values()].flatMap(({ parts }) => parts.map(({ name }) => name))
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
  const recovered = yield* directory.recover()
  plan = yield* directory.join(plan, recovered)
  const { recorded } = recovered
  const format = yield* agreedFormat(directory, recorded, asked)
  const shared: Shared = {
    directory,
    format,
    columns,
    unit: plan.unit,
    plan: () => plan,
    claims: new Map(),
    lock,
    recorded,
    writers: new Map(),
    rewritten: new Set(),
    damaged: new Set(),
    marks: yield* contents.openMarks(directory),
    losses: new Map(),
    ended: yield* openList(directory, "windows.ndjson", recovered.superseded),
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
    // What is recorded stays, and what was written since is discarded.
    restart: (before, rewrite = false) =>
      Effect.map(forget(shared, before.window, Exit.void), () => {
        if (rewrite) shared.rewritten.add(before.window)
        return again(recorded.get(before.window)?.state ?? { ...fresh({ index: before.window }), pages: before.pages })
      }),
    ids: ({ index }: Window, part = everywhere) => ids(shared, index, part),
    damages: Effect.suspend(() => contents.damages(directory, recorded.values(), shared.damaged, true)),
    verify: ({ index }) =>
      Effect.suspend(() => {
        const one = recorded.get(index)
        return contents.damages(directory, one === undefined ? [] : [one], shared.damaged, false)
      }),
    extras: Effect.sync(shared.marks.all),
    mark: ({ index }, marked) => Effect.zipRight(lock.check(), shared.marks.replace(index, () => marked)),
    remove: (before, gone) => remove(shared, before, gone),
    finish: (manifest) => finish(shared, manifest)
  }
  return session
})

export const make = (
  { directory, format }: { readonly directory: string; readonly format?: "ndjson" | "csv" | "parquet" | undefined }
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
