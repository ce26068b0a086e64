/** What the files of a directory hold: whether they are as they were recorded, and what of it is marked as extra. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { createHash } from "node:crypto"
import type { Rejected, Row } from "../Row.js"
import { type Damage, Extra, SinkError } from "../Sink.js"
import type { Columns } from "./columns.js"
import { type ExportDirectory, extraLines, type File, foreign, type Recorded } from "./exportDirectory.js"
import type { FileSeries } from "./FileSeries.js"
import { decimalOf } from "./flatten.js"
import { formatOf, jsonObjects, partFormats } from "./partFormats.js"
import { type Content, noContent, withRows } from "./state.js"
import { io } from "./storageFault.js"

const hashOf = (directory: ExportDirectory, name: string): Effect.Effect<string, SinkError> =>
  Effect.flatMap(directory.source(name), ({ read }) =>
    Effect.map(
      Stream.runFold(read(), createHash("sha256"), (hash, bytes) => hash.update(bytes)),
      (hash) => hash.digest("hex")
    ))

/** What is wrong with a file, if something is. With `isQuick`, a file that was not changed since is not read. */
const problemOf = (
  directory: ExportDirectory,
  file: File,
  isQuick: boolean
): Effect.Effect<string | undefined, SinkError> =>
  Effect.gen(function*() {
    const { bytes, modified, name, sha256 } = file
    const kind = yield* directory.kindOf(name)
    if (kind !== "file") return kind === undefined ? `${name} is gone` : `${name} is a ${kind}`
    const { size } = yield* io(directory.fs.stat(directory.at(name)))
    if (bytes !== null && Number(size) !== bytes) {
      return `${name} has ${size} bytes, and ${bytes} were recorded`
    }
    if (sha256 === null || isQuick && modified !== undefined && (yield* directory.modified(name)) === modified) {
      return undefined
    }
    return (yield* hashOf(directory, name)) === sha256
      ? undefined
      : `${name} was changed: its SHA-256 is not the one that was recorded`
  })

/** Whether a file is as it was recorded: it is read. */
export const isWhole = (directory: ExportDirectory, file: File): Effect.Effect<boolean, SinkError> =>
  Effect.map(problemOf(directory, file, false), (problem) => problem === undefined)

/**
 * Files of windows that are gone, of another size, or changed; their names are added to `damaged`. With `isQuick`, a file is read
 * only if it is not of the time that was recorded.
 */
export const damages = (
  directory: ExportDirectory,
  recorded: Iterable<Recorded>,
  damaged: Set<string>,
  isQuick: boolean
): Effect.Effect<ReadonlyArray<Damage>, SinkError> =>
  Effect.map(
    Effect.forEach(
      [...recorded].flatMap(({ parts, rejected, state }) =>
        [...parts, ...rejected].map((file) => ({ window: state.window, file }))
      ),
      ({ file, window }) =>
        Effect.map(problemOf(directory, file, isQuick), (problem) => {
          if (problem === undefined) return []
          damaged.add(file.name)
          return [{ window, problem }]
        })
    ),
    (found) => found.flat()
  )

/** What fails as something else than an error of the sink is no part of an export. */
const readable = (directory: ExportDirectory, name: string) => (error: unknown): SinkError =>
  error instanceof SinkError ? error : foreign(`${directory.at(name)} is no part of an export`)

/** The rows of a part, some at a time, as they were written. */
export const rowsOf = (
  directory: ExportDirectory,
  columns: Columns,
  { name }: File
): Stream.Stream<ReadonlyArray<Row>, SinkError> => {
  const format = formatOf(name)
  // A decimal of Parquet has no room for it.
  const whole = (row: Row): Row => ({
    ...row,
    amount_decimal: decimalOf(row.kind, BigInt(row.amount), row.token_decimals ?? undefined)
  })
  return Stream.unwrap(Effect.map(directory.source(name), (source) => partFormats[format].rows(source, columns))).pipe(
    Stream.map((rows) => format === "parquet" ? rows.map(whole) : rows),
    Stream.mapError(readable(directory, name))
  )
}

/** The rejected records of a file, some at a time. */
export const rejectedOf = (
  directory: ExportDirectory,
  { name }: File
): Stream.Stream<ReadonlyArray<Rejected>, SinkError> =>
  Stream.unwrap(Effect.map(directory.source(name), (source) => jsonObjects<Rejected>(source))).pipe(
    Stream.mapError(readable(directory, name))
  )

/** What the files of a window hold. */
export const contentOf = (
  directory: ExportDirectory,
  columns: Columns,
  parts: ReadonlyArray<File>,
  rejected: ReadonlyArray<File>
): Effect.Effect<Content & { readonly rejected: number }, SinkError> =>
  Effect.gen(function*() {
    const content = yield* Stream.fromIterable(parts).pipe(
      Stream.flatMap((file) => rowsOf(directory, columns, file)),
      Stream.runFold(noContent, (sum, rows) => withRows(columns, sum, rows))
    )
    const refused = yield* Stream.fromIterable(rejected).pipe(
      Stream.flatMap((file) => rejectedOf(directory, file)),
      Stream.runFold(0, (sum, { length }) => sum + length)
    )
    return { ...content, rejected: refused }
  })

/** Writes files again without some of what they hold. Files that hold none of it stay as they are. */
export const without = <A extends { readonly id: string }>(
  files: ReadonlyArray<File>,
  read: (file: File) => Stream.Stream<ReadonlyArray<A>, SinkError>,
  series: FileSeries<A>,
  gone: ReadonlySet<string>
): Effect.Effect<{ readonly kept: ReadonlyArray<File>; readonly replaced: ReadonlyArray<File> }, SinkError> =>
  Effect.gen(function*() {
    const has = (file: File) =>
      Stream.runFold(read(file), false, (found, rows) => found || rows.some(({ id }) => gone.has(id)))
    const replaced = yield* Effect.filter(files, has)
    yield* Stream.fromIterable(replaced).pipe(
      Stream.flatMap(read),
      Stream.runForEach((rows) => series.add(rows.filter(({ id }) => !gone.has(id))))
    )
    return { kept: yield* series.end(files.filter((file) => !replaced.includes(file))), replaced }
  })

/** What is marked as extra, by window. */
export type Marks = Effect.Effect.Success<ReturnType<typeof openMarks>>

/** Opens the marks that are stored. All of them are stored together, one change after the other. */
export const openMarks = Effect.fnUntraced(function*(directory: ExportDirectory) {
  const marks = new Map<number, ReadonlyArray<Extra>>()
  for (const one of yield* directory.decodedLines("extra.ndjson", Extra)) {
    marks.set(one.window, [...marks.get(one.window) ?? [], one])
  }
  const turn = yield* Effect.makeSemaphore(1)
  const all = () => [...marks.values()].flat()
  return {
    all,
    /** Replaces the marks of a window. */
    replace: (window: number, next: (before: ReadonlyArray<Extra>) => ReadonlyArray<Extra>) =>
      turn.withPermits(1)(Effect.suspend(() => {
        marks.set(window, next(marks.get(window) ?? []))
        return directory.replace("extra.ndjson", extraLines(all()))
      }))
  }
})
