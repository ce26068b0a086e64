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
import { entries } from "./errors.generated.js"
import type { ExitCode } from "./exitCode.js"
import * as Failure from "./Failure.js"
import * as Screen from "./Screen.js"

const exitOf: Readonly<Record<ServiceError.Category, ExitCode>> = {
  caller: "usage",
  credential: "credential",
  refused: "refused",
  throttled: "tryAgain",
  service: "tryAgain",
  network: "tryAgain",
  contract: "refused",
  uncertain: "unknown"
}

const diagnose = "klaytn doctor shows what is set and whether each service answers"

const hintsOf = (error: ServiceError.AnyError | RpcError.RpcError): ReadonlyArray<string> => {
  switch (error._tag) {
    case "Unauthorized":
    case "TransportFailed":
    case "RedirectRefused":
    case "MalformedResponse":
      return [diagnose]
    case "RateLimited":
    case "Unavailable":
    case "TimedOut":
      return ["run it again later"]
    case "MethodNotFound":
      return ["the node, or the service in front of it, does not offer this method; klaytn call lists others"]
    case "OutcomeUnknown":
      return error.transactionHash === undefined
        ? ["find out whether it happened before you call again"]
        : [`before you send again: klaytn call klay_getTransactionReceipt ${error.transactionHash}`]
    default:
      return []
  }
}

/** The attempts of a call, if it was tried more than once. */
const attemptsOf = (error: ServiceError.AnyError): ReadonlyArray<string> =>
  error.attempts.length < 2
    ? []
    : error.attempts.map(({ reason, waitMillis }, i) =>
      `attempt ${i + 1}: ${Screen.clean(reason)}${waitMillis > 0 ? `, then waited ${waitMillis} ms` : ""}`
    )

const fromCall = (error: ServiceError.AnyError | RpcError.RpcError): Failure.Failure =>
  new Failure.Failure({
    message: Screen.clean(error.message),
    kind: error._tag,
    exit: exitOf[error.category],
    details: ServiceError.isServiceError(error) ? attemptsOf(error) : [],
    hints: hintsOf(error)
  })

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

/** The errors of exports, snapshots and payouts, by their tags. */
const byTag: Readonly<Record<string, Pick<Failure.Failure, "exit" | "hints">>> = {
  BudgetExhausted: { exit: "stopped" },
  // A file that is missing or may not be read or written.
  SystemError: { exit: "usage" },
  CursorLost: { exit: "refused", hints: ["begin the export anew in another place, with more --windows"] },
  ServiceMismatch: {
    exit: "usage",
    hints: [
      "check KLAYTN_CHAIN_ID or --chain, and KLAYTN_HISTORY_URL",
      "an export of another chain goes into another --out, or beside this one with --prefix"
    ]
  },
  KeyConflict: { exit: "usage", hints: ["a key belongs to one payment for ever: choose another key"] },
  NoSuchPayout: { exit: "usage", hints: ["klaytn payouts list shows what there is; check --db"] },
  InvalidTransition: { exit: "usage" },
  SpendRefused: { exit: "usage", hints: ["on mainnet, name a --limit or a --limit-day"] },
  TokenRefused: { exit: "refused" },
  LookupFailed: { exit: "tryAgain", hints: ["payments need the node: set KLAYTN_NODE_URL"] },
  DatabaseFailed: { exit: "tryAgain", hints: ["the same command goes on: each key is paid once"] }
}

/** Why a store of exports failed, as far as it may pass. All else the caller has to mend. */
const passing: ReadonlySet<SinkError["reason"]> = new Set(["locked", "conflict", "unavailable"])

/** A database that failed in the middle of payments. */
const ofEngine = ({ reason }: EngineError): Pick<Failure.Failure, "exit" | "hints"> => ({
  exit: reason === "Unreachable" ? "tryAgain" : "refused",
  hints: ["then the same command goes on: each key is paid once"]
})

const messageOf = (error: unknown): string => {
  const text = error instanceof Error && error.message !== "" ? error.message : String(error)
  return Screen.clean(text.trim().split("\n", 1)[0] ?? "")
}

/** Any failure as one that can be shown, without a stack trace. */
export const fromCause = (cause: Cause.Cause<unknown>): Failure.Failure => {
  const error = Option.getOrElse(Cause.failureOption(cause), () => Cause.squash(cause))
  if (error instanceof Failure.Failure) return error
  if (ServiceError.isServiceError(error) || RpcError.isRpcError(error)) return fromCall(error)
  if (ConfigError.isConfigError(error)) return fromConfig(error)
  const kind = typeof error === "object" && error !== null && "_tag" in error ? String(error._tag) : "Unexpected"
  return new Failure.Failure({
    message: messageOf(error),
    kind,
    exit: "refused",
    ...byTag[kind],
    ...(error instanceof EngineError ? ofEngine(error) : {}),
    ...(error instanceof DatabaseFailed && error.kind !== "Passing" ? { exit: "refused" } : {}),
    ...(error instanceof SinkError ? { exit: passing.has(error.reason) ? "tryAgain" : "usage" } : {})
  })
}

/** Adds to a failure where its error is explained, if it is. */
export const explained = (failure: Failure.Failure): Failure.Failure =>
  entries.some(({ tag }) => tag === failure.kind)
    ? Failure.withHint(failure, `klaytn explain ${failure.kind}`)
    : failure

/** Adds to a failure what to do about it. */
export const withHint = (hint: string) => <A, E, R>(self: Effect.Effect<A, E, R>) =>
  Effect.catchAllCause(
    self,
    (cause) => Cause.isInterruptedOnly(cause) ? Effect.interrupt : Failure.withHint(fromCause(cause), hint)
  )
