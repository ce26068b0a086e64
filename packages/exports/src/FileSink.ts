/**
 * Exports into a directory of files, as NDJSON or CSV.
 *
 * **Details**
 *
 * Each window is one file in `parts`, and one in `rejected` if records of it could not be made rows. A part is written
 * beside its place, synced, renamed, and only then recorded in `windows.ndjson`, which is synced as well. A window that
 * is not recorded does not count: its files are removed when the export is opened again, and the window is read from its
 * beginning. So after a crash or a loss of power each record of a recorded window is there exactly once, and no
 * half-written line.
 *
 * | File | Content |
 * | --- | --- |
 * | `plan.json` | the plan |
 * | `parts/{window}-{n}.ndjson`, `.csv` | the rows of a window, newest first; windows without rows have none |
 * | `rejected/{window}-{n}.ndjson` | records that could not be made rows |
 * | `windows.ndjson` | a line for each window that ended, with the name, the rows and the SHA-256 of its part |
 * | `begun.ndjson` | the names of the parts that were begun since the export was opened |
 * | `manifest.json` | the manifest of the last run |
 * | `export.lock` | which process exports to the directory, while one does |
 *
 * CSV follows RFC 4180: a header, CRLF, quotes where needed; `null` is an empty field. Amounts are exact text. A text
 * that a spreadsheet could take for a formula (one that begins with `=`, `+`, `-`, `@`, tab or carriage return), and one
 * that begins with an apostrophe, gets an apostrophe in front.
 *
 * A directory belongs to an export only if its plan is in it. One that holds anything else is refused as `foreign`, with
 * the names that were found, before anything is written. Links in the directory are refused too. Only files that
 * `windows.ndjson` or `begun.ndjson` names are ever removed, so files that you put beside them stay.
 *
 * **Gotchas**
 *
 * One process at a time may open a directory, also to read its manifest; another is refused as `locked`. The lock of a
 * process that died is taken over at once on its own machine, and after half a minute without a sign of life from another
 * one. It is not taken over where the system doesn't say when a process was started and a new process has the dead one's
 * number: then remove `export.lock`. A full disk or a missing right ends the export at once as `io`. `sha256sum` checks a part; only the newest line of a window in
 * `windows.ndjson` counts.
 */
import type { FileSystem } from "@effect/platform/FileSystem"
import type { Path } from "@effect/platform/Path"
import type * as Effect from "effect/Effect"
import * as csv from "./internal/csv.js"
import * as internal from "./internal/fileSink.js"
import type { Row } from "./Row.js"
import type { Sink } from "./Sink.js"

/**
 * The options of {@link make}.
 *
 * @category models
 */
export interface Options {
  /** Created if it does not exist. */
  readonly directory: string
  /** `ndjson` by default. */
  readonly format?: "ndjson" | "csv" | undefined
}

/**
 * Makes a sink of a directory.
 *
 * @category constructors
 */
export const make: (options: Options) => Effect.Effect<Sink, never, FileSystem | Path> = internal.make

/**
 * A row as a line of CSV, without its end.
 *
 * @category conversions
 */
export const csvLine: (row: Row) => string = csv.line
