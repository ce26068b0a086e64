/** `klaytn plan`, `export`, `tail` and `reconcile`: their pages. */
import * as Subcommand from "../frame/Subcommand.js"
import { exportOptions, planning, reconciling, tailing } from "./options.js"

export const plan = Subcommand.make(
  {
    name: "plan",
    summary: "show the size of an export before anything is requested",
    description: [
      "Splits a range of any length at the service's six-month limit and into windows for parallel reading. Prints the least " +
      "number of requests of an export, and a cheaper way if there is one. Sends no request, unless --reach asks the service " +
      "how far back a search may go."
    ],
    examples: {
      "klaytn plan 0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed --from 2023-01-01 --to 2024-12-31":
        "two years of an account",
      "klaytn plan --presets 23,42 --from 2024-01-01 --json": "of two presets, for a program"
    }
  },
  planning,
  async (input) => (await import("./runExports.js")).plan(input)
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
    examples: {
      "klaytn export 0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed --from 2024-01-01 --out history.db":
        "everything since a day, into SQLite",
      "klaytn export --presets 23 --from 2024-01-01 --to 2024-06-30 --out half-year --format csv": "into CSV files",
      "klaytn export --out history.db": "continue what was begun, and read what is new",
      "klaytn export --sandbox --out trial.db": "try it offline"
    }
  },
  exportOptions,
  async (input) => (await import("./runExports.js")).exporting(input)
)

export const tail = Subcommand.make(
  {
    name: "tail",
    summary: "follow new transfers into a store",
    description: [
      "Finishes a stored export, or begins one, and then follows new transfers until you stop the command. Run again, the " +
      "command continues without a gap. The newest transfers come a minute late, because the index may lag."
    ],
    examples: {
      "klaytn tail 0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed --from 2024-06-01 --out history.db":
        "everything since a day, and what comes",
      "klaytn tail --out history.db --every 10": "follow what was exported, every 10 seconds",
      "klaytn tail --out history.db --once --exit-code": "read what is new, and end: for cron"
    }
  },
  tailing,
  async (input) => (await import("./runExports.js")).tail(input)
)

export const reconcile = Subcommand.make(
  {
    name: "reconcile",
    summary: "read past windows again and report what differs",
    description: [
      "Reads the windows of an export again, and compares them with the store. --repair adds the transfers that the store " +
      "lacks, and windows that the service refused before, and reads damaged ones again. The exit code is 3 if a difference " +
      "remains, or a part of the range is not stored.",
      "What the store has and the service does not return is named and kept. --remove removes what an earlier run has named."
    ],
    examples: {
      "klaytn reconcile --out history.db": "compare all of an export with the service",
      "klaytn reconcile --out history.db --from 2024-06-01 --repair": "since a day, and add what is missing"
    }
  },
  reconciling,
  async (input) => (await import("./runExports.js")).reconcile(input)
)
