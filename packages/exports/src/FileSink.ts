/**
 * Exports into a directory of files, as NDJSON, CSV or Parquet.
 *
 * **Details**
 *
 * Each window has files in `parts`, and in `rejected` if some of its records could not be converted to rows. A file ends at
 * 64 MiB. It is written under a temporary name, synced, renamed, and only then recorded in `windows.ndjson`, which is synced as
 * well. A file that is not recorded does not count: it is removed when the export is opened again, and what it was to hold is
 * read again. So after a crash or a power failure, the files contain each record of a recorded window exactly once, and no
 * half-written line.
 *
 * | File | Content |
 * | --- | --- |
 * | `plan.json` | the plan |
 * | `parts/{window}-{n}.ndjson`, `.csv`, `.parquet` | rows of a window; windows without rows have none |
 * | `rejected/{window}-{n}.ndjson` | records that could not be made rows |
 * | `windows.ndjson` | a line for each time that a window ended, with its state, and the names, lengths and SHA-256 of its files if there are new ones |
 * | `extra.ndjson` | a line for each row or rejected record that the service did not return when it was last compared |
 * | `begun.ndjson` | the names of the parts that were begun since the export was opened |
 * | `manifest.json` | the manifest of the last run |
 * | `load.sql` | of CSV: loads the parts into DuckDB with exact types |
 * | `export.lock` | which process exports to the directory, while one does |
 *
 * A window that is read again, or grows, gets another part with what is new; it and the one before become one as long as they are
 * small, together up to 1 MiB. A part is newest first.
 *
 * When the directory is opened, each file of a recorded window must be there and have its size; one that was changed since it was
 * written, by its time, must have its SHA-256. `Exports.reconcile` reads all of them. A damaged file is named, and a repair reads
 * its window again; what is left of the file is kept under its name with `.damaged` at the end.
 *
 * CSV follows RFC 4180: a header, CRLF, quotes where needed; `null` is an empty field. Amounts are exact text. A text
 * that a spreadsheet could take for a formula gets apostrophes, as `CsvCell` says.
 *
 * In Parquet and in the table of `load.sql` the types do not depend on the data: amounts, fees and token IDs are text,
 * `amount_decimal` is the amount in the smallest unit as `decimal(38, 0)`, and null above 38 digits, `timestamp` is a
 * timestamp in UTC, and other numbers are 64-bit integers.
 *
 * A directory belongs to an export only if it contains the export's plan. A directory that contains anything else is
 * refused as `foreign`, with the names that were found, before anything is written. Links in the directory are refused
 * too. Only files that `windows.ndjson` or `begun.ndjson` names are ever removed, so files that you put beside them
 * stay.
 *
 * **Gotchas**
 *
 * One process at a time may open a directory, also to read its manifest; a second one is refused as `locked`. If the
 * process with the lock dies, another process on the same machine takes the lock over at once, and a process on another
 * machine once the lock has not been renewed for half a minute. There is one exception: if the system doesn't report
 * when a process was started, and a new process has the ID of the dead one, remove `export.lock` yourself. A full disk
 * or a missing right ends the export at once as `io`. `sha256sum` checks a part; of a window in `windows.ndjson` the newest line
 * counts, and the newest that names files. Directories of older versions, in which a window has one `part`, are continued; a window
 * whose rows are in one part still names it so.
 */
import type { FileSystem } from "@effect/platform/FileSystem"
import type { Path } from "@effect/platform/Path"
import type * as Effect from "effect/Effect"
import { newest } from "./internal/columns.js"
import * as csv from "./internal/csv.js"
import * as internal from "./internal/directorySink.js"
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
  /** By default that of the parts that are there, or `ndjson`. Another one than theirs is refused as `stored`. */
  readonly format?: "ndjson" | "csv" | "parquet" | undefined
}

/**
 * Makes a sink of a directory.
 *
 * @category constructors
 */
export const make: (options: Options) => Effect.Effect<Sink, never, FileSystem | Path> = internal.make

/**
 * A row as a line of CSV, without its end, in the newest columns.
 *
 * @category conversions
 */
export const csvLine = (row: Row): string => csv.lines(newest, [row]).slice(0, -"\r\n".length)
