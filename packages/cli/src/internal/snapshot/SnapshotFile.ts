/**
 * The file of a snapshot while it is read: the rows so far beside its place, and how far the reading came. Rows are synced before
 * the progress that counts them is replaced, so after a crash the file is cut off at what the progress counts.
 */
import * as Checkpoint from "@effect-klaytn/core/Checkpoint"
import type { PlatformError } from "@effect/platform/Error"
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

const encoder = new TextEncoder()
const text = Schema.parseJson(Progress)

const refused = (file: string, problem: string): Failure.Failure => Failure.usage(`${file}: ${problem}`)

export class SnapshotFile {
  readonly #partial: string
  readonly #progress: string
  readonly verdict: string

  constructor(private readonly fs: FileSystem.FileSystem, readonly file: string) {
    this.#partial = `${file}.partial`
    this.#progress = `${file}.progress`
    this.verdict = `${file}.verdict.json`
  }

  /** What to remove to begin anew. */
  get parts(): string {
    return `${this.#progress} and ${this.#partial}`
  }

  /** Refuses a file that is there already. */
  #checkFree(file: string): Effect.Effect<void, PlatformError | Failure.Failure> {
    return Effect.flatMap(
      this.fs.exists(file),
      (isThere) => isThere ? refused(file, "a file is there already; name another") : Effect.void
    )
  }

  /** The progress of a reading that was stopped. */
  #stopped(): Effect.Effect<Progress, PlatformError | Failure.Failure> {
    return Effect.gen(this, function*() {
      const found = yield* Effect.mapError(
        Schema.decode(text)(yield* this.fs.readFileString(this.#progress)),
        () => refused(this.#progress, "this is no progress of a snapshot; remove it, or name another file")
      )
      if (yield* this.fs.exists(this.#partial)) yield* this.fs.truncate(this.#partial, FileSystem.Size(found.bytes))
      else if (found.bytes > 0) {
        return yield* refused(this.#partial, `it is gone; remove ${this.#progress} to begin anew`)
      }
      return found
    })
  }

  /** The progress of a reading that was stopped, or of a new one, which is stored. Refuses to replace files of others. */
  begin(fresh: Progress): Effect.Effect<Progress, PlatformError | Failure.Failure> {
    return Effect.gen(this, function*() {
      yield* this.#checkFree(this.file)
      if (yield* this.fs.exists(this.#progress)) return yield* this.#stopped()
      yield* this.#checkFree(this.#partial)
      yield* this.#replace(this.#progress, Schema.encodeSync(text)(fresh))
      return fresh
    })
  }

  #replace(name: string, content: string): Effect.Effect<void, PlatformError> {
    const next = `${name}.tmp`
    return this.fs.open(next, { flag: "w" }).pipe(
      Effect.flatMap((file) => Effect.zipRight(file.writeAll(encoder.encode(content)), file.sync)),
      Effect.scoped,
      Effect.zipRight(this.fs.rename(next, name))
    )
  }

  /** Adds bytes behind those that are there, and waits until the disk has them. */
  #append(bytes: Uint8Array, before: number): Effect.Effect<void, PlatformError | Failure.Failure> {
    return Effect.scoped(Effect.gen(this, function*() {
      const file = yield* this.fs.open(this.#partial, { flag: "a" })
      const { size } = yield* file.stat
      if (Number(size) !== before) {
        return yield* refused(this.#partial, "another process writes to it; stop that, and run this again")
      }
      if (bytes.length > 0) yield* file.writeAll(bytes)
      yield* file.sync
    }))
  }

  /** Adds rows, then stores the progress that counts them. Returns it with their bytes. */
  store(rows: string, next: Progress): Effect.Effect<Progress, PlatformError | Failure.Failure> {
    return Effect.gen(this, function*() {
      const bytes = encoder.encode(rows)
      const after = { ...next, bytes: next.bytes + bytes.length }
      yield* this.#append(bytes, next.bytes)
      yield* this.#replace(this.#progress, Schema.encodeSync(text)(after))
      return after
    }).pipe(Effect.uninterruptible)
  }

  /** Puts the rows into their place, after the verdict on them. A process that dies then leaves its progress behind. */
  finish(verdict: unknown): Effect.Effect<void, PlatformError | Failure.Failure> {
    return Effect.gen(this, function*() {
      yield* this.#checkFree(this.file)
      yield* this.#replace(this.verdict, `${JSON.stringify(verdict, null, 2)}\n`)
      yield* this.fs.rename(this.#partial, this.file)
      yield* this.fs.remove(this.#progress)
    }).pipe(Effect.uninterruptible)
  }
}
