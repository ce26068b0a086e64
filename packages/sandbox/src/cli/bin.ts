/** The command `effect-klaytn-sandbox`: reads the arguments, runs, and turns how it ended into an exit code. */
import * as CliConfig from "@effect/cli/CliConfig"
import * as Command from "@effect/cli/Command"
import * as ValidationError from "@effect/cli/ValidationError"
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import manifest from "../../package.json" with { type: "json" }
import * as CommandFailure from "./CommandFailure.js"
import * as Help from "./Help.js"
import { listMethods } from "./listMethods.js"
import * as PlainText from "./PlainText.js"
import { printOpenApi } from "./printOpenApi.js"
import { serve } from "./serve.js"
import * as Settings from "./Settings.js"

const command = Command.make(Help.name, Settings.options, serve).pipe(
  Command.withDescription(Help.description),
  Command.withSubcommands([listMethods, printOpenApi])
)

/** `pnpm run` passes on the `--` that separates its own options. */
const [node = "", script = "", ...options] = process.argv
const args = [node, script, ...(options[0] === "--" ? options.slice(1) : options)]

const main = Command.run(command, { ...Help.app, version: manifest.version })(args).pipe(
  Effect.provide(NodeContext.layer),
  Effect.provide(CliConfig.layer({ showBuiltIns: false, isCaseSensitive: true })),
  PlainText.unlessTerminal({ output: process.stdout.isTTY, error: process.stderr.isTTY }),
  // Standard output is what the caller asked for: the page, the line of JSON, and nothing behind it.
  Effect.provide(Logger.replace(Logger.defaultLogger, Logger.withConsoleError(Logger.stringLogger)))
)

const exitCode = (exit: Exit.Exit<void, unknown>): number => {
  if (Exit.isSuccess(exit) || Cause.isInterruptedOnly(exit.cause)) return 0
  const error = Option.getOrUndefined(Cause.failureOption(exit.cause))
  // The parser has printed what is wrong with the arguments.
  if (ValidationError.isValidationError(error)) return 2
  const failure = CommandFailure.fromCause(exit.cause)
  console.error(`${Help.name}: ${failure.message}`)
  return failure.exitCode
}

const fiber = Effect.runFork(main)
let stopping = 0

/** A terminal sends Ctrl+C to all processes and a parent may pass it on, so only a later one forces the end. */
const stop = (): void => {
  if (stopping === 0) fiber.unsafeInterruptAsFork(fiber.id())
  else if (performance.now() - stopping > 1000) process.exit(130)
  stopping ||= performance.now()
}
process.on("SIGINT", stop)
process.on("SIGTERM", stop)

fiber.addObserver((exit) => {
  process.exitCode = exitCode(exit)
  // Everything is closed now. Should something still be open, it must not keep a stopped command alive.
  setTimeout(() => process.exit(), 1000).unref()
})
