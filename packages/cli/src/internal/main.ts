/** The command: finds the subcommand, runs it, and returns its exit code. */
import * as CommandDescriptor from "@effect/cli/CommandDescriptor"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { didYouMean } from "./arguments.js"
import { call } from "./call.js"
import { doctor } from "./doctor.js"
import type { ExitCode } from "./exitCode.js"
import { explain } from "./explain.js"
import { exporting, plan, reconcile, tail } from "./exportCommands.js"
import * as Failure from "./Failure.js"
import * as help from "./help.js"
import { pay, payouts } from "./payCommands.js"
import * as Screen from "./Screen.js"
import type { Services, Subcommand } from "./Subcommand.js"

/** All commands, in the order of the help. */
export const commands: ReadonlyArray<Subcommand> = [
  exporting,
  tail,
  plan,
  reconcile,
  pay,
  payouts,
  call,
  doctor,
  explain
]

const shells = {
  bash: CommandDescriptor.getBashCompletions,
  zsh: CommandDescriptor.getZshCompletions,
  fish: CommandDescriptor.getFishCompletions
}

const completions = (shell: string | undefined): Effect.Effect<string, Failure.Failure> => {
  const [first, ...others] = commands.map(({ descriptor, page }) => [page.name, descriptor] as const)
  const write = Object.entries(shells).find(([name]) => name === shell)?.[1]
  if (write === undefined || first === undefined) {
    return Effect.fail(Failure.usage("--completions takes bash, zsh or fish"))
  }
  const all = CommandDescriptor.withSubcommands(CommandDescriptor.make("klaytn"), [first, ...others])
  return Effect.map(write(all, "klaytn"), (lines) => lines.join("\n"))
}

const page = (text: string): Effect.Effect<ExitCode, never, Screen.Screen> =>
  Effect.flatMap(Screen.Screen, ({ out }) => Effect.as(out.write(`${text}\n`), "ok" as const))

const asksForHelp = (words: ReadonlyArray<string>): boolean => {
  const end = words.indexOf("--")
  return (end < 0 ? words : words.slice(0, end)).some((word) => word === "--help" || word === "-h")
}

/** The name of the command that the words are for; options of all commands may stand before it. */
const nameAmong = (words: ReadonlyArray<string>): number => {
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? ""
    if (word === "--chain") i++
    else if (!word.startsWith("-")) return i
  }
  return -1
}

const dispatch = (words: ReadonlyArray<string>): Effect.Effect<ExitCode, unknown, Services> =>
  Effect.gen(function*() {
    const { out } = yield* Screen.Screen
    const [first] = words
    if (first === "--completions") return yield* Effect.flatMap(completions(words[1]), page)
    const at = nameAmong(words)
    const name = words[at]
    const isHelp = name === "help"
    const rest = words.toSpliced(at, 1)
    const asked = isHelp ? rest[0] : name
    const command = commands.find((one) => one.page.name === asked)
    if (command !== undefined) {
      if (isHelp || asksForHelp(rest)) return yield* page(help.ofCommand(out, command))
      const running = yield* command.read(rest)
      return yield* command.page.finishesUnread === true ? running : Screen.whileRead(running)
    }
    if (asked === undefined && (words.length === 0 || isHelp || asksForHelp(words))) {
      return yield* page(help.ofAll(out, commands))
    }
    return yield* Failure.usage(
      asked === undefined ? "no command is given" : `there is no command ${asked}`,
      ...didYouMean(asked ?? "", commands.map((one) => one.page.name)),
      "klaytn --help lists the commands"
    )
  })

/** Runs the words behind `klaytn`, shows what went wrong, and returns the exit code. */
export const run = (words: ReadonlyArray<string>): Effect.Effect<ExitCode, never, Services> =>
  dispatch(words).pipe(
    Effect.flatMap((exit) =>
      Effect.gen(function*() {
        const { closed } = yield* Screen.Screen
        return exit === "ok" && (yield* Deferred.isDone(closed)) ? "unread" as const : exit
      })
    ),
    Effect.catchAllCause((cause) =>
      Cause.isInterruptedOnly(cause)
        ? Effect.succeed("interrupted" as const)
        : Effect.gen(function*() {
          const { error } = yield* Screen.Screen
          const { fromCause } = yield* Effect.promise(() => import("./failureOf.js"))
          const failure = fromCause(cause)
          const text = words.includes("--json") ? Failure.json(failure) : Failure.page(error, "klaytn", failure)
          yield* error.write(`${text}\n`)
          return failure.exit
        })
    )
  )
