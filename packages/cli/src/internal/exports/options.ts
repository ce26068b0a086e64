/** The options and arguments of `klaytn plan`, `export`, `tail` and `reconcile`. */
import * as Duration from "effect/Duration"
import * as shared from "../frame/shared.js"
import type { Input } from "../frame/Subcommand.js"
import * as Word from "../frame/Word.js"

const { flag, text, whole } = Word

/** A time as a whole number of a unit. */
const lasting = (shown: string, meaning: string, unit: (count: number) => Duration.Duration, least?: number) =>
  Word.map(whole(shown, meaning, least), (value) => value === undefined ? undefined : unit(value))

/** What is exported. */
const selection = {
  accounts: Word.repeated(Word.text("ACCOUNT", "Addresses of the accounts whose transfers are read.")),
  presets: text("--presets IDS", "Presets in place of accounts: their IDs with commas between them."),
  contracts: text("--contracts ADDRESSES", "Only token transfers of these contracts, with commas between them."),
  kinds: text("--kinds KINDS", "Any of coin,ft,nft,mt. Default: all."),
  from: text(
    "--from TIME",
    "The beginning: a day such as 2024-01-31, a time such as 2024-01-31T12:00:00Z, Unix seconds, or a block such as #1200. With " +
      "an open end, a block is the second of it, which the node is asked for."
  ),
  to: text(
    "--to TIME",
    "The end, included; of a day, the last second. Default: open, so each run reads up to --index-lag ago. now opens the " +
      "end of an export again."
  ),
  windows: whole(
    "--windows N",
    "At least how many windows each account's range is split into. Default: as many as make 16 in all."
  ),
  size: whole("--size N", "Records per page, up to 1000. Default: 1000.", 1, 1000)
}

const running = {
  out: text(
    "--out PLACE",
    "Store: a SQLite file (.db, .sqlite), a directory, or postgres://...; KLAYTN_EXPORT_OUT in the environment hides a " +
      "password from other users."
  ),
  prefix: text(
    "--prefix NAME",
    "Prefix of the table names in a database, such as test_, so that several exports share the database."
  ),
  format: Word.choice(
    "--format",
    ["ndjson", "csv", "parquet"],
    "Format of the files in a directory. Default: the format of the present files, or ndjson."
  ),
  concurrency: whole("--concurrency N", "How many windows are read at once. Default: 16."),
  perSecond: whole("--per-second N", "Requests a second, at most."),
  perDay: whole(
    "--per-day N",
    "Requests a day (UTC), at most. In a database, all processes share this and --per-second."
  ),
  perRun: whole("--per-run N", "Requests of this run, at most. After that, the same command continues.")
}

/** How an export that is there is brought up to date. */
const catchingUp = {
  indexLag: lasting(
    "--index-lag N",
    "Seconds that the service's index may lag: nothing newer is read. Default: 60.",
    Duration.seconds
  ),
  recheck: lasting(
    "--recheck DAYS",
    "When new transfers are read, read so many days before them again, for transfers that were indexed late. Default: 3.",
    Duration.days,
    0
  ),
  exitCode: flag(
    "--exit-code",
    "End with 0 if rows are new, 8 if nothing is, and 3 if this run met records that can't be read or that the service no longer " +
      "returns, or a part of the range is not stored."
  )
}

export const planning = {
  ...selection,
  reach: flag("--reach", "Ask the service which part of the range it refuses: a few requests of one record."),
  ...shared.options
}

export const exportOptions = { ...running, ...selection, ...catchingUp, ...shared.options }

export const tailing = {
  ...running,
  every: lasting("--every N", "Seconds between looks for new transfers. Default: 60.", Duration.seconds),
  once: flag("--once", "Read what is new, look for what was indexed late, and end."),
  ...catchingUp,
  ...selection,
  ...shared.options
}

export const reconciling = {
  ...running,
  from: selection.from,
  to: selection.to,
  repair: flag("--repair", "Store what is missing, and read again what is damaged. Nothing is removed."),
  remove: text(
    "--remove IDS",
    "Remove these rows and rejected records, with commas between their IDs, or all: only those that an earlier reconcile named " +
      "as not in the service, and that the service still does not return."
  ),
  ...shared.options
}

export type Selection = Input<typeof selection>
export type Running = Input<typeof running>
export type PlanInput = Input<typeof planning>
export type ExportInput = Input<typeof exportOptions>
export type TailInput = Input<typeof tailing>
export type ReconcileInput = Input<typeof reconciling>
