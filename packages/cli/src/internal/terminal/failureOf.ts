/** The errors of the clients and of the configuration as failures of the command. Loaded when something fails. */
import * as ServiceError from "@effect-klaytn/core/ServiceError"
import { EngineError } from "@effect-klaytn/engine/EngineError"
import { SinkError } from "@effect-klaytn/exports/Sink"
import * as RpcError from "@effect-klaytn/node/RpcError"
import { DatabaseFailed } from "@effect-klaytn/payouts/PayoutError"
import * as Cause from "effect/Cause"
import * as ConfigError from "effect/ConfigError"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import { entries } from "./errors.generated.js"
import type { ExitCode } from "./exitCode.js"
import * as Failure from "./Failure.js"
import { isPlatformError, platformProblem } from "./fileProblem.js"
import * as Screen from "./Screen.js"

const exitOfCategory: Readonly<Record<ServiceError.Category, ExitCode>> = {
  caller: "usage",
  credential: "credential",
  refused: "refused",
  throttled: "tryAgain",
  service: "tryAgain",
  network: "tryAgain",
  contract: "refused",
  uncertain: "unknown"
}

/** The exit codes of errors without a category, by their tags; 1 for all others. */
const exitOfTag: Readonly<Record<string, ExitCode>> = {
  BudgetExhausted: "stopped",
  // A file that is missing or may not be read or written.
  SystemError: "usage",
  // All that keeps a sandbox from starting, as with a gateway: a value, a file, or a port that is taken.
  SandboxError: "usage",
  ServiceMismatch: "usage",
  NewerTables: "usage",
  KeyConflict: "usage",
  NoSuchPayout: "usage",
  InvalidTransition: "usage",
  SpendRefused: "usage",
  LookupFailed: "tryAgain"
}

const diagnose = ["klaytn doctor shows what is set and whether each service answers"]
const later = ["run it again later"]
const paidOnce = ["the same command continues: each key is paid once"]

const hintsOfTag: Readonly<Record<string, ReadonlyArray<string>>> = {
  Unauthorized: diagnose,
  TransportFailed: diagnose,
  RedirectRefused: diagnose,
  MalformedResponse: diagnose,
  RateLimited: later,
  Unavailable: later,
  TimedOut: later,
  MethodNotFound: ["the node, or the service in front of it, does not offer this method; klaytn call lists others"],
  CursorLost: ["begin the export anew in another place, with more --windows"],
  ServiceMismatch: [
    "check KLAYTN_CHAIN_ID or --chain, and KLAYTN_HISTORY_URL",
    "an export of another chain goes into another --out, or beside this one with --prefix"
  ],
  KeyConflict: ["a key belongs to one payment for ever: choose another key"],
  NoSuchPayout: ["klaytn payouts list shows what there is; check --db"],
  SpendRefused: [
    "on mainnet, name a --limit or a --limit-day",
    "no limit holds for tokens: approve each with --approve-above, or name --unlimited-tokens"
  ],
  LookupFailed: ["payments need the node: set KLAYTN_NODE_URL"],
  DatabaseFailed: paidOnce,
  EngineError: paidOnce
}

/** A store of exports that failed for one of these reasons may work later. The caller has to correct everything else. */
const passing: ReadonlySet<SinkError["reason"]> = new Set(["locked", "conflict", "unavailable"])

type CallError = ServiceError.AnyError | RpcError.RpcError

const isCallError = (error: unknown): error is CallError =>
  ServiceError.isServiceError(error) || RpcError.isRpcError(error)

const exitOf = (error: unknown, tag: string): ExitCode => {
  if (isCallError(error)) return exitOfCategory[error.category]
  if (error instanceof SinkError) return passing.has(error.reason) ? "tryAgain" : "usage"
  if (error instanceof DatabaseFailed) {
    return error.kind === "Passing" || error.kind === "Session"
      ? "tryAgain"
      : "refused"
  }
  if (error instanceof EngineError) return error.reason === "Unreachable" ? "tryAgain" : "refused"
  return exitOfTag[tag] ?? "refused"
}

