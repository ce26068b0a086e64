/** New files with secrets, which only their owner may read. */
import * as NewFile from "@effect-klaytn/store/NewFile"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { closeSync, fsyncSync, openSync, rmSync, writeFileSync } from "node:fs"
import * as Failure from "./Failure.js"
import { fileProblem } from "./fileProblem.js"

const failed = (file: string) => (cause: unknown): Failure.Failure =>
  Failure.usage(
    `--out: ${fileProblem(file, cause)}`,
    "name a file that is not there yet"
  )

/**
 * Writes the text that an effect gives into a new file of mode 0600. The file is made first, so that nothing is done whose secret can't be
 * kept, and goes if the effect fails.
 */
export const write = <E, R>(
  file: string,
  text: Effect.Effect<string, E, R>
): Effect.Effect<void, E | Failure.Failure, R> =>
  Effect.acquireUseRelease(
    Effect.try({ try: () => openSync(file, "wx", 0o600), catch: failed(file) }),
    (opened) =>
      Effect.flatMap(text, (written) =>
        Effect.try({
          try: () => {
            writeFileSync(opened, written)
            fsyncSync(opened)
            NewFile.syncFolder(file)
          },
          catch: failed(file)
        })),
    (opened, exit) =>
      Effect.sync(() => {
        closeSync(opened)
        if (Exit.isFailure(exit)) rmSync(file, { force: true })
      })
  )
