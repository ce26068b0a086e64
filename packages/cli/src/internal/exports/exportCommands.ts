/** `klaytn plan`, `export`, `tail` and `reconcile`: their options and their pages. */
import * as Args from "@effect/cli/Args"
import * as Options from "@effect/cli/Options"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as shared from "../frame/shared.js"
import * as Subcommand from "../frame/Subcommand.js"

const run = Effect.promise(() => import("./runExports.js"))

const { count, flag, text } = shared

const seconds = (name: string, description: string) =>
  Options.map(count(name, description), (value) => value === undefined ? undefined : Duration.seconds(value))

/** What is exported. */
const selection = {
  accounts: Args.text({ name: "ACCOUNT" }).pipe(
    Args.withDescription("Addresses of the accounts whose transfers are read."),
    Args.repeated
  ),
  presets: text("presets", "IDS", "Presets in place of accounts: their IDs with commas between them."),
  contracts: text("contracts", "ADDRESSES", "Only token transfers of these contracts, with commas between them."),
  kinds: text("kinds", "KINDS", "Any of coin,ft,nft,mt. Default: all."),
  from: text(
    "from",
    "TIME",
    "The beginning: a day such as 2024-01-31, a time such as 2024-01-31T12:00:00Z, Unix seconds, or a block such as #1200."
  ),
  to: text(
    "to",
    "TIME",
    "The end, included; of a day, the last second. Default: open, so each run reads up to --index-lag ago. now opens the " +
      "end of an export again."
  ),
  windows: count(
    "windows",
    "At least how many windows each account's range is split into. Default: as many as make 16 in all."
  ),
  size: count("size", "Records per page, up to 1000. Default: 1000.", 1000)
}

const out = text(
  "out",
  "PLACE",
  "Store: a SQLite file (.db, .sqlite), a directory, or postgres://...; KLAYTN_EXPORT_OUT in the environment hides a " +
    "password from other users."
)

const running = {
  out,
  prefix: text(
    "prefix",
    "NAME",
    "Prefix of the table names in a database, such as test_, so that several exports share the database."
  ),
  format: Options.choice("format", ["ndjson", "csv", "parquet"]).pipe(
    Options.withDescription("Format of the files in a directory. Default: the format of the present files, or ndjson."),
    Options.withDefault(undefined)
  ),
  concurrency: count("concurrency", "How many windows are read at once. Default: 16."),
  perSecond: count("per-second", "Requests a second, at most."),
  perDay: count("per-day", "Requests a day (UTC), at most. In a database, all processes share this and --per-second."),
  perRun: count("per-run", "Requests of this run, at most. After that, the same command continues.")
}

/** How an export that is there is brought up to date. */
const catchingUp = {
  indexLag: seconds("index-lag", "Seconds that the service's index may lag: nothing newer is read. Default: 60."),
  recheck: shared.whole(
    "recheck",
    0,
    Infinity,
    "When new transfers are read, read so many days before them again, for transfers that were indexed late. Default: 3."
  ).pipe(Options.withPseudoName("DAYS"), Options.map(Duration.days), Options.withDefault(undefined)),
  exitCode: flag(
    "exit-code",
    "End with 0 if rows are new, 8 if nothing is, and 3 if this run met records that can't be read or a range out of reach."
  )
}

const planning = {
  ...selection,
  reach: flag("reach", "Ask the service which part of the range it refuses: a few requests of one record."),
  ...shared.options
}

const exportOptions = { ...running, ...selection, ...catchingUp, ...shared.options }

const tailing = {
  ...running,
  every: seconds("every", "Seconds between looks for new transfers. Default: 60."),
  once: flag("once", "Read what is new, look for what was indexed late, and end."),
  ...catchingUp,
  ...selection,
  ...shared.options
}

const reconciling = {
  ...running,
  from: selection.from,
  to: selection.to,
  repair: flag("repair", "Store what is missing."),
  ...shared.options
}

export type Selection = Subcommand.Input<typeof selection>
export type Running = Subcommand.Input<typeof running>
export type PlanInput = Subcommand.Input<typeof planning>
export type ExportInput = Subcommand.Input<typeof exportOptions>
export type TailInput = Subcommand.Input<typeof tailing>
export type ReconcileInput = Subcommand.Input<typeof reconciling>

export const plan = Subcommand.make(
  {
    name: "plan",
    summary: "show the size of an export before anything is requested",
    description: [
      "Splits a range of any length at the service's six-month limit and into windows for parallel reading. Prints the least " +
      "number of requests of an export, and a cheaper way if there is one. Sends no request, unless --reach asks the service " +
      "how far back a search may go."
    ],
    examples: [
      [
        "klaytn plan 0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed --from 2023-01-01 --to 2024-12-31",
        "two years of an account"
      ],
      ["klaytn plan --presets 23,42 --from 2024-01-01 --json", "of two presets, for a program"]
    ]
  },
  planning,
  (input) => Effect.flatMap(run, ({ plan }) => plan(input))
)

export const exporting = Subcommand.make(
  {
    name: "export",
    summary: "store the whole transfer history of accounts, once, resumable at any moment",
    description: [
      "Reads all transfers of accounts or presets into a SQLite file, a Postgres database, or a directory of NDJSON, CSV " +
      "or Parquet files. Every transfer is stored exactly once. Stop it at any moment; the same command continues, and so does " +
      "klaytn export --out PLACE alone.",
      "Run later, the same command extends an export with an open end or a later --to: the command reads new transfers, looks " +
      "for transfers that were indexed late (--recheck), and ends. Run it from cron.",
      "An unreadable record never stops an export: the export stores and counts it apart, and the exit code is 3."
    ],
    examples: [
      [
        "klaytn export 0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed --from 2024-01-01 --out history.db",
        "everything since a day, into SQLite"
      ],
      ["klaytn export --presets 23 --from 2024-01-01 --to 2024-06-30 --out half-year --format csv", "into CSV files"],
      ["klaytn export --out history.db", "continue what was begun, and read what is new"],
      ["klaytn export --sandbox --out trial.db", "try it offline"]
    ]
  },
  exportOptions,
  (input) => Effect.flatMap(run, ({ exporting }) => exporting(input))
)

export const tail = Subcommand.make(
  {
    name: "tail",
    summary: "follow new transfers into a store",
    description: [
      "Finishes a stored export, or begins one, and then follows new transfers until you stop the command. Run again, the " +
      "command continues without a gap. The newest transfers come a minute late, because the index may lag."
    ],
    examples: [
      [
        "klaytn tail 0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed --from 2024-06-01 --out history.db",
        "everything since a day, and what comes"
      ],
      ["klaytn tail --out history.db --every 10", "follow what was exported, every 10 seconds"],
      ["klaytn tail --out history.db --once --exit-code", "read what is new, and end: for cron"]
    ]
  },
  tailing,
  (input) => Effect.flatMap(run, ({ tail }) => tail(input))
)

export const reconcile = Subcommand.make(
  {
    name: "reconcile",
    summary: "read past windows again and report what differs",
    description: [
      "Reads the closed windows of an export again, and compares them with the store. --repair adds the transfers that the " +
      "store lacks. The exit code is 3 if a difference remains."
    ],
    examples: [
      ["klaytn reconcile --out history.db", "compare all of an export with the service"],
      ["klaytn reconcile --out history.db --from 2024-06-01 --repair", "since a day, and add what is missing"]
    ]
  },
  reconciling,
  (input) => Effect.flatMap(run, ({ reconcile }) => reconcile(input))
)
