/**
 * The file of a snapshot while it is read: the rows so far beside its place, and how far the reading came. Rows are synced before
 * the progress that counts them is replaced, so after a crash the file is cut off at what the progress counts.
 */
import * as Checkpoint from "@effect-klaytn/core/Checkpoint"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Failure from "../terminal/Failure.js"

/** How far a reading came. */
export const Progress = Schema.Struct({
  version: Schema.Literal(1),
  contract: Schema.String,
  kind: Schema.Literal("nft", "mt"),
  /** When the first page was asked for, in Unix seconds. */
  began: Schema.Int,
  rows: Schema.NonNegativeInt,
  bytes: Schema.NonNegativeInt,
  /** After the last page of the list of tokens that is stored whole. */
  list: Schema.NullOr(Checkpoint.Checkpoint),
  /** Of the page after that: tokens whose owners are stored, and where the list of owners of the next token continues. */
  tokens: Schema.Array(Schema.String),
  owners: Schema.NullOr(Checkpoint.Checkpoint),
  isRead: Schema.Boolean
})

export type Progress = typeof Progress.Type

/** The progress of a reading that has stored nothing. */
export const none = { version: 1, rows: 0, bytes: 0, list: null, tokens: [], owners: null, isRead: false } as const

const encoder = new TextEncoder()
const text = Schema.parseJson(Progress)

const refused = (file: string, problem: string): Failure.Failure => Failure.usage(`${file}: ${problem}`)

export type SnapshotFile = ReturnType<typeof make>

export const make = (fs: FileSystem.FileSystem, file: string) => {
  const partial = `${file}.partial`
  const stored = `${file}.progress`
  const verdict = `${file}.verdict.json`

  /** Refuses a file that is there already. */
  const checkFree = (name: string) =>
    Effect.flatMap(
      fs.exists(name),
      (isThere) => isThere ? refused(name, "a file is there already; name another") : Effect.void
    )

  const replace = (name: string, content: string) => {
    const next = `${name}.tmp`
    return fs.open(next, { flag: "w" }).pipe(
      Effect.flatMap((opened) => Effect.zipRight(opened.writeAll(encoder.encode(content)), opened.sync)),
      Effect.scoped,
      Effect.zipRight(fs.rename(next, name))
    )
  }

  /** The progress of a reading that was stopped. */
  const stopped = Effect.gen(function*() {
    const found = yield* Effect.mapError(
      Schema.decode(text)(yield* fs.readFileString(stored)),
      () => refused(stored, "this is no progress of a snapshot; remove it, or name another file")
    )
    if (yield* fs.exists(partial)) yield* fs.truncate(partial, FileSystem.Size(found.bytes))
    else if (found.bytes > 0) return yield* refused(partial, `it is gone; remove ${stored} to begin anew`)
    return found
  })

  /** Adds bytes behind those that are there, and waits until the disk has them. */
  const append = Effect.fnUntraced(function*(bytes: Uint8Array, before: number) {
    const opened = yield* fs.open(partial, { flag: "a" })
    const { size } = yield* opened.stat
    if (Number(size) !== before) {
      return yield* refused(partial, "another process writes to it; stop that, and run this again")
    }
    if (bytes.length > 0) yield* opened.writeAll(bytes)
    yield* opened.sync
  }, Effect.scoped)

  return {
    file,
    verdict,
    /** What to remove to begin anew. */
    parts: `${stored} and ${partial}`,
    /** The progress of a reading that was stopped, or of a new one, which is stored. Refuses to replace files of others. */
    begin: Effect.fnUntraced(function*(fresh: Progress) {
      yield* checkFree(file)
      if (yield* fs.exists(stored)) return yield* stopped
      yield* checkFree(partial)
      yield* replace(stored, Schema.encodeSync(text)(fresh))
      return fresh
    }),
    /** Adds rows, then stores the progress that counts them. Returns it with their bytes. */
    store: Effect.fnUntraced(function*(rows: string, next: Progress) {
      const bytes = encoder.encode(rows)
      const after = { ...next, bytes: next.bytes + bytes.length }
      yield* append(bytes, next.bytes)
      yield* replace(stored, Schema.encodeSync(text)(after))
      return after
    }, Effect.uninterruptible),
    /** Puts the rows into their place, after the verdict on them. A process that dies then leaves its progress behind. */
    finish: Effect.fnUntraced(function*(found: unknown) {
      yield* checkFree(file)
      yield* replace(verdict, `${JSON.stringify(found, null, 2)}\n`)
      yield* fs.rename(partial, file)
      yield* fs.remove(stored)
    }, Effect.uninterruptible)
  }
}
