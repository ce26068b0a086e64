import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Failure from "./Failure.js"

/** The text of a file that an option names. */
export const readFile = (option: string, file: string) =>
  Effect.flatMap(
    FileSystem.FileSystem,
    (files) => Effect.mapError(files.readFileString(file), () => Failure.usage(`${option}: cannot read ${file}`))
  )
