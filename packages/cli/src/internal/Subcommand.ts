/** A command of `klaytn`: its page of help, its options and arguments, and what it does. */
import * as Args from "@effect/cli/Args"
import * as CliConfig from "@effect/cli/CliConfig"
import * as Command from "@effect/cli/Command"
import * as CommandDescriptor from "@effect/cli/CommandDescriptor"
import * as HelpDoc from "@effect/cli/HelpDoc"
import type * as Span from "@effect/cli/HelpDoc/Span"
import * as Options from "@effect/cli/Options"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import * as NodeTerminal from "@effect/platform-node/NodeTerminal"
import type * as FileSystem from "@effect/platform/FileSystem"
import type * as HttpClient from "@effect/platform/HttpClient"
import type * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Types from "effect/Types"
import { arrange, type OptionNames } from "./arguments.js"
import type { ExitCode } from "./exitCode.js"
import * as Failure from "./Failure.js"
import type { Screen } from "./Screen.js"

/** What a command may use. */
export type Services = Screen | HttpClient.HttpClient | FileSystem.FileSystem | Path.Path

/** The help of a command, besides its options. */
export interface Page {
  readonly name: string
  /** Half a line, for the list of all commands. */
  readonly summary: string
  /** Paragraphs. */
  readonly description: ReadonlyArray<string>
  readonly examples: ReadonlyArray<readonly [command: string, meaning: string]>
  /** Whether the command goes on when its output is not read any more: it is in the middle of payments, or serves. */
  readonly finishesUnread?: boolean
  /** Whether it runs until it is stopped: that is then its end, and no failure. */
  readonly isServer?: boolean
}

type AnyOption = Options.Options<unknown>
type AnyArgument = Args.Args<unknown>

/** One option or argument, for the help. */
export interface Entry {
  readonly term: string
  readonly meaning: string
}

export interface Subcommand {
  readonly page: Page
  /** Named by the last word of their page's name. */
  readonly subcommands: ReadonlyArray<Subcommand>
  readonly usage: string
  readonly args: ReadonlyArray<Entry>
  readonly options: ReadonlyArray<Entry>
  readonly names: OptionNames
  /** For completions. */
  readonly descriptor: CommandDescriptor.Command<unknown>
  /** Parses the words behind the command's name, and returns the effect that carries them out. */
  readonly read: (
    words: ReadonlyArray<string>
  ) => Effect.Effect<Effect.Effect<ExitCode, unknown, Services>, Failure.Failure>
}

const spanText = (span: Span.Span): string => {
  switch (span._tag) {
    case "Text":
      return span.value
    case "URI":
      return span.value
    case "Sequence":
      return spanText(span.left) + spanText(span.right)
    default:
      return spanText(span.value)
  }
}

const paragraphs = (doc: HelpDoc.HelpDoc): ReadonlyArray<string> => {
  switch (doc._tag) {
    case "Paragraph":
      return [spanText(doc.value)]
    case "Sequence":
      return [...paragraphs(doc.left), ...paragraphs(doc.right)]
    default:
      return []
  }
}

/** The term and the description of each entry. The parser puts the type before the description. */
const entries = (doc: HelpDoc.HelpDoc): ReadonlyArray<Entry> => {
  switch (doc._tag) {
    case "Sequence":
      return [...entries(doc.left), ...entries(doc.right)]
    case "DescriptionList":
      return doc.definitions.map(([term, meaning]) => ({
        term: spanText(term).replaceAll(" | ", "|"),
        meaning: paragraphs(meaning)[1] ?? ""
      }))
    default:
      return []
  }
}

const parserServices = Layer.mergeAll(NodeFileSystem.layer, NodePath.layer, NodeTerminal.layer)

const parserConfig = CliConfig.make({ showBuiltIns: false, isCaseSensitive: true, autoCorrectLimit: 0 })

// The codes that set colours and weights begin with the escape character.
// oxlint-disable-next-line no-control-regex
const colorCodes = /\x1b\[[0-9;]*m/g

const sentence = (doc: HelpDoc.HelpDoc): string =>
  HelpDoc.toAnsiText(doc).replace(colorCodes, "").trim().replace(/\s+/g, " ")

const lastWord = (name: string): string => name.slice(name.lastIndexOf(" ") + 1)

/** Makes a command. `args` are in the order of the command line. */
export const make = <
  const O extends Readonly<Record<string, AnyOption>>,
  const A extends Readonly<Record<string, AnyArgument>>
>(
  page: Page,
  options: O,
  args: A,
  run: (
    input: Types.Simplify<Command.Command.ParseConfig<O & A>>
  ) => Effect.Effect<ExitCode, unknown, Services>
): Subcommand => {
  const argEntries = Object.values(args).flatMap((one) =>
    entries(Args.getHelp(one)).map(({ meaning, term }) => {
      const name = term.replace(/[<>]/g, "")
      return { term: Args.getMinSize(one) === 0 ? `[${name}]` : name, meaning }
    })
  )
  const optionEntries = Object.values(options).flatMap((one) => entries(Options.getHelp(one)))
  const { descriptor } = Command.make(lastWord(page.name), { ...options, ...args })
  const names = new Map(
    Object.values(options).map((one) => [
      Option.getOrElse(Options.getIdentifier(one), () => ""),
      { takesValue: !Options.isBool(one) }
    ])
  )
  const usage = ["klaytn", page.name, ...argEntries.map(({ term }) => term), "[options]"].join(" ")
  const help = `klaytn ${page.name} --help shows how it is used`
  return {
    page,
    subcommands: [],
    usage,
    args: argEntries,
    options: optionEntries,
    names,
    descriptor,
    read: (words) =>
      Effect.gen(function*() {
        const arranged = yield* arrange(page.name, words, names)
        const line = [lastWord(page.name), ...arranged.options, "--", ...arranged.args]
        const directive = yield* CommandDescriptor.parse(descriptor, line, parserConfig).pipe(
          Effect.mapError(({ error }) => Failure.usage(sentence(error), help)),
          Effect.provide(parserServices)
        )
        if (directive._tag === "BuiltIn") {
          return yield* Failure.usage("this option follows klaytn itself, without a command", help)
        }
        const [extra] = directive.leftover
        if (extra !== undefined) {
          return yield* Failure.usage(`one argument too many: ${extra}`, help)
        }
        return run(directive.value)
      })
  }
}

type Named = readonly [name: string, CommandDescriptor.Command<unknown>]

const named = (command: Subcommand): Named => [lastWord(command.page.name), command.descriptor]

/** The tree of commands that completions are made of. */
export const treeOf = (
  parent: CommandDescriptor.Command<unknown>,
  [first, ...others]: ReadonlyArray<Subcommand>
): CommandDescriptor.Command<unknown> =>
  first === undefined ? parent : CommandDescriptor.withSubcommands(parent, [named(first), ...others.map(named)])

/** A command that has others below it. */
export const withSubcommands = (command: Subcommand, subcommands: ReadonlyArray<Subcommand>): Subcommand => ({
  ...command,
  subcommands,
  descriptor: treeOf(command.descriptor, subcommands)
})

/** The command with this name among others, or below one of them. */
export const find = (all: ReadonlyArray<Subcommand>, name: string | undefined): Subcommand | undefined =>
  all.find((one) => lastWord(one.page.name) === name)
