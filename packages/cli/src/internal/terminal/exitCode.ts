import type { EngineError } from "@effect-klaytn/engine/EngineError"

/** The exit codes: one table, from which the help and the README are checked. */
export const exitCodes = {
  ok: { code: 0, meaning: "done" },
  refused: { code: 1, meaning: "the service, the node or the database refused, or an answer is invalid" },
  usage: {
    code: 2,
    meaning: "the arguments, the configuration, or a file or database that they name have to be corrected"
  },
  found: { code: 3, meaning: "it finished and found something wrong: see its output" },
  credential: { code: 4, meaning: "the credential was not accepted" },
  tryAgain: { code: 5, meaning: "unreachable, timed out, throttled or failing: the same command may work later" },
  unknown: { code: 6, meaning: "the change may or may not have happened: find out before calling again" },
  stopped: { code: 7, meaning: "stopped before its end, with everything stored: the same command continues" },
  unchanged: { code: 8, meaning: "with --exit-code: the export is up to date, and nothing was new" },
  interrupted: { code: 130, meaning: "interrupted by Ctrl-C; 143: by SIGTERM" },
  unread: {
    code: 141,
    meaning: "its output was closed: payments were still completed, everything else was stopped"
  }
} as const

export type ExitCode = keyof typeof exitCodes

/** Which faults of a database that can't be opened pass by themselves, and which have to be corrected. */
export const exitOfDatabase: Readonly<Record<EngineError["reason"], ExitCode>> = {
  Configuration: "usage",
  Unusable: "usage",
  Setup: "refused",
  Newer: "usage",
  Unreachable: "tryAgain",
  Locked: "tryAgain"
}
