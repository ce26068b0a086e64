/** The files of one kind that a window gets: parts, or rejected records. One ends when it is long, and the next one begins. */
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { createHash, type Hash } from "node:crypto"
import type { SinkError } from "../Sink.js"
import type { ExportDirectory, File } from "./exportDirectory.js"
import type { LineList } from "./LineList.js"
import type { Encoder } from "./partFormats.js"
import { io } from "./storageFault.js"

/** A file ends once it has so many bytes. Tests make it short. */
export class PartLength
  extends Context.Reference<PartLength>()("@effect-klaytn/exports/internal/FileSeries/PartLength", {
    defaultValue: () => 64 * 2 ** 20
  })
{}

/** A file that is written beside its place. */
interface Output<A> {
  readonly scope: Scope.CloseableScope
  readonly name: string
  readonly file: FileSystem.File
  readonly encoder: Encoder<A>
  readonly hash: Hash
  bytes: number
  from: number | null
  to: number | null
}

interface Settings<A> {
  readonly directory: ExportDirectory
  /** The list of files that were begun. */
  readonly begun: LineList
  readonly window: number
  /** A file ends once it has so many bytes. */
  readonly longest: number
  /** The files that the window has. */
  readonly used: ReadonlyArray<File>
  /** The place of a file of a name. */
  readonly place: (name: string) => string
  readonly encoder: () => Encoder<A>
  /** The second or block of a row. */
  readonly at: (row: A) => number | null
}

export class FileSeries<A> {
  /** Files in their places that are not recorded yet. */
  #done: ReadonlyArray<File> = []
  #output: Output<A> | undefined

  constructor(private readonly settings: Settings<A>) {}

  /** Opens a file beside its place, under a name that nothing has, after it was listed as begun. */
  #open(): Effect.Effect<Output<A>, SinkError> {
    return Effect.gen(this, function*() {
      const { begun, directory, encoder, place, used, window } = this.settings
      const numbers = [...used, ...this.#done].map(({ name }) => Number(/-(\d+)\./.exec(name)?.[1] ?? 0))
      for (let number = Math.max(0, ...numbers) + 1;; number++) {
        const name = place(`${String(window).padStart(6, "0")}-${number}`)
        const taken = yield* Effect.forEach([name, `${name}.partial`], (one) => directory.kindOf(one))
        if (taken.some((kind) => kind !== undefined)) continue
        yield* begun.add(JSON.stringify(name))
        const scope = yield* Scope.make()
        // It must not exist, and no link is followed.
        const file = yield* io(directory.fs.open(directory.at(`${name}.partial`), { flag: "wx" })).pipe(
          Scope.extend(scope),
          Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
        )
        return { scope, name, file, encoder: encoder(), hash: createHash("sha256"), bytes: 0, from: null, to: null }
      }
    })
  }

  #write(output: Output<A>, bytes: Uint8Array): Effect.Effect<void, SinkError> {
    return Effect.suspend(() => {
      if (bytes.length === 0) return Effect.void
      output.bytes += bytes.length
      output.hash.update(bytes)
      return io(output.file.writeAll(bytes))
    })
  }

  add(rows: ReadonlyArray<A>): Effect.Effect<void, SinkError> {
    return Effect.gen(this, function*() {
      if (rows.length === 0) return
      const output = this.#output ??= yield* this.#open()
      for (const row of rows) {
        const at = this.settings.at(row)
        if (at === null) continue
        output.from = Math.min(output.from ?? at, at)
        output.to = Math.max(output.to ?? at, at)
      }
      yield* this.#write(output, output.encoder.add(rows))
      if (output.bytes >= this.settings.longest) yield* this.#place()
    })
  }

  /** Puts the file that is being written into its place, durably. */
  #place(): Effect.Effect<void, SinkError> {
    return Effect.gen(this, function*() {
      const output = this.#output
      if (output === undefined) return
      const { directory } = this.settings
      const { encoder, file, name, scope } = output
      yield* this.#write(output, encoder.end())
      yield* io(file.sync)
      yield* io(directory.fs.rename(directory.at(`${name}.partial`), directory.at(name)))
      yield* directory.syncDirectory(directory.at(name, ".."))
      const { bytes, from, hash, to } = output
      const modified = yield* directory.modified(name)
      this.#done = [...this.#done, { name, sha256: hash.digest("hex"), bytes, from, to, modified }]
      this.#output = undefined
      yield* Scope.close(scope, Exit.void)
    })
  }

  /** Puts what was written into its place. Returns the files of the window, `before` itself if there are no new ones. */
  end(before: ReadonlyArray<File>): Effect.Effect<ReadonlyArray<File>, SinkError> {
    return Effect.map(this.#place(), () => this.#done.length === 0 ? before : [...before, ...this.#done])
  }

  /** Notes that the files may be recorded: they stay. */
  keep(): void {
    this.#done = []
  }

  /** Closes the file that is being written, and removes what is not recorded if that may be done. */
  forget(exit: Exit.Exit<unknown, unknown>, mayRemove: boolean): Effect.Effect<void, SinkError> {
    return Effect.gen(this, function*() {
      const { directory } = this.settings
      const output = this.#output
      this.#output = undefined
      if (output !== undefined) yield* Scope.close(output.scope, exit)
      if (!mayRemove) return
      if (output !== undefined) yield* directory.removePart(`${output.name}.partial`)
      for (const { name } of this.#done) yield* directory.removePart(name)
    })
  }
}