const hintsOf = (error: unknown, tag: string): ReadonlyArray<string> => {
  if (!isCallError(error) || error._tag !== "OutcomeUnknown") return hintsOfTag[tag] ?? []
  return error.transactionHash === undefined
    ? ["find out whether it happened before you call again"]
    : [`before you send again: klaytn call klay_getTransactionReceipt ${error.transactionHash}`]
}

/** The attempts of a call, if it was tried more than once. */
const attemptsOf = (error: ServiceError.AnyError): ReadonlyArray<string> =>
  error.attempts.length < 2
    ? []
    : error.attempts.map(({ reason, waitMillis }, i) =>
      `attempt ${i + 1}: ${Screen.clean(reason)}${waitMillis > 0 ? `, then waited ${waitMillis} ms` : ""}`
    )

/** Everything that is missing or wrong in the environment: the variable, and what it is for or what is wrong. */
export const settingsOf = (
  error: ConfigError.ConfigError
): ReadonlyArray<{ readonly name: string; readonly problem: string; readonly isMissing: boolean }> => {
  if (error._op === "And" || error._op === "Or") return [...settingsOf(error.left), ...settingsOf(error.right)]
  return [{ name: error.path.join("."), problem: error.message, isMissing: error._op === "MissingData" }]
}

const fromConfig = (error: ConfigError.ConfigError): Failure.Failure => {
  const settings = settingsOf(error)
  const rows = settings.map(({ isMissing, name, problem }) => [name, isMissing ? `missing: ${problem}` : problem])
  return new Failure.Failure({
    message: settings.length === 1
      ? "a setting is missing or wrong"
      : `${settings.length} settings are missing or wrong`,
    kind: "Configuration",
    exit: "usage",
    details: Screen.table(rows),
    hints: [
      "set them in the environment: export NAME=value",
      "or add --sandbox to try it offline; klaytn doctor shows everything that is set"
    ]
  })
}

const messageOf = (error: unknown): string => {
  if (isPlatformError(error)) return Screen.clean(platformProblem(error))
  const text = error instanceof Error && error.message !== "" ? error.message : String(error)
  return Screen.clean(text.trim().split("\n", 1)[0] ?? "")
}

/** Any failure as one that can be shown, without a stack trace. */
export const fromCause = (cause: Cause.Cause<unknown>): Failure.Failure => {
  const error = Option.getOrElse(Cause.failureOption(cause), () => Cause.squash(cause))
  if (error instanceof Failure.Failure) return error
  if (ConfigError.isConfigError(error)) return fromConfig(error)
  const kind = Predicate.hasProperty(error, "_tag") ? String(error._tag) : "Unexpected"
  return new Failure.Failure({
    message: isCallError(error) ? Screen.clean(error.message) : messageOf(error),
    kind,
    exit: exitOf(error, kind),
    details: ServiceError.isServiceError(error) ? attemptsOf(error) : [],
    hints: hintsOf(error, kind)
  })
}

/** What a page says to do where it knows nothing but the message, except of what may pass. */
const asTheMessageSays = /^Do: what the message says[.;]/

/** Adds to a failure where its error is explained, if that page says more than the message. */
export const explained = (failure: Failure.Failure): Failure.Failure =>
  entries.some(({ tag, text }) =>
      tag === failure.kind && (failure.exit === "tryAgain" || !asTheMessageSays.test(text.at(-1) ?? ""))
    )
    ? Failure.withHint(failure, `klaytn explain ${failure.kind}`)
    : failure

/** Adds to a failure what to do about it. */
export const withHint = (hint: string) => <A, E, R>(self: Effect.Effect<A, E, R>) =>
  Effect.catchAllCause(
    self,
    (cause) => Cause.isInterruptedOnly(cause) ? Effect.interrupt : Failure.withHint(fromCause(cause), hint)
  )
