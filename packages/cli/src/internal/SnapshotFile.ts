/**
 * The file of a snapshot while it is read: the rows so far beside its place, and how far the reading came. Rows are synced before
 * the progress that counts them is replaced, so after a crash the file is cut off at what the progress counts.
 */
import * as Checkpoint from "@effect-klaytn/core/Checkpoint"
import type { PlatformError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Failure from "./Failure.js"

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
  /** Of the page after that: tokens whose owners are stored, and where the list of owners of the next one goes on. */
  tokens: Schema.Array(Schema.String),
  owners: Schema.NullOr(Checkpoint.Checkpoint),
  isRead: Schema.Boolean
})

export type Progress = typeof Progress.Type

const encoder = new TextEncoder()
const text = Schema.parseJson(Progress)

const refused = (file: string, problem: string): Failure.Failure => Failure.usage(`${file}: ${problem}`)

export class SnapshotFile {
  constructor(private readonly fs: FileSystem.FileSystem, readonly file: string) {}

  private get partial(): string {
    return `${this.file}.partial`
  }

  private get progress(): string {
    return `${this.file}.progress`
  }

  /** What to remove to begin anew. */
  get parts(): string {
    return `${this.progress} and ${this.partial}`
  }

  get verdict(): string {
    return `${this.file}.verdict.json`
  }

  /** The progress of a reading that was stopped. Refuses a file that is there already. */
  resume(): Effect.Effect<Progress | undefined, PlatformError | Failure.Failure> {
    return Effect.gen(this, function*() {
      // A process that died right after the rows were put into their place left its progress behind.
      const isPlaced = yield* this.fs.exists(this.file)
      if (isPlaced) return yield* refused(this.file, "a file is there already; name another")
      if (!(yield* this.fs.exists(this.progress))) return undefined
      const found = yield* Effect.mapError(
        Schema.decode(text)(yield* this.fs.readFileString(this.progress)),
        () => refused(this.progress, "this is no progress of a snapshot; remove it, or name another file")
      )
      if (yield* this.fs.exists(this.partial)) yield* this.fs.truncate(this.partial, FileSystem.Size(found.bytes))
      else if (found.bytes > 0) return yield* refused(this.partial, `it is gone; remove ${this.progress} to begin anew`)
      return found
    })
  }

  /** Writes to a file, and waits until the disk has it. */
  private write(name: string, flag: "a" | "w", bytes: Uint8Array): Effect.Effect<void, PlatformError> {
    return Effect.scoped(Effect.gen(this, function*() {
      const file = yield* this.fs.open(name, { flag })
      if (bytes.length > 0) yield* file.writeAll(bytes)
      yield* file.sync
    }))
  }

  private replace(name: string, content: string): Effect.Effect<void, PlatformError> {
    const next = `${name}.tmp`
    return Effect.zipRight(this.write(next, "w", encoder.encode(content)), this.fs.rename(next, name))
  }

  /** Adds rows, and then says so. Returns the progress with their bytes. */
  store(rows: string, next: Progress): Effect.Effect<Progress, PlatformError> {
    return Effect.gen(this, function*() {
      const bytes = encoder.encode(rows)
      const after = { ...next, bytes: next.bytes + bytes.length }
      yield* this.write(this.partial, "a", bytes)
      yield* this.replace(this.progress, Schema.encodeSync(text)(after))
      return after
    }).pipe(Effect.uninterruptible)
  }

  /** Puts the rows into their place, after the verdict on them. */
  finish(verdict: unknown): Effect.Effect<void, PlatformError> {
    return Effect.gen(this, function*() {
      yield* this.replace(this.verdict, `${JSON.stringify(verdict, null, 2)}\n`)
      yield* this.fs.rename(this.partial, this.file)
      yield* this.fs.remove(this.progress)
    }).pipe(Effect.uninterruptible)
  }
}
