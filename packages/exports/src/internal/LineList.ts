/** A file of a directory with a line for each thing that happened. */
import * as Effect from "effect/Effect"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type { SinkError } from "../Sink.js"
import type { ExportDirectory } from "./exportDirectory.js"
import { io } from "./storageFault.js"

export type LineList = Effect.Effect.Success<ReturnType<typeof openList>>

const encoder = new TextEncoder()

/** Opens a list to which some characters were added before, until the scope ends. After a line that could not be written whole, no other is added behind its torn end. */
export const openList = Effect.fnUntraced(
  function*(directory: ExportDirectory, name: "windows.ndjson" | "begun.ndjson", before = 0) {
    const turn = yield* Effect.makeSemaphore(1)
    const scope = yield* Effect.scope
    const openFile = Effect.gen(function*() {
      const opened = yield* Scope.fork(scope, ExecutionStrategy.sequential)
      const file = yield* io(Scope.extend(directory.fs.open(directory.at(name), { flag: "a" }), opened))
      return { opened, file }
    })
    let current = yield* openFile
    let torn: SinkError | undefined
    let added = before
    return {
      /** Adds a line, and does something with it before anything else may happen to the list. */
      add: (line: string, isAdded: () => void = () => undefined) =>
        turn.withPermits(1)(
          Effect.suspend(() => {
            added += line.length
            return torn ?? io(current.file.writeAll(encoder.encode(`${line}\n`))).pipe(
              Effect.tapBoth({
                onFailure: (error) => Effect.sync(() => void (torn = error)),
                onSuccess: () => Effect.sync(isAdded)
              })
            )
          })
        ).pipe(Effect.uninterruptible),
      sync: Effect.suspend(() => io(current.file.sync)),
      /** How many characters were added since the file was written anew. */
      added: () => added,
      /** Writes the file anew, with what there is at that moment; not at all without lines. */
      replace: (linesNow: () => ReadonlyArray<string> | undefined) =>
        turn.withPermits(1)(Effect.gen(function*() {
          const lines = linesNow()
          if (lines === undefined) return
          yield* directory.replace(name, lines.map((line) => `${line}\n`).join(""))
          const { opened } = current
          current = yield* openFile
          added = 0
          yield* Scope.close(opened, Exit.void)
        })).pipe(Effect.uninterruptible)
    }
  }
)
