/** The command: finds the subcommand, runs it, and returns its exit code. */
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import type { ExitCode } from "../terminal/exitCode.js"
import * as Failure from "../terminal/Failure.js"
import * as Screen from "../terminal/Screen.js"
import * as help from "./help.js"
import * as Subcommand from "./Subcommand.js"

/** A command by the name that it was started by. */
export interface Program {
  readonly commands: ReadonlyArray<Subcommand.Subcommand>
  /** Changes the names of commands in the help and in errors. */
  readonly spelled?: (text: string) => string
  /** Built when a command runs, and not for a page of help. */
  readonly services: Layer.Layer<Exclude<Subcommand.Services, Screen.Screen>>
}

const asItIs = (text: string): string => text

const page = (text: string): Effect.Effect<ExitCode, never, Screen.Screen> =>
  Effect.flatMap(Screen.Screen, ({ out }) => Effect.as(out.write(`${text}\n`), "ok" as const))

/** The words that may be options: behind `--` everything is an argument. */
const beforeArguments = (words: ReadonlyArray<string>): ReadonlyArray<string> => {
  const end = words.indexOf("--")
  return end < 0 ? words : words.slice(0, end)
}

const asksForHelp = (words: ReadonlyArray<string>): boolean =>
  beforeArguments(words).some((word) => word === "--help" || word === "-h")

/** Where the name of the command is: options of all commands may stand before it. */
const nameAmong = (words: ReadonlyArray<string>): number =>
  words.findIndex((word, i) => !word.startsWith("-") && words[i - 1] !== "--chain")

/** Takes the name of a command, and of one below it, out of the words. */
const commandOf = (commands: ReadonlyArray<Subcommand.Subcommand>, words: ReadonlyArray<string>) => {
  const at = nameAmong(words)
  const command = Subcommand.find(commands, words[at])
  if (command === undefined) return undefined
  const below = Subcommand.find(command.subcommands, words[at + 1])
  return below === undefined
    ? { command, rest: words.toSpliced(at, 1) }
    : { command: below, rest: words.toSpliced(at, 2) }
}

const rootOptions = ["--help", "--version", "--completions"]

/** Why words name no command. */
const noCommand = (commands: ReadonlyArray<Subcommand.Subcommand>, words: ReadonlyArray<string>): Failure.Failure => {
  const name = words[nameAmong(words)]
  const help = "klaytn --help lists the commands"
  if (name !== undefined) {
    return Failure.usage(
      `there is no command ${name}`,
      ...Subcommand.didYouMean(name, commands.map(({ page }) => page.name)),
      help
    )
  }
  // What follows `=` may be a secret, and is not shown.
  const [option = ""] = words[0]?.split("=") ?? []
  return Failure.usage("no command is given", ...Subcommand.didYouMean(option, rootOptions), help)
}

/** Runs until the command ends, its output is closed, or a signal comes. */
const untilStopped = (
  { isServer = false, finishesUnread = isServer }: Subcommand.Page,
  running: Effect.Effect<ExitCode, unknown, Screen.Screen>
): Effect.Effect<ExitCode, unknown, Screen.Screen> =>
  Effect.flatMap(Screen.Screen, ({ stopped }) => {
    const onSignal = Effect.as(Deferred.await(stopped), isServer ? "ok" as const : "interrupted" as const)
    const untilSignal = Effect.raceFirst(running, onSignal)
    return finishesUnread ? untilSignal : Screen.whileRead(untilSignal)
  })

const dispatch = Effect.fnUntraced(
  function*({ commands, services, spelled = asItIs }: Program, words: ReadonlyArray<string>) {
    const { out } = yield* Screen.Screen
    if (words[0] === "--completions") {
      const { completions } = yield* Effect.promise(() => import("./completions.js"))
      return yield* Effect.flatMap(completions(commands, words[1]), page)
    }
    const at = nameAmong(words)
    const isHelp = words[at] === "help"
    const asked = isHelp ? words.toSpliced(at, 1) : words
    const found = commandOf(commands, asked)
    if (found === undefined) {
      const isForAll = words.length === 0 || isHelp || asksForHelp(words)
      return asked[nameAmong(asked)] === undefined && isForAll
        ? yield* page(help.ofAll(out, commands))
        : yield* noCommand(commands, asked)
    }
    const { command, rest } = found
    if (isHelp || asksForHelp(rest)) {
      // The name of another command behind a command that has no actions: that one is meant.
      const meant = help.actionOf(command) === undefined ? Subcommand.find(commands, rest[0]) : undefined
      return yield* page(spelled(help.ofCommand(out, meant ?? command, rest)))
    }
    const running = Effect.provide(yield* command.read(rest), services)
    // Log lines would stand between the lines of a result. A server has no result.
    const isLogging = command.page.isServer === true || beforeArguments(rest).includes("--verbose")
    return yield* untilStopped(command.page, isLogging ? running : Logger.withMinimumLogLevel(running, LogLevel.None))
  }
)

const failed = Effect.fnUntraced(
  function*({ spelled = asItIs }: Program, cause: Cause.Cause<unknown>, isJson: boolean) {
    if (Cause.isInterruptedOnly(cause)) return "interrupted" as const
    const { error } = yield* Screen.Screen
    const { explained, fromCause } = yield* Effect.promise(() => import("../terminal/failureOf.js"))
    const failure = explained(fromCause(cause))
    yield* error.write(`${spelled(isJson ? Failure.json(failure) : Failure.page(error, failure))}\n`)
    return failure.exit
  }
)

/** The exit code is another one if nobody has read the result. */
const orUnread = Effect.fnUntraced(function*(exit: ExitCode): Effect.fn.Return<ExitCode, never, Screen.Screen> {
  const { closed } = yield* Screen.Screen
  return exit === "ok" && (yield* Deferred.isDone(closed)) ? "unread" : exit
})

/** Runs the words behind `klaytn`, shows what went wrong, and returns the exit code. */
export const run = (
  program: Program,
  words: ReadonlyArray<string>
): Effect.Effect<ExitCode, never, Screen.Screen> =>
  dispatch(program, words).pipe(
    Effect.flatMap(orUnread),
    Effect.catchAllCause((cause) => failed(program, cause, beforeArguments(words).includes("--json")))
  )
