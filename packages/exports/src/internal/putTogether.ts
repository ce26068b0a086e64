/** Puts small parts of a window together: a tail adds a few rows at each look, and a repair a few that were late. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Stream from "effect/Stream"
import type { Row } from "../Row.js"
import type { SinkError } from "../Sink.js"
import type { Lock } from "./directoryLock.js"
import type { File } from "./exportDirectory.js"
import { type FileSeries, PartLength } from "./FileSeries.js"

/** Two parts of together at most so many bytes become one. */
const longest = 2 ** 20

/** The last part that was there and the one that came, if they are small; `undefined` if they are not. */
const smallOf = (
  before: ReadonlyArray<File>,
  parts: ReadonlyArray<File>,
  length: number
): readonly [old: File, added: File] | undefined => {
  const old = before.at(-1)
  const added = parts.at(-1)
  if (old === undefined || added === undefined || parts.length !== before.length + 1) return undefined
  const bytes = (old.bytes ?? Number.POSITIVE_INFINITY) + (added.bytes ?? Number.POSITIVE_INFINITY)
  return bytes <= Math.min(longest, length) ? [old, added] : undefined
}

/** Two lists of rows that are newest first as one. A row of which no second or block is known stays behind the one before it. */
const merged = (
  one: ReadonlyArray<Row>,
  other: ReadonlyArray<Row>,
  at: (row: Row) => number | null
): ReadonlyArray<Row> => {
  const placed = (rows: ReadonlyArray<Row>) => {
    let last = Number.POSITIVE_INFINITY
    return rows.map((row) => ({ row, at: last = Math.min(last, at(row) ?? last) }))
  }
  const [left, right] = [placed(one), placed(other)]
  const all: Array<Row> = []
  let next = 0
  for (const { at, row } of left) {
    for (let other = right[next]; other !== undefined && other.at > at; other = right[++next]) all.push(other.row)
    all.push(row)
  }
  return [...all, ...right.slice(next).map(({ row }) => row)]
}

/** How parts are read. */
interface Reader {
  /** Whether a part is as it was recorded. */
  readonly isWhole: (file: File) => Effect.Effect<boolean, SinkError>
  readonly rows: (file: File) => Stream.Stream<ReadonlyArray<Row>, SinkError>
  /** The second or block of a row. */
  readonly at: (row: Row) => number | null
}

/**
 * The parts of a window, with the last two as one if they are small, and the files that no longer count. A part that was changed
 * stays as it is: what is made of it would be recorded as if it were whole.
 */
export const putTogether = (
  before: ReadonlyArray<File>,
  parts: ReadonlyArray<File>,
  { at, isWhole, rows }: Reader,
  series: FileSeries<Row>,
  lock: Pick<Lock, "isOwn">
): Effect.Effect<{ readonly parts: ReadonlyArray<File>; readonly replaced: ReadonlyArray<File> }, SinkError> =>
  Effect.gen(function*() {
    const small = smallOf(before, parts, yield* PartLength)
    if (small === undefined || !(yield* isWhole(small[0]))) return { parts, replaced: [] }
    const rowsOf = (file: File) =>
      Stream.runFold(rows(file), new Array<Row>(), (all, some) => {
        all.push(...some)
        return all
      })
    const [old, added] = yield* Effect.forEach(small, rowsOf)
    yield* series.add(merged(added ?? [], old ?? [], at))
    return { parts: yield* series.end(before.slice(0, -1)), replaced: small }
  }).pipe(
    // A process that has taken the lock over may have files with these names.
    Effect.onError((cause) =>
      Effect.flatMap(lock.isOwn(), (isOwn) => Effect.ignore(series.forget(Exit.failCause(cause), isOwn)))
    )
  )
