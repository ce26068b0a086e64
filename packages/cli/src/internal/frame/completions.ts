/** Completions for shells, which `@effect/cli` writes. */
import * as Args from "@effect/cli/Args"
import * as CommandDescriptor from "@effect/cli/CommandDescriptor"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Failure from "../terminal/Failure.js"
import { lastWord, type Subcommand } from "./Subcommand.js"
import { isOption, type Word } from "./Word.js"

const shells = {
  bash: CommandDescriptor.getBashCompletions,
  zsh: CommandDescriptor.getZshCompletions,
  fish: CommandDescriptor.getFishCompletions
}

const optionOf = ({ choices, meaning, name, takes }: Word<unknown>): Options.Options<unknown> => {
  const word = name.slice(2)
  if (takes === "") return Options.withDescription(Options.boolean(word), meaning)
  const taking = choices === undefined
    ? Options.withPseudoName(Options.text(word), takes)
    : Options.choice(word, choices)
  return Options.withDescription(taking, meaning)
}

const argumentOf = ({ choices, meaning, name }: Word<unknown>): Args.Args<unknown> =>
  Args.withDescription(
    choices === undefined ? Args.text({ name }) : Args.choice(choices.map((one) => [one, one] as const), { name }),
    meaning
  )

const below = (
  parent: CommandDescriptor.Command<unknown>,
  commands: ReadonlyArray<Subcommand>
): CommandDescriptor.Command<unknown> => {
  const [first, ...others] = commands.map((one) => [lastWord(one.page.name), descriptorOf(one)] as const)
  return first === undefined ? parent : CommandDescriptor.withSubcommands(parent, [first, ...others])
}

const descriptorOf = ({ page, subcommands, words }: Subcommand): CommandDescriptor.Command<unknown> =>
  below(
    CommandDescriptor.make(
      lastWord(page.name),
      Options.all(words.filter(isOption).map(optionOf)),
      Args.all(words.filter((word) => !isOption(word)).map(argumentOf))
    ),
    subcommands
  )

/** The completions for a shell, as its own script. */
export const completions = (
  commands: ReadonlyArray<Subcommand>,
  shell: string | undefined
): Effect.Effect<string, Failure.Failure> => {
  const write = Object.entries(shells).find(([name]) => name === shell)?.[1]
  if (write === undefined) return Failure.usage("--completions takes bash, zsh or fish")
  return Effect.map(write(below(CommandDescriptor.make("klaytn"), commands), "klaytn"), (lines) => lines.join("\n"))
}
