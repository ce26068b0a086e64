/** Why the command ends badly: what was wrong, the details, what to do about it, and the exit code. */
import * as Data from "effect/Data"
import { type ExitCode, exitCodes } from "./exitCode.js"
import * as Screen from "./Screen.js"

export class Failure extends Data.TaggedError("Failure")<{
  /** What was wrong, on one line. */
  readonly message: string
  /** The class of the error that it comes from. */
  readonly kind: string
  readonly exit: ExitCode
  readonly details?: ReadonlyArray<string>
  /** What to do, a line each. */
  readonly hints?: ReadonlyArray<string>
}> {}

/** What was typed may be a private key in a wrong place: 32 bytes or more in hex are not shown again. */
const withoutKeys = (text: string): string =>
  text.replace(/(0x)?[0-9a-f]{64,}/gi, "(a text of 64 hex digits or more, not shown: it may be a key)")

/** The arguments or the configuration are wrong. */
export const usage = (message: string, ...hints: ReadonlyArray<string>): Failure =>
  new Failure({ message: withoutKeys(message), kind: "Usage", exit: "usage", hints: hints.map(withoutKeys) })

/** The same failure with something more to do about it. */
export const withHint = (failure: Failure, hint: string): Failure =>
  // An error's message is not among the fields that are copied.
  new Failure({ ...failure, message: failure.message, hints: [...failure.hints ?? [], hint] })

/** The failure on a few lines. What to do may be a command to copy, and is not wrapped. */
export const page = (output: Screen.Output, { details = [], hints = [], message }: Failure): string =>
  [
    ...Screen.prose(output, `klaytn: ${message}`),
    ...details.flatMap((line) => Screen.prose(output, `  ${line}`)),
    ...hints.map((line) => Screen.styled(output, "dim", `  -> ${line}`))
  ].join("\n").replace("klaytn:", Screen.styled(output, "red", "klaytn:"))

/** The failure as one line of JSON. */
export const json = ({ details = [], exit, hints = [], kind, message }: Failure): string =>
  JSON.stringify({ error: { kind, message, details, hints, exitCode: exitCodes[exit].code } })
